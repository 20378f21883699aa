package io.cairn.server.cluster;

import io.cairn.server.node.NodeId;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * Finds nodes that hang: silent, with a running process. Requests to such a node wait for the client's time-out: 50 s for
 * heartbeats of official 1.x clients, which send them one after the other. For one thread.
 */
final class HungNodes {

    /** Longer than the detection of an ended process. Instances without heartbeats become unhealthy from 10 s on. */
    static final Duration SILENCE = Duration.ofSeconds(5);

    static final Duration KEPT = Duration.ofSeconds(60);

    private final Map<NodeId, Long> heardNanos = new HashMap<>();

    /**
     * To be called every second.
     *
     * @param members other members of the view, with the time of their last heartbeat
     * @return whether a member hangs, or a node that hung when it left the view was silent for less than {@link #KEPT}
     */
    boolean check(Map<NodeId, Long> members, long nowNanos) {
        members.forEach((member, heard) -> {
            heardNanos.keySet().removeIf(known -> known.address().equals(member.address()));
            if (nowNanos - heard >= SILENCE.toNanos()) {
                heardNanos.put(member, heard);
            }
        });
        heardNanos.values().removeIf(heard -> nowNanos - heard >= KEPT.toNanos());
        return !heardNanos.isEmpty();
    }
}
