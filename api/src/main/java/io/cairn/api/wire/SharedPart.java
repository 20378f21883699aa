package io.cairn.api.wire;

import org.jspecify.annotations.Nullable;

/**
 * Consecutive values of an array that messages share, with the compressed form of their bytes. Thread-safe.
 */
public final class SharedPart {

    private final int values;
    private volatile @Nullable Compressed compressed;

    /** @param length of the plain bytes; later parts begin with a comma and are longer than first parts */
    private record Compressed(int length, byte[] bytes) {}

    public SharedPart(int values) {
        this.values = values;
    }

    int values() {
        return values;
    }

    /** The compressed form kept for plain bytes of this length; null when absent. */
    public byte @Nullable [] compressed(int length) {
        Compressed known = compressed;
        return known == null || known.length != length ? null : known.bytes;
    }

    /** Keeps the compressed form, which must be independent of preceding bytes. */
    public void keep(int length, byte[] bytes) {
        compressed = new Compressed(length, bytes);
    }

    /**
     * The position of the part in a message.
     *
     * @param from the offset of its plain bytes
     */
    public record Place(int from, int length, SharedPart part) {

        Place after(int bytes) {
            return new Place(from + bytes, length, part);
        }
    }
}
