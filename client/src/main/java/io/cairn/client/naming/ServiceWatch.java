package io.cairn.client.naming;

import io.cairn.api.naming.ServiceKey;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** A subscription of a service, until it is closed. Thread-safe. */
public interface ServiceWatch extends AutoCloseable {

    ServiceKey service();

    /** The instances that the client knows now; empty before the first response. Never waits. */
    Optional<ServiceView> current();

    /** Completes when the first state is known. */
    CompletableFuture<ServiceView> known();

    /** Ends the subscription. A second call does nothing. */
    @Override
    void close();
}
