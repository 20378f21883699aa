package io.cairn.api.wire;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Compresses whole messages. */
@FunctionalInterface
public interface Compressor {

    /**
     * @param parts where the message has bytes in common with others; in order
     * @return never fails; null where the message is to be sent as it is
     */
    CompletableFuture<byte @Nullable []> compress(byte[] plain, List<SharedPart.Place> parts);
}
