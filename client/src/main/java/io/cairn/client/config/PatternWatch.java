package io.cairn.client.config;

import io.cairn.api.config.ConfigKey;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** A watch of all configurations whose names match a pattern, until it is closed. Thread-safe. */
public interface PatternWatch extends AutoCloseable {

    /** What matches, as far as told. Never waits. */
    Set<ConfigKey> keys();

    /**
     * Completes with the matches once the server has told them all; fails with {@code UNSUPPORTED} when it knows no
     * patterns (servers before 3.0), and {@code LIMIT_EXCEEDED} when it watches as many as it may.
     */
    CompletableFuture<Set<ConfigKey>> known();

    @Override
    void close();
}
