package io.cairn.client.config;

import io.cairn.api.config.ConfigKey;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** A watch of one configuration, until it is closed. Thread-safe. */
public interface ConfigWatch extends AutoCloseable {

    ConfigKey key();

    /** The content that the client knows now; empty when there is none, or none is known yet. Never waits. */
    Optional<ConfigContent> current();

    /**
     * Completes when the first state is known: the listener was called or is about to be called. The listener is not
     * called on the completing thread.
     */
    CompletableFuture<Optional<ConfigContent>> known();

    /** Ends the watch; a running call of the listener continues. A second call does nothing. */
    @Override
    void close();
}
