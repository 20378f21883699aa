package io.cairn.api.wire;

import java.util.concurrent.CompletableFuture;

/** An encoded message: its bytes are made once and shared by all to whom it is sent. Thread-safe. */
public interface Framed {

    /** The bytes that travel; not to be written to. */
    byte[] encoded();

    /** Length of the whole message in bytes. */
    int encodedLength();

    /** Whether the bytes are compressed, which is for the frame around them to say. */
    boolean isCompressed();

    /**
     * The message as clients get it that take it compressed: made once, when first asked for. It is this message itself where that
     * does not pay.
     *
     * @param compressor the same everywhere
     */
    CompletableFuture<Framed> compressed(Compressor compressor);
}
