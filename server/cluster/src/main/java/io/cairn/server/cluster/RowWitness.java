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
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** The last read rows of the nodes. They distinguish nodes that are cut off from dead ones; the view lacks both. */
final class RowWitness implements BeatingNodes {

    /** A database that has not answered for this time is away. */
    static final Duration AWAY = Duration.ofSeconds(5);

    private final LongSupplier nanoTime;
    private volatile @Nullable Reading last;

    /**
     * @param unseenBeats the last heartbeat of each node that was outside the view at this reading and the one before, and went on
     *     between them
     */
    private record Reading(
            long atNanos, List<NodeTable.Heartbeat> rows, Map<NodeId, Long> unseen, Map<NodeId, Long> unseenBeats) {}

    RowWitness(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

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
            // A first heartbeat may be older than the view.
            if (known != null && isLater(beatAt, known)) {
                beats.put(id, beatAt);
            } else if (counted != null) {
                beats.put(id, counted);
            }
        }
        last = new Reading(now, List.copyOf(rows), unseen, beats);
    }

    /** The age is in milliseconds at two times, so one heartbeat can appear at two times. */
    private static boolean isLater(long beatAt, long known) {
        return beatAt - known > TimeUnit.MILLISECONDS.toNanos(500);
    }

    /** Whether the database has answered within the last seconds. */
    boolean isDatabaseThere() {
        Reading reading = last;
        return reading != null && nanoTime.getAsLong() - reading.atNanos() < AWAY.toNanos();
    }

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

    /**
     * Addresses of nodes outside the view with a fresh heartbeat, except isolated ones. Unlike {@link #unseen} they may have died
     * since. Empty while the database is away.
     */
    Set<String> unmet(Collection<NodeId> view) {
        Reading reading = last;
        Set<String> unmet = new TreeSet<>();
        if (reading != null && isDatabaseThere()) {
            for (NodeTable.Heartbeat each : reading.rows()) {
                if (age(reading, each) < NodeTable.BEATING_WITHIN.toNanos()
                        && state(each.row()) != NodeState.ISOLATED) {
                    unmet.add(each.row().node().address());
                }
            }
            view.forEach(member -> unmet.remove(member.address()));
        }
        return unmet;
    }

    /** A later release may write an unknown state. */
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
