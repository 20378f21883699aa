package io.cairn.api.wire;

import org.jspecify.annotations.Nullable;

/**
 * Some values of an array that many messages have in common, one after the other: lists of which few entries change. It carries the
 * compressed form of its bytes from message to message. Thread-safe.
 */
public final class SharedPart {

    private final int values;
    private volatile @Nullable Compressed compressed;

    /** @param length that of the plain bytes: a part that is not the first one begins with a comma */
    private record Compressed(int length, byte[] bytes) {}

    /** @param values how many there are, at least one */
    public SharedPart(int values) {
        this.values = values;
    }

    int values() {
        return values;
    }

    /** The bytes that {@link #keep} was given for plain bytes of that length; null when there are none. */
    public byte @Nullable [] compressed(int length) {
        Compressed known = compressed;
        return known == null || known.length != length ? null : known.bytes;
    }

    /** Keeps the compressed form, which can be decompressed without what is before it. */
    public void keep(int length, byte[] bytes) {
        compressed = new Compressed(length, bytes);
    }

    /**
     * The part in one message.
     *
     * @param from where its plain bytes begin
     */
    public record Place(int from, int length, SharedPart part) {

        Place after(int bytes) {
            return new Place(from + bytes, length, part);
        }
    }
}
