package io.cairn.server.config;

import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One version of a configuration with its content, and the answers that the edges have encoded from it, so that each
 * answer is encoded once however many clients read it. While all clients read over gRPC, only that answer is kept, which holds the
 * content. Thread-safe.
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

    /** The content in UTF-8; not to be written to. */
    public byte[] utf8() {
        byte[] known = utf8;
        if (known == null) {
            Answer<?> kind = holder;
            if (kind == null) {
                throw new IllegalStateException(entry.key() + " has neither a content nor an answer that holds it");
            }
            known = kind.contentOf(this);
            // Clients of several protocols read it: from now on it stays.
            utf8 = known;
        }
        return known;
    }

    /** The length of the content in bytes. */
    public int length() {
        return bytes;
    }

    /** This version as that kind of answer; encoded at the first call, the same object from then on. */
    @SuppressWarnings("unchecked") // a slot is only ever written with its own kind's result
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

    /** Bytes that this version may come to hold, the answers and their compressed forms included. */
    long weight() {
        return 256 + (long) bytes * (1 + Answer.MAX);
    }

    /**
     * A kind of response that an edge encodes from a version.
     *
     * @param <T> the encoded response; immutable, with final fields
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

        /** The content, as the answer of that version has it. */
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
         * The kind that the gRPC edge makes.
         *
         * @param decoder reads the content back
         */
        public static <T> Answer<T> overGrpc(Function<ConfigVersion, T> encoder, Function<T, byte[]> decoder) {
            return new Answer<>(0, encoder, decoder);
        }

        /** The kind that the HTTP edge makes, around the bytes of the content itself. */
        public static <T> Answer<T> overHttp(Function<ConfigVersion, T> encoder) {
            return new Answer<>(1, encoder, null);
        }
    }
}
