package io.cairn.client.config;

import io.cairn.api.config.ConfigKey;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** A watch of all configurations whose names match a pattern, until it is closed. Thread-safe. */
public interface PatternWatch extends AutoCloseable {

    /** The matches known so far. Never waits. */
    Set<ConfigKey> keys();

    /**
     * Completes with the matches once the server has sent them all. Fails with {@code UNSUPPORTED} when the server does
     * not support patterns (before 3.0), and with {@code LIMIT_EXCEEDED} when it has as many watches as it allows.
     */
    CompletableFuture<Set<ConfigKey>> known();

    @Override
    void close();
}
