package io.cairn.client.config;

import io.cairn.api.config.ConfigKey;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** A watch of one configuration, until it is closed. Thread-safe. */
public interface ConfigWatch extends AutoCloseable {

    ConfigKey key();

    /** What the client knows at present; empty when there is nothing, or nothing is known yet. Never waits. */
    Optional<ConfigContent> current();

    /**
     * Completes when the first state is known: that the listener was or is about to be told. It is not told on the
     * completing thread.
     */
    CompletableFuture<Optional<ConfigContent>> known();

    /** Ends the watch; a call that is under way goes on. Does nothing the second time. */
    @Override
    void close();
}
