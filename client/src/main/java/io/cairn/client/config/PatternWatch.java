package io.cairn.client.config;

import io.cairn.api.config.ConfigKey;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** A watch of all configurations whose names match a pattern; ends when closed. */
public interface PatternWatch extends AutoCloseable {

    /** The known matches. Never waits. */
    Set<ConfigKey> keys();

    /**
     * Completes with the matches once the server has sent all of them. Fails with {@code UNSUPPORTED} on Nacos before 3.0,
     * and with {@code LIMIT_EXCEEDED} when the server reached its limit of watches.
     */
    CompletableFuture<Set<ConfigKey>> known();

    @Override
    void close();
}
