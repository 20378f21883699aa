package io.cairn.server.config.transfer;

/**
 * Limits of an archive, checked before the import.
 *
 * @param entries of any kind
 * @param totalBytes unpacked
 * @param contentBytes of one configuration, unpacked
 * @param listBytes unpacked
 */
public record ArchiveLimits(int entries, long totalBytes, int contentBytes, int listBytes) {

    /** Twice the number of configurations for which a server is designed. */
    private static final int ENTRIES = 200_000;

    private static final long TOTAL_BYTES = 2L << 30;
    private static final int LIST_BYTES = 64 << 20;

    public static ArchiveLimits of(int maxContentBytes) {
        return new ArchiveLimits(ENTRIES, TOTAL_BYTES, maxContentBytes, LIST_BYTES);
    }
}
