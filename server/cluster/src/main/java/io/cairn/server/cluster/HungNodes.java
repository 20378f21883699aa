package io.cairn.server.cluster;

import io.cairn.server.node.NodeId;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * Finds nodes that hang: they send nothing, and their process has not ended. A request to such a node waits for as long as its client
 * does, which is 50 s for the heartbeats of official clients of generation 1, and these send one heartbeat after the other. Used by
 * one thread.
 */
final class HungNodes {

    /** The end of a process is noticed sooner. An instance without heartbeats is unhealthy 10 s after a node hangs, or later. */
    static final Duration SILENCE = Duration.ofSeconds(5);

    /** The time of a client's patience, and its next heartbeats. */
    static final Duration KEPT = Duration.ofSeconds(60);

    /** The time of the last heartbeat of each node that hangs. */
    private final Map<NodeId, Long> heardNanos = new HashMap<>();

    /**
     * To be called every second.
     *
     * @param members the other members of the view, with the time of the last heartbeat of each
     * @return whether a member hangs, or a node that hung when it left the view was heard of less than {@link #KEPT} ago
     */
    boolean look(Map<NodeId, Long> members, long nowNanos) {
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
