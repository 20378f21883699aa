package io.cairn.server.naming;

import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;

/**
 * Records the changes of this node's own part of the registry, for the other nodes of the group. The registry calls it
 * with the lock of the publisher held, after the change and before it releases the lock, so that the order of the
 * records is the order of the changes. An implementation takes one leaf lock for a moment, calls nothing back and never
 * blocks.
 *
 * <p>A mirror applies the streams of different nodes in any order, and of each node the latest state of each
 * publication. Two rules keep lists complete in between:
 *
 * <ul>
 *   <li>A publication that ends because another publisher, here or on another node, has published the same instances is {@link #moved}
 *       and not {@link #withdrawn}.
 *   <li>A connection whose instances stay when it ends (it was asked to move, or this node was paused and does not know why it ended)
 *       keeps its publisher id and becomes {@link Publisher.Kind#RECOVERED} under it.
 * </ul>
 */
public interface OwnChanges {

    /** Records nothing, for a server that is alone. */
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

    /** The publisher has replaced its instances of the service, or their health has changed. */
    void published(String publisherId, ServiceKey service);

    /** The publication has ended: deregistered, expired, or closed with its connection. */
    void withdrawn(String publisherId, ServiceKey service);

    /**
     * The publication has ended here because another one of the same instances has taken its place. Mirrors show it until that one has
     * reached them.
     *
     * @param to address of the node that has the other one; it may be this node
     */
    void moved(String publisherId, ServiceKey service, String to);

    /** A check of this node has found the persistent instance healthy or unhealthy. */
    void checked(ServiceKey service, InstanceKey instance, boolean healthy);

    /** This node no longer checks the persistent instance. */
    void unchecked(ServiceKey service, InstanceKey instance);

    /** A client has deregistered the instance here; held and remembered publications of it end on all nodes. */
    void forgotten(ServiceKey service, InstanceKey instance);

    /**
     * The time of the latest {@linkplain #forgotten deregistration} of the instance that this node knows of, whichever node has taken it;
     * 0 when there is none. The cluster of the instance plays no part. Deregistrations are kept for some minutes.
     */
    long deregisteredAt(ServiceKey service, InstanceKey instance);
}
