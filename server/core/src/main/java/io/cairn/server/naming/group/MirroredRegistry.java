package io.cairn.server.naming.group;

import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.naming.registry.MirroredPublication;
import io.cairn.server.naming.registry.Publisher;
import io.cairn.server.node.NodeId;

/**
 * The part of the registry for other nodes' copies. A publication is identified by origin, publisher's id and service. Calls are
 * sequential for one origin, concurrent for several. Each takes only the locks of publisher and service, and does not wait. An
 * exception means a defect, and ends this call alone.
 *
 * <p>A <em>held</em> publication has no owner: its node left, or transferred the client. As {@link Publisher.Kind#RECOVERED} after
 * a restart, each of its instances ends when an owner's publication names the same {@link InstanceKey} with the same or a
 * later {@link MirroredPublication#publishedAt}, and in any case at {@link #release}. A returning owner may name clients that have
 * left it, and must not end their next node's held instances.
 */
public interface MirroredRegistry {

    /** Replaces the publisher's former publication, held or not. */
    void set(NodeId origin, MirroredPublication publication);

    /** The owner withdrew the publication: ends it, held or not, if present. */
    void remove(NodeId origin, MirroredPublication publication);

    /**
     * Holds the publication in place of the publisher's former one. Instances of owners end at once, so that they do not return
     * after a deregistration there.
     */
    void hold(NodeId origin, MirroredPublication publication);

    /** Ends a held publication whose client did not return in time; no effect if not held. */
    void release(NodeId origin, MirroredPublication publication);

    /** As {@link #release}, of a departed node: no other node counts the loss. */
    void lose(NodeId origin, MirroredPublication publication);

    /** Whether any of its instances is still held. */
    boolean isHeld(NodeId origin, MirroredPublication publication);

    /**
     * The number of registrations that ended instances without a client. While it grows, clients return, and held instances stay
     * longer. Lock-free.
     */
    long returned();

    /**
     * Ends older held and recovered publications of a deregistered instance. An HTTP client's also ends where recovered or adopted
     * here without a heartbeat since. The cluster plays no part.
     *
     * @param changedAt time of the deregistration
     */
    void forget(ServiceKey service, InstanceKey instance, long changedAt);

    /** Another node's check result; no effect on an absent instance. */
    void check(ServiceKey service, InstanceKey instance, boolean healthy);
}
