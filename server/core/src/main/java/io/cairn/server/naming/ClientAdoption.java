package io.cairn.server.naming;

import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.node.NodeId;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Moves clients without a connection between the nodes of a cluster: finds the node that publishes them, and adopts or
 * hands over their publications. A client is named by its id ({@link ClientOwnership#clientId}); the cluster of an
 * instance has no effect. Thread-safe; takes only the locks of the publisher and of the service, and does not wait.
 */
public interface ClientAdoption {

    /**
     * An instance that a client without a connection has registered.
     *
     * @param origin the node that publishes it, or has published it where it is held; null for this node
     * @param publishedAt as {@link OwnPublication#publishedAt}
     * @param instance as its publisher describes it, with its present health
     */
    record KnownClient(@Nullable NodeId origin, long publishedAt, Instance instance) {

        /** Whether this node publishes it. */
        public boolean isOwn() {
            return origin == null;
        }
    }

    /**
     * Finds the instance of a client without a connection: as this node publishes it, otherwise the latest one of those that are mirrored
     * or held. Called for each heartbeat.
     */
    @Nullable
    KnownClient find(ServiceKey service, InstanceKey instance);

    /**
     * Publishes the instance as this node's own, with that time of registration and a lease that begins now. Does nothing where this
     * node publishes the same or a later registration of it.
     */
    void adopt(ServiceKey service, Instance instance, long publishedAt);

    /**
     * Adopts each mirrored and held instance of a client that this node owns, where this node does not publish the same or a later
     * registration.
     *
     * @param isOwn whether this node owns the client of that id
     * @return how many were adopted
     */
    int adopt(Predicate<String> isOwn);

    /** As {@link #adopt(Predicate)}, of one client, which this node owns. */
    int adopt(String clientId);

    /**
     * Removes the publications of this node for clients that it does not own, as {@linkplain OwnChanges#moved moved},
     * if another node publishes the same or a later registration.
     *
     * @param isOwn whether this node owns the client with that id
     * @return the number of removed publications
     */
    int handOver(Predicate<String> isOwn);

    /** As {@link #handOver(Predicate)}, of one client, which this node does not own. */
    int handOver(String clientId);

    /** The ids of the clients for which this node publishes instances. */
    List<String> ownClients();
}
