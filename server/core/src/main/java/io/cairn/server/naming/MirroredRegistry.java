package io.cairn.server.naming;

import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.node.NodeId;

/**
 * The registry as the copies of the other nodes change it. A publication is known by its origin, its publisher's id and its service.
 * Calls for one origin come one after the other; calls for different origins may come at the same time. Each call takes the locks of
 * the mirrored publisher and of the service only, and returns without waiting. What it throws ends the call for this one
 * publication; so it throws for a defect only.
 *
 * <p>A <em>held</em> publication is one without an owner: its node has left the group, or has handed the client over. It is treated
 * as {@link Publisher.Kind#RECOVERED} after a restart: each of its instances ends for good as soon as a publication with an owner names
 * the same {@link InstanceKey} with the same or a later {@link MirroredPublication#publishedAt}, and in any case with {@link #release}.
 * An owner that is back may still name instances whose clients have left it, and must not end what is
 * held of their next node.
 */
public interface MirroredRegistry {

    /** Shows the publication in place of what that publisher said about the service before, held or not. */
    void set(NodeId origin, MirroredPublication publication);

    /** The owner has taken the publication back: ends it, held or not. Does nothing where there is none. */
    void remove(NodeId origin, MirroredPublication publication);

    /**
     * Shows the publication as a held one, in place of what that publisher said about the service before. Instances that such a publication names already end at once, so
     * that they do not come back when that one is deregistered.
     */
    void hold(NodeId origin, MirroredPublication publication);

    /** Ends what is left of a held publication; its client is not back in time. Does nothing where it is not held. */
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
