package io.cairn.api.wire;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Compresses whole messages. */
@FunctionalInterface
public interface Compressor {

    /**
     * @param parts the byte ranges shared with other messages, in order
     * @return never fails; null when the message must be sent uncompressed
     */
    CompletableFuture<byte @Nullable []> compress(byte[] plain, List<SharedPart.Place> parts);
}
