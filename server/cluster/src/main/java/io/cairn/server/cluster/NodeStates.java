package io.cairn.server.cluster;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.server.node.NodeId;
import io.cairn.server.node.NodeState;
import io.cairn.server.node.NodeTable;
import java.time.Clock;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The state of this node in the group. It is decided once a second from what the node sees, and at each merge. Thread-safe.
 */
final class NodeStates {

    /** A longer time between two decisions is a pause of this node, in which the others may have gone on without it. */
    static final Duration PAUSE = Duration.ofSeconds(4);
    /** A node is isolated after it has been cut off for this time. */
    static final Duration CUT_OFF = Duration.ofSeconds(5);

    private static final Logger log = LoggerFactory.getLogger(NodeStates.class);

    private final Duration joinTimeout;
    private final LongSupplier nanoTime;
    private final Clock clock;
    private final List<Consumer<NodeState>> listeners = new CopyOnWriteArrayList<>();
    private final List<Runnable> rejoining = new CopyOnWriteArrayList<>();
    private volatile Present present;

    /** Whether clients are taken; before that the node is not in service. */
    @GuardedBy("this")
    private boolean open;

    /** Whether the node is about to stop. */
    @GuardedBy("this")
    private boolean stops;

    /** Whether the node must be in step with each member before it is in service again. */
    @GuardedBy("this")
    private boolean mustBeInStep;

    @GuardedBy("this")
    private List<NodeId> view = List.of();

    /** Whether there was another member in a view since the start. */
    @GuardedBy("this")
    private boolean hadCompany;

    /** Whether there was a decision: the time until the first one is that of the start. */
    @GuardedBy("this")
    private boolean hasDecided;

    @GuardedBy("this")
    private long lastNanos;

    @GuardedBy("this")
    private long joiningNanos;

    /** The revision that the others showed when this node was first in step with them; this node shows it before it is in service. */
    @GuardedBy("this")
    private @Nullable Long joinRevision;

    @GuardedBy("this")
    private @Nullable Long cutOffNanos;

    @GuardedBy("this")
    private final RevisionLag lag = new RevisionLag();

    /**
     * The state and why.
     *
     * @param since epoch milliseconds
     * @param reason why the node is not in service, in words; null when it is
     * @param isIncomplete whether it is in service without complete copies, because the time for them has passed
     */
    record Present(NodeState state, long since, @Nullable String reason, boolean isIncomplete) {}

    /**
     * The facts that the node sees at the time of a decision.
     *
     * @param isDatabaseThere whether the shared database answers
     * @param isComplete whether the copies of all members are complete
     * @param isInStep whether each member has been heard of in the last seconds, and its copy is not behind
     * @param known the addresses of the nodes that the sources name
     * @param unseen nodes outside the view whose heartbeat in the database goes on
     * @param isRevisionKnown whether what this node shows was compared with the database since the start
     * @param revision the last one that this node shows
     * @param revisionOfOthers the last one that a node in service shows
     */
    record Observation(
            boolean isDatabaseThere,
            boolean isComplete,
            boolean isInStep,
            Set<String> known,
            List<NodeTable.Row> unseen,
            boolean isRevisionKnown,
            long revision,
            long revisionOfOthers) {}

    /** @param joinTimeout after which the node is in service without complete copies */
    NodeStates(Duration joinTimeout, LongSupplier nanoTime, Clock clock) {
        this.joinTimeout = joinTimeout;
        this.nanoTime = nanoTime;
        this.clock = clock;
        this.lastNanos = nanoTime.getAsLong();
        this.joiningNanos = lastNanos;
        this.present = new Present(NodeState.JOINING, clock.millis(), "the node is starting", false);
    }

    /** @param listener called with each new state, with the lock of this object held; returns at once */
    void follow(Consumer<NodeState> listener) {
        listeners.add(listener);
    }

    /**
     * @param listener called when the node was paused or cut off, so that the others have gone on without it; with the lock of this
     *     object held; returns at once
     */
    void followRejoin(Runnable listener) {
        rejoining.add(listener);
    }

    Present present() {
        return present;
    }

    NodeState state() {
        return present.state();
    }

    /**
     * Why this node is not in service, in words; null when it is. A node that goes on after a pause is not in service before its next
     * decision either: it shows what was stored before the pause.
     */
    synchronized @Nullable String notReadyBecause() {
        if (present.state() != NodeState.READY) {
            return present.state() + ": " + present.reason();
        }
        long sinceLast = nanoTime.getAsLong() - lastNanos;
        return sinceLast > PAUSE.toNanos() ? NodeState.JOINING + ": " + paused(sinceLast) : null;
    }

    private static String paused(long nanos) {
        return "the node did not run for " + TimeUnit.NANOSECONDS.toMillis(nanos)
                + " ms and takes what has changed meanwhile";
    }

    /** Clients are taken from now on. */
    synchronized void open() {
        open = true;
    }

    /** The node is about to stop. No other state follows. */
    synchronized void drain() {
        stops = true;
        enter(NodeState.DRAINING, "the node stops, and its clients are asked to move", false);
    }

    /** An operator has the clients of this node move. The state stays until {@link #undrain} or the end of the process. */
    synchronized void drainForOperator() {
        if (!stops) {
            enter(
                    NodeState.DRAINING,
                    "an operator drains this node: its clients are asked to move, and it is not in service until the operator"
                            + " ends that or the node is restarted",
                    false);
        }
    }

    /** The operator ends the drain; the node is in service once it is in step with the others. False when no operator drains it. */
    synchronized boolean undrain() {
        if (stops || present.state() != NodeState.DRAINING) {
            return false;
        }
        cutOffNanos = null;
        lag.reset();
        joinAgain("an operator has ended the drain of this node");
        return true;
    }

    /**
     * The group has another view. A merge takes no node out of service that has served clients all the time, however large its part was:
     * the messages after a merge bring its copies up to date. An isolated node joins again with its next decision.
     */
    synchronized void view(GroupView next) {
        List<NodeId> before = view;
        view = next.members();
        boolean wasAlone = !hadCompany;
        hadCompany |= view.size() > 1;
        if (!next.merged() || present.state() == NodeState.DRAINING) {
            return;
        }
        long now = nanoTime.getAsLong();
        long sinceLast = now - lastNanos;
        if (hasDecided && sinceLast > PAUSE.toNanos()) {
            lastNanos = now;
            rejoinAfterPause(sinceLast);
        } else if (present.state() == NodeState.READY && wasAlone) {
            joinEarlier(before);
        }
    }

    /**
     * A node that has been alone since its start has no copies yet. It leaves the service to a node that runs for longer. The one that
     * has started first stays in service, so that there is always one.
     */
    @GuardedBy("this")
    private void joinEarlier(List<NodeId> alone) {
        Set<String> earlier = new TreeSet<>();
        for (NodeId member : view) {
            if (alone.stream().anyMatch(own -> member.incarnation() < own.incarnation())) {
                earlier.add(member.address());
            }
        }
        if (!earlier.isEmpty()) {
            rejoin("the node has started apart from " + String.join(", ", earlier) + " and takes their instances");
        }
    }

    /** Decides on the state. Called once a second. */
    synchronized void decide(Observation seen) {
        long now = nanoTime.getAsLong();
        long sinceLast = now - lastNanos;
        lastNanos = now;
        boolean isFirst = !hasDecided;
        hasDecided = true;
        if (present.state() == NodeState.DRAINING) {
            return;
        }
        if (!isFirst && sinceLast > PAUSE.toNanos()) {
            rejoinAfterPause(sinceLast);
            return;
        }
        String isolation = isolation(seen);
        if (isolation == null) {
            cutOffNanos = null;
            if (present.state() == NodeState.ISOLATED) {
                rejoin("the node was isolated and takes what has changed meanwhile");
            }
        } else {
            if (cutOffNanos == null) {
                cutOffNanos = now;
            }
            if (now - cutOffNanos >= CUT_OFF.toNanos()) {
                enter(NodeState.ISOLATED, isolation, false);
            }
        }
        String behind = behind(seen, now);
        if (present.state() == NodeState.JOINING) {
            join(seen, behind, now);
        } else if (present.state() == NodeState.READY) {
            if (behind != null) {
                enter(NodeState.JOINING, behind, false);
            } else if (present.isIncomplete() && seen.isComplete()) {
                present = new Present(NodeState.READY, present.since(), null, false);
            }
        }
    }

    @GuardedBy("this")
    private void rejoinAfterPause(long nanos) {
        cutOffNanos = null;
        lag.reset();
        rejoin(paused(nanos));
    }

    @GuardedBy("this")
    private void rejoin(String reason) {
        joinAgain(reason);
        rejoining.forEach(Runnable::run);
    }

    @GuardedBy("this")
    private void joinAgain(String reason) {
        mustBeInStep = true;
        joinRevision = null;
        joiningNanos = nanoTime.getAsLong();
        enter(NodeState.JOINING, reason, false);
    }

    @GuardedBy("this")
    private void join(Observation seen, @Nullable String behind, long now) {
        boolean isComplete = seen.isComplete() && (!mustBeInStep || seen.isInStep());
        boolean isLate = now - joiningNanos >= joinTimeout.toNanos();
        if (mustBeInStep && isComplete) {
            // Less than before when the database goes back to an earlier state.
            joinRevision =
                    joinRevision == null ? seen.revisionOfOthers() : Math.min(joinRevision, seen.revisionOfOthers());
        }
        boolean isOld = joinRevision == null ? !seen.isRevisionKnown() && !isLate : seen.revision() < joinRevision;
        boolean showsOld = seen.isDatabaseThere() && isOld;
        if (open && behind == null && !showsOld && (isComplete || isLate)) {
            mustBeInStep = false;
            joinRevision = null;
            if (!isComplete) {
                log.warn(
                        "In service after {} s without all instances of the other nodes; they are taken as they arrive",
                        joinTimeout.toSeconds());
            }
            enter(NodeState.READY, null, !isComplete);
        } else if (behind != null) {
            enter(NodeState.JOINING, behind, false);
        }
    }

    /** Why the node is cut off from the larger part of the group; null when it is not. */
    @GuardedBy("this")
    private @Nullable String isolation(Observation seen) {
        if (!seen.isDatabaseThere()) {
            Set<String> known = new TreeSet<>(seen.known());
            view.forEach(member -> known.add(member.address()));
            return view.size() * 2 < known.size()
                    ? "the database is away, and of " + known.size() + " nodes this one reaches " + view.size()
                            + ", itself included"
                    : null;
        }
        if (view.isEmpty()) {
            return null;
        }
        Set<String> own = new TreeSet<>();
        view.forEach(member -> own.add(member.address()));
        Set<String> largest = Set.of();
        for (NodeTable.Row node : seen.unseen()) {
            Set<String> part = new TreeSet<>(Set.of(node.node().address()));
            for (NodeTable.Row other : seen.unseen()) {
                if (node.sees().contains(other.node().address())) {
                    part.add(other.node().address());
                }
            }
            boolean isStarting = node.state().equals(NodeState.JOINING.name()) && part.size() == 1;
            if (!isStarting && (largest.isEmpty() || isLarger(part, largest))) {
                largest = part;
            }
        }
        return !largest.isEmpty() && isLarger(largest, own)
                ? "the node does not reach " + String.join(", ", largest)
                        + ", which are alive and more than those that it reaches; check the ports between the nodes"
                : null;
    }

    /** Of two parts of one size the one with the smallest address counts as the larger one, so that all nodes decide alike. */
    private static boolean isLarger(Set<String> one, Set<String> other) {
        if (one.size() != other.size()) {
            return one.size() > other.size();
        }
        return !one.isEmpty() && smallest(one).compareTo(smallest(other)) < 0;
    }

    private static String smallest(Collection<String> addresses) {
        return addresses.stream().min(Comparator.naturalOrder()).orElseThrow();
    }

    /** Why the node shows contents that are too old; null when it does not. */
    @GuardedBy("this")
    private @Nullable String behind(Observation seen, long now) {
        return lag.isBehind(seen.revision(), seen.revisionOfOthers(), now)
                ? "the node shows revision " + seen.revision() + " of the configurations, other nodes revision "
                        + seen.revisionOfOthers()
                : null;
    }

    @GuardedBy("this")
    private void enter(NodeState next, @Nullable String reason, boolean isIncomplete) {
        Present before = present;
        boolean isNew = before.state() != next;
        present = new Present(next, isNew ? clock.millis() : before.since(), reason, isIncomplete);
        if (isNew) {
            if (reason == null) {
                log.info("This node is {} (before: {})", next, before.state());
            } else {
                log.info("This node is {} (before: {}): {}", next, before.state(), reason);
            }
            for (Consumer<NodeState> listener : listeners) {
                listener.accept(next);
            }
        }
    }
}
