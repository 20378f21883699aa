package io.cairn.client.config;

import io.cairn.api.config.ConfigKey;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** A watch of one configuration; ends when closed. */
public interface ConfigWatch extends AutoCloseable {

    ConfigKey key();

    /** The known content; empty when the configuration does not exist or is not known yet. Never waits. */
    Optional<ConfigContent> current();

    /** Completes when the first state is known, on a thread of the client. */
    CompletableFuture<Optional<ConfigContent>> known();

    /** Ends the watch; a running call of the listener continues. */
    @Override
    void close();
}
