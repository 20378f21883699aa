package io.cairn.client.naming;

import io.cairn.api.naming.ServiceKey;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** A subscription of a service, until it is closed. Thread-safe. */
public interface ServiceWatch extends AutoCloseable {

    ServiceKey service();

    /** What the client knows at present; empty before the first answer. Never waits. */
    Optional<ServiceView> current();

    /** Completes when the first state is known. */
    CompletableFuture<ServiceView> known();

    /** Ends the subscription. Does nothing the second time. */
    @Override
    void close();
}
