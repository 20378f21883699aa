package io.cairn.server.naming.group;

import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.naming.BeatResult;
import io.cairn.server.naming.LossCause;
import io.cairn.server.naming.lease.HttpLeases;
import io.cairn.server.naming.lease.Recovery;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Calls the registry of a single server. */
final class StandaloneRouting implements ClientRouting {

    private static final CompletionStage<Void> DONE = CompletableFuture.completedFuture(null);

    private final HttpLeases leases;
    private final Recovery recovery;

    StandaloneRouting(HttpLeases leases, Recovery recovery) {
        this.leases = leases;
        this.recovery = recovery;
    }

    @Override
    public CompletionStage<Void> register(ServiceKey service, Instance instance) {
        leases.register(service, instance);
        return DONE;
    }

    @Override
    public CompletionStage<Void> deregister(ServiceKey service, InstanceKey instance, LossCause cause) {
        recovery.deregisterOverHttp(service, instance, cause);
        return DONE;
    }

    @Override
    public CompletionStage<BeatResult> beat(ServiceKey service, InstanceKey instance, @Nullable Instance described) {
        return CompletableFuture.completedFuture(leases.beat(service, instance, described));
    }

    @Override
    public CompletionStage<Void> healthSet(ServiceKey service, InstanceKey instance, boolean healthy) {
        return DONE;
    }
}
