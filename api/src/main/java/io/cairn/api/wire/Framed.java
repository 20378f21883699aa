package io.cairn.api.wire;

import java.util.concurrent.CompletableFuture;

/** A message that is encoded once for all receivers. Thread-safe. */
public interface Framed {

    /** The bytes to send; must not be changed. */
    byte[] encoded();

    int encodedLength();

    /** Whether the bytes are compressed; the frame header states it. */
    boolean isCompressed();

    /**
     * The compressed form, computed on the first call; this message when that saves no bytes.
     *
     * @param compressor the same for all calls
     */
    CompletableFuture<Framed> compressed(Compressor compressor);
}
