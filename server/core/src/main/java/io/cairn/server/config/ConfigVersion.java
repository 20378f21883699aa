package io.cairn.server.config;

import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A version of a configuration with its content and the edges' encoded answers, each encoded once for all readers. With gRPC
 * readers alone only that answer is kept, which has the content.
 */
public final class ConfigVersion {

    private final ConfigEntry entry;
    private final int bytes;
    /** Null while only the answer of {@link #holder} has the content. */
    private volatile byte @Nullable [] utf8;

    private volatile @Nullable Answer<?> holder;
    private final AtomicReferenceArray<@Nullable Object> answers = new AtomicReferenceArray<>(Answer.MAX);

    public ConfigVersion(ConfigEntry entry, byte[] utf8) {
        this.entry = entry;
        this.bytes = utf8.length;
        this.utf8 = utf8;
    }

    public ConfigEntry entry() {
        return entry;
    }

    /** The content in UTF-8; must not be modified. */
    public byte[] utf8() {
        byte[] known = utf8;
        if (known == null) {
            Answer<?> kind = holder;
            if (kind == null) {
                throw new IllegalStateException(entry.key() + " has neither a content nor an answer that holds it");
            }
            known = kind.contentOf(this);
            // With readers of several protocols the bytes stay.
            utf8 = known;
        }
        return known;
    }

    /** In bytes. */
    public int length() {
        return bytes;
    }

    /** This version as that kind of answer; encoded once. */
    @SuppressWarnings("unchecked") // A slot is only ever written with its own kind's result
    public <T> T as(Answer<T> kind) {
        Object known = answers.getPlain(kind.slot);
        if (known == null) {
            known = kind.encoder.apply(this);
            answers.setRelease(kind.slot, known);
            if (kind.decoder != null && isOnly(kind)) {
                holder = kind;
                utf8 = null;
            }
        }
        return (T) known;
    }

    private boolean isOnly(Answer<?> kind) {
        for (int slot = 0; slot < Answer.MAX; slot++) {
            if (slot != kind.slot && answers.getPlain(slot) != null) {
                return false;
            }
        }
        return true;
    }

    /** Bytes that this version may need, answers and their compressed forms included. */
    long weight() {
        return 256 + (long) bytes * (1 + Answer.MAX);
    }

    /**
     * A kind of encoded response.
     *
     * @param <T> immutable, with final fields
     */
    public static final class Answer<T> {

        private static final int MAX = 2;

        private final int slot;
        private final Function<ConfigVersion, T> encoder;
        private final @Nullable Function<T, byte[]> decoder;

        private Answer(int slot, Function<ConfigVersion, T> encoder, @Nullable Function<T, byte[]> decoder) {
            this.slot = slot;
            this.encoder = encoder;
            this.decoder = decoder;
        }

        /** The content in that version's answer. */
        @SuppressWarnings("unchecked")
        private byte[] contentOf(ConfigVersion version) {
            Function<T, byte[]> read = decoder;
            T answer = (T) version.answers.getAcquire(slot);
            if (read == null || answer == null) {
                throw new IllegalStateException(version.entry.key() + " has no answer that holds its content");
            }
            return read.apply(answer);
        }

        /**
         * For the gRPC edge.
         *
         * @param decoder reads the content back
         */
        public static <T> Answer<T> overGrpc(Function<ConfigVersion, T> encoder, Function<T, byte[]> decoder) {
            return new Answer<>(0, encoder, decoder);
        }

        /** For the HTTP edge, around the content's bytes. */
        public static <T> Answer<T> overHttp(Function<ConfigVersion, T> encoder) {
            return new Answer<>(1, encoder, null);
        }
    }
}
