package io.cairn.api.wire;

import java.util.concurrent.CompletableFuture;

/** A message that is encoded once for all receivers. Thread-safe. */
public interface Framed {

    /** The bytes to send; must not be changed. */
    byte[] encoded();

    /** The length of the whole message in bytes. */
    int encodedLength();

    /** Whether the bytes are compressed; the frame header states it. */
    boolean isCompressed();

    /**
     * The compressed form for clients that accept it, computed on the first call; this message itself when compression does
     * not save bytes.
     *
     * @param compressor the same for all calls
     */
    CompletableFuture<Framed> compressed(Compressor compressor);
}
