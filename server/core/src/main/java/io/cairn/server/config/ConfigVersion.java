package io.cairn.server.config;

import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One version of a configuration with its content, and the answers that the edges have encoded from it, so that each
 * answer is encoded once however many clients read it. Thread-safe.
 */
public final class ConfigVersion {

    private final ConfigEntry entry;
    private final byte[] utf8;
    private final AtomicReferenceArray<@Nullable Object> answers = new AtomicReferenceArray<>(Answer.MAX);

    public ConfigVersion(ConfigEntry entry, byte[] utf8) {
        this.entry = entry;
        this.utf8 = utf8;
    }

    public ConfigEntry entry() {
        return entry;
    }

    /** The content in UTF-8; not to be written to. */
    public byte[] utf8() {
        return utf8;
    }

    /** This version as that kind of answer; encoded at the first call, the same object from then on. */
    @SuppressWarnings("unchecked") // a slot is only ever written with its own kind's result
    public <T> T as(Answer<T> kind) {
        Object known = answers.getPlain(kind.slot);
        if (known == null) {
            known = kind.encoder.apply(this);
            answers.setRelease(kind.slot, known);
        }
        return (T) known;
    }

    /** Bytes that this version may come to hold, the answers included. */
    long weight() {
        return 256 + (long) utf8.length * (1 + Answer.MAX);
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

        private Answer(int slot, Function<ConfigVersion, T> encoder) {
            this.slot = slot;
            this.encoder = encoder;
        }

        /** The kind that the gRPC edge makes. */
        public static <T> Answer<T> overGrpc(Function<ConfigVersion, T> encoder) {
            return new Answer<>(0, encoder);
        }

        /** The kind that the HTTP edge makes. */
        public static <T> Answer<T> overHttp(Function<ConfigVersion, T> encoder) {
            return new Answer<>(1, encoder);
        }
    }
}
