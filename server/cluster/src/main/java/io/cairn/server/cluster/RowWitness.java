package io.cairn.server.cluster;

import io.cairn.server.cluster.replication.BeatingNodes;
import io.cairn.server.node.NodeId;
import io.cairn.server.node.NodeState;
import io.cairn.server.node.NodeTable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The rows of the nodes as they were read last. They tell a node that is cut off from one that has died, for both are missing in the
 * view. Thread-safe.
 */
final class RowWitness implements BeatingNodes {

    /** A database that has not answered for this time is away. */
    static final Duration AWAY = Duration.ofSeconds(5);

    private final LongSupplier nanoTime;
    /** Null before the first reading. */
    private volatile @Nullable Reading last;

    /**
     * @param unseenBeats the time of the last heartbeat of each node that was outside the view at this reading and at the one before,
     *     and whose heartbeat has gone on between them
     */
    private record Reading(
            long atNanos, List<NodeTable.Heartbeat> rows, Map<NodeId, Long> unseen, Map<NodeId, Long> unseenBeats) {}

    RowWitness(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /**
     * Takes what was read just now.
     *
     * @param view the members of the group at this time
     */
    void read(List<NodeTable.Heartbeat> rows, Collection<NodeId> view) {
        long now = nanoTime.getAsLong();
        Reading before = last;
        Map<NodeId, Long> unseen = new HashMap<>();
        Map<NodeId, Long> beats = new HashMap<>();
        for (NodeTable.Heartbeat row : rows) {
            NodeId id = row.row().node();
            if (view.contains(id)) {
                continue;
            }
            long beatAt = now - row.age().toNanos();
            unseen.put(id, beatAt);
            Long known = before == null ? null : before.unseen().get(id);
            Long counted = before == null ? null : before.unseenBeats().get(id);
            // A heartbeat that this node reads for the first time may be older than the view.
            if (known != null && isLater(beatAt, known)) {
                beats.put(id, beatAt);
            } else if (counted != null) {
                beats.put(id, counted);
            }
        }
        last = new Reading(now, List.copyOf(rows), unseen, beats);
    }

    /** The age is measured in milliseconds at two times, so that one heartbeat is not always at the same time. */
    private static boolean isLater(long beatAt, long known) {
        return beatAt - known > TimeUnit.MILLISECONDS.toNanos(500);
    }

    /** Whether the database has answered within the last seconds. */
    boolean isDatabaseThere() {
        Reading reading = last;
        return reading != null && nanoTime.getAsLong() - reading.atNanos() < AWAY.toNanos();
    }

    /** The rows of the last reading, however old that is. */
    List<NodeTable.Heartbeat> rows() {
        Reading reading = last;
        return reading == null ? List.of() : reading.rows();
    }

    @Override
    public Collection<NodeId> now() {
        Reading reading = last;
        List<NodeId> beating = new ArrayList<>();
        if (reading != null && isDatabaseThere()) {
            for (NodeTable.Heartbeat row : reading.rows()) {
                if (age(reading, row) < NodeTable.BEATING_WITHIN.toNanos()) {
                    beating.add(row.row().node());
                }
            }
        }
        return beating;
    }

    /** Nodes outside the view whose heartbeat goes on: they are alive, and this node does not see them. */
    List<NodeTable.Row> unseen(Collection<NodeId> view) {
        Reading reading = last;
        if (reading == null || !isDatabaseThere()) {
            return List.of();
        }
        long now = nanoTime.getAsLong();
        List<NodeTable.Row> found = new ArrayList<>();
        for (NodeTable.Heartbeat each : reading.rows()) {
            Long beatAt = reading.unseenBeats().get(each.row().node());
            if (beatAt != null
                    && !view.contains(each.row().node())
                    && now - beatAt < NodeTable.BEATING_WITHIN.toNanos()) {
                found.add(each.row());
            }
        }
        return found;
    }

    /** The state that a row says. A later release may write a state that this one does not know. */
    static NodeState state(NodeTable.Row row) {
        for (NodeState state : NodeState.values()) {
            if (state.name().equals(row.state())) {
                return state;
            }
        }
        return NodeState.JOINING;
    }

    private long age(Reading reading, NodeTable.Heartbeat row) {
        return row.age().toNanos() + nanoTime.getAsLong() - reading.atNanos();
    }
}
