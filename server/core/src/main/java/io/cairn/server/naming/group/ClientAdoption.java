package io.cairn.server.naming.group;

import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.naming.registry.ClientOwnership;
import io.cairn.server.naming.registry.OwnChanges;
import io.cairn.server.naming.registry.OwnPublication;
import io.cairn.server.node.NodeId;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Moves clients without a connection between nodes: finds their publishing node, and adopts or transfers their publications.
 * Identifies a client by {@link ClientOwnership#clientId}, without the cluster. Takes only the locks of publisher and service, and
 * does not wait.
 */
public interface ClientAdoption {

    /**
     * @param origin the node that publishes or published it; null for this node
     * @param publishedAt as {@link OwnPublication#publishedAt}
     * @param instance as published, with its present health
     */
    record KnownClient(@Nullable NodeId origin, long publishedAt, Instance instance) {

        public boolean isOwn() {
            return origin == null;
        }
    }

    /** This node's publication, else the latest mirrored or held one. Called for each heartbeat. */
    @Nullable
    KnownClient find(ServiceKey service, InstanceKey instance);

    /** Publishes the instance here, with that time and a new lease. No effect on the same or a later registration here. */
    void adopt(ServiceKey service, Instance instance, long publishedAt);

    /**
     * Adopts the mirrored and held instances of own clients, except those published here with the same or a later time.
     *
     * @param isOwn whether this node owns the client
     * @return their number
     */
    int adopt(Predicate<String> isOwn);

    /** As {@link #adopt(Predicate)}, of one own client. */
    int adopt(String clientId);

    /**
     * Withdraws publications of other nodes' clients as {@linkplain OwnChanges#moved moved}, if another node publishes the same or
     * a later registration.
     *
     * @param isOwn whether this node owns the client
     * @return their number
     */
    int handOver(Predicate<String> isOwn);

    /** As {@link #handOver(Predicate)}, of one client of another node. */
    int handOver(String clientId);

    /** Clients with instances published here. */
    List<String> ownClients();
}
