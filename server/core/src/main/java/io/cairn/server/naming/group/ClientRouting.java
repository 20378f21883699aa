package io.cairn.server.naming.group;

import io.cairn.api.error.CairnException;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.naming.BeatResult;
import io.cairn.server.naming.LossCause;
import io.cairn.server.naming.lease.HttpLeases;
import io.cairn.server.naming.lease.Recovery;
import io.cairn.server.naming.registry.ClientOwnership;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Passes requests of clients without a connection to their owner ({@link ClientOwnership}), with the same result as at the owner,
 * refusals included. Never blocks.
 */
public interface ClientRouting {

    /**
     * Registers an ephemeral instance with heartbeats.
     *
     * @throws CairnException as {@link HttpLeases#register(ServiceKey, Instance)}, thrown or in the stage
     */
    CompletionStage<Void> register(ServiceKey service, Instance instance);

    /**
     * Deregisters an ephemeral instance, which may be absent.
     *
     * @throws CairnException as {@link Recovery#deregisterOverHttp}, thrown or in the stage
     */
    CompletionStage<Void> deregister(ServiceKey service, InstanceKey instance, LossCause cause);

    /**
     * @param described the instance in the heartbeat, to register an unknown one; may be null
     * @throws CairnException as {@link HttpLeases#beat}, thrown or in the stage
     */
    CompletionStage<BeatResult> beat(ServiceKey service, InstanceKey instance, @Nullable Instance described);

    /** Passes an operator's health to the node that publishes or checks the instance, after this node shows it. */
    CompletionStage<Void> healthSet(ServiceKey service, InstanceKey instance, boolean healthy);

    /** A single server owns all clients. */
    static ClientRouting standalone(HttpLeases leases, Recovery recovery) {
        return new StandaloneRouting(leases, recovery);
    }
}
