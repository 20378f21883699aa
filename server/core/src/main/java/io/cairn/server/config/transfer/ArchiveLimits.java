package io.cairn.server.config.transfer;

/**
 * Size limits of an archive; a larger one is refused before anything is stored.
 *
 * @param entries of any kind
 * @param totalBytes of all entries, unpacked
 * @param contentBytes of one configuration, unpacked
 * @param listBytes of its list of configurations, unpacked
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
