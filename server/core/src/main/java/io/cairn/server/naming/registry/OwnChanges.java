package io.cairn.server.naming.registry;

import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;

/**
 * Records this node's changes for the group. Called with the publisher's lock held, after the change, so that records are ordered.
 * Takes one leaf lock briefly, calls nothing back, never blocks.
 *
 * <p>A mirror applies different nodes' streams in any order, with each publication's latest state. Two rules keep lists complete
 * meanwhile:
 * <ul>
 * <li>A publication replaced by another publisher's is {@link #moved}, not {@link #withdrawn}.
 * <li>A connection whose instances stay after its end (asked to move, or this node was paused and does not know the cause) keeps
 * its publisher id and becomes {@link Publisher.Kind#RECOVERED}.
 * </ul>
 */
public interface OwnChanges {

    /** For a single server. */
    OwnChanges NONE = new OwnChanges() {
        @Override
        public void published(String publisherId, ServiceKey service) {}

        @Override
        public void withdrawn(String publisherId, ServiceKey service) {}

        @Override
        public void moved(String publisherId, ServiceKey service, String to) {}

        @Override
        public void checked(ServiceKey service, InstanceKey instance, boolean healthy) {}

        @Override
        public void unchecked(ServiceKey service, InstanceKey instance) {}

        @Override
        public void forgotten(ServiceKey service, InstanceKey instance) {}

        @Override
        public long deregisteredAt(ServiceKey service, InstanceKey instance) {
            return 0;
        }
    };

    /** New instances, or another health. */
    void published(String publisherId, ServiceKey service);

    /** Deregistered, expired, or closed with its connection. */
    void withdrawn(String publisherId, ServiceKey service);

    /**
     * Another publication has replaced it. Mirrors show it until they have that one.
     *
     * @param to address of that one's node, perhaps this one
     */
    void moved(String publisherId, ServiceKey service, String to);

    /** This node's check result. */
    void checked(ServiceKey service, InstanceKey instance, boolean healthy);

    void unchecked(ServiceKey service, InstanceKey instance);

    /** A client deregistered the instance here; held and remembered publications of it end on all nodes. */
    void forgotten(ServiceKey service, InstanceKey instance);

    /**
     * The latest known {@linkplain #forgotten deregistration} on any node, or 0. The cluster plays no part. Kept for some minutes.
     */
    long deregisteredAt(ServiceKey service, InstanceKey instance);
}
