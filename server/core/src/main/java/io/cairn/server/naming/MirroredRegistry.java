package io.cairn.server.naming;

import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.node.NodeId;

/**
 * The part of the registry that the copies of the other nodes change. A publication is identified by its origin, its
 * publisher's id and its service. Calls for one origin are sequential; calls for different origins may be concurrent.
 * Each call takes only the locks of the mirrored publisher and of the service, and returns without waiting. An
 * exception ends the call for this one publication, so a call throws only because of a defect.
 *
 * <p>A <em>held</em> publication is one without an owner: its node has left the group, or has handed the client over.
 * It is treated as {@link Publisher.Kind#RECOVERED} after a restart: each of its instances ends for good as soon as a
 * publication with an owner names the same {@link InstanceKey} with the same or a later
 * {@link MirroredPublication#publishedAt}, and in any case with {@link #release}. An owner that returns may still name
 * instances whose clients have left it, and must not end the held instances of their next node.
 */
public interface MirroredRegistry {

    /** Shows the publication and replaces the publisher's former one of the service, held or not. */
    void set(NodeId origin, MirroredPublication publication);

    /** The owner has taken the publication back: ends it, held or not. Does nothing where there is none. */
    void remove(NodeId origin, MirroredPublication publication);

    /**
     * Shows the publication as a held one and replaces the publisher's former one of the service. Instances that a
     * publication with an owner names already end at once, so that they do not return when that one is deregistered.
     */
    void hold(NodeId origin, MirroredPublication publication);

    /**
     * Ends the remaining instances of a held publication whose client has not reconnected in time. Does nothing if it
     * is not held.
     */
    void release(NodeId origin, MirroredPublication publication);

    /** Whether at least one instance of the publication is still shown as held. */
    boolean isHeld(NodeId origin, MirroredPublication publication);

    /**
     * Ends the instance in all held and recovered publications that are older, for its client has deregistered it. That of an HTTP
     * client also ends where this node has recovered or adopted it, and the client has sent no heartbeat since. The cluster of the
     * instance plays no part.
     *
     * @param changedAt the time of the deregistration
     */
    void forget(ServiceKey service, InstanceKey instance, long changedAt);

    /** Another node has found the persistent instance healthy or unhealthy. Does nothing where there is no such instance. */
    void check(ServiceKey service, InstanceKey instance, boolean healthy);
}
