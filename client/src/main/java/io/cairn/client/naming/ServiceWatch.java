package io.cairn.client.naming;

import io.cairn.api.naming.ServiceKey;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** A subscription to a service; ends when closed. */
public interface ServiceWatch extends AutoCloseable {

    ServiceKey service();

    /** The known instances; empty before the first response. Never waits. */
    Optional<ServiceView> current();

    /** Completes with the first list. */
    CompletableFuture<ServiceView> known();

    @Override
    void close();
}
