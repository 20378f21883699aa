package io.cairn.server.naming;

import io.cairn.api.error.CairnException;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Passes requests of clients without a connection to the node of the cluster that owns the client ({@link ClientOwnership}). The result
 * is the same as if the client had sent the request to its owner, refusals included. Thread-safe; never blocks.
 */
public interface ClientRouting {

    /**
     * Registers an ephemeral instance, which sends heartbeats from then on.
     *
     * @throws CairnException as {@link NamingService#registerOverHttp}, thrown or as the failure of the result
     */
    CompletionStage<Void> register(ServiceKey service, Instance instance);

    /**
     * Deregisters an ephemeral instance; succeeds also where there is no such instance.
     *
     * @throws CairnException as {@link NamingService#deregisterOverHttp(ServiceKey, InstanceKey, LossCause)}, thrown or as the failure
     *     of the result
     */
    CompletionStage<Void> deregister(ServiceKey service, InstanceKey instance, LossCause cause);

    /**
     * Takes the heartbeat of an ephemeral instance.
     *
     * @param described the instance as the heartbeat describes it, by which an unknown one is registered; null where it does not
     * @throws CairnException as {@link NamingService#beat}, thrown or as the failure of the result
     */
    CompletionStage<BeatResult> beat(ServiceKey service, InstanceKey instance, @Nullable Instance described);

    /**
     * An operator has set the health of an instance on this node: passes it to the node that publishes or checks the instance. To be
     * called after this node shows it.
     */
    CompletionStage<Void> healthSet(ServiceKey service, InstanceKey instance, boolean healthy);

    /** That of a server without others: it owns all clients. */
    static ClientRouting standalone(NamingService naming) {
        return new StandaloneRouting(naming);
    }
}
