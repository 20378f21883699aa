package io.cairn.server.naming;

import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Calls the registry of this server, which has no others beside it. */
final class StandaloneRouting implements ClientRouting {

    private static final CompletionStage<Void> DONE = CompletableFuture.completedFuture(null);

    private final NamingService naming;

    StandaloneRouting(NamingService naming) {
        this.naming = naming;
    }

    @Override
    public CompletionStage<Void> register(ServiceKey service, Instance instance) {
        naming.registerOverHttp(service, instance);
        return DONE;
    }

    @Override
    public CompletionStage<Void> deregister(ServiceKey service, InstanceKey instance, LossCause cause) {
        naming.deregisterOverHttp(service, instance, cause);
        return DONE;
    }

    @Override
    public CompletionStage<BeatResult> beat(ServiceKey service, InstanceKey instance, @Nullable Instance described) {
        return CompletableFuture.completedFuture(naming.beat(service, instance, described));
    }

    @Override
    public CompletionStage<Void> healthSet(ServiceKey service, InstanceKey instance, boolean healthy) {
        return DONE;
    }
}
