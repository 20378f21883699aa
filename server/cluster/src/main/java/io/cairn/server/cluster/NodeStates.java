package io.cairn.server.cluster;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.server.node.NodeId;
import io.cairn.server.node.NodeState;
import io.cairn.server.node.NodeTable;
import io.cairn.server.timer.Standstill;
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
import org.slf4j.event.Level;

/** The state of this node in the group, decided once a second and at each merge. */
final class NodeStates {

    /** A node is isolated after it has been cut off for this time. */
    static final Duration CUT_OFF = Duration.ofSeconds(5);

    private static final String STARTING = "the node is starting";

    private static final Logger log = LoggerFactory.getLogger(NodeStates.class);

    private final Duration joinTimeout;
    private final LongSupplier nanoTime;
    /** Runs with each decision. */
    private final Standstill.Watch decisions;

    private final Clock clock;
    private final List<Consumer<NodeState>> listeners = new CopyOnWriteArrayList<>();
    private final List<Runnable> rejoining = new CopyOnWriteArrayList<>();
    private volatile Present present;

    /** Whether the node was in service since its start. Until then it waits for all nodes with living heartbeats. */
    @GuardedBy("this")
    private boolean hasServed;

    @GuardedBy("this")
    private boolean open;

    /** The contents are compared with the database from then on. */
    @GuardedBy("this")
    private long openedNanos;

    @GuardedBy("this")
    private boolean stops;

    /** Whether the node must be in step with each member before it is in service. Written with this lock, read without it. */
    private volatile boolean mustBeInStep;

    @GuardedBy("this")
    private List<NodeId> view = List.of();

    /** Whether there was another member in a view since the start. */
    @GuardedBy("this")
    private boolean hadCompany;

    @GuardedBy("this")
    private long joiningNanos;

    /** The revision of the others when this node was first in step; the node must show it before it is in service. */
    @GuardedBy("this")
    private @Nullable Long joinRevision;

    @GuardedBy("this")
    private @Nullable Long cutOffNanos;

    @GuardedBy("this")
    private final RevisionLag lag = new RevisionLag();

    /**
     * @param since epoch milliseconds
     * @param reason why the node is not in service; else null
     * @param isIncomplete whether it is in service without complete copies, because their time is over
     */
    record Present(NodeState state, long since, @Nullable String reason, boolean isIncomplete) {}

    /**
     * Facts for a decision.
     *
     * @param isInStep whether each member was heard in the last seconds, and its copy is not behind
     * @param known addresses that the sources name
     * @param unseen nodes outside the view with living heartbeats in the database
     * @param unmet addresses of nodes outside the view with a fresh heartbeat that are not isolated; they may have died since
     * @param otherKeys addresses of nodes with another key
     * @param isRevisionKnown whether the shown contents were compared with the database since the start
     * @param revision the last that this node shows
     * @param revisionOfOthers the last of a node in service that follows the database
     * @param isWaiting whether the database does not answer, so this node does not know the stored changes
     * @param failsAlone why this node does not follow although another in service does; else null
     */
    record Observation(
            boolean isDatabaseThere,
            boolean isComplete,
            boolean isInStep,
            Set<String> known,
            List<NodeTable.Row> unseen,
            Set<String> unmet,
            Set<String> otherKeys,
            boolean isRevisionKnown,
            long revision,
            long revisionOfOthers,
            boolean isWaiting,
            @Nullable String failsAlone) {}

    NodeStates(Duration joinTimeout, LongSupplier nanoTime, Clock clock) {
        this.joinTimeout = joinTimeout;
        this.nanoTime = nanoTime;
        this.clock = clock;
        this.decisions = new Standstill.Watch(Standstill.OF_SERVICE, nanoTime);
        this.joiningNanos = nanoTime.getAsLong();
        this.present = new Present(NodeState.JOINING, clock.millis(), STARTING, false);
    }

    /** @param listener called with each new state, with this lock held; must return at once */
    void follow(Consumer<NodeState> listener) {
        listeners.add(listener);
    }

    /** @param listener called after a pause or split, in which the others went on; with this lock held; must return at once */
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
     * Why this node is not in service, or null. After a pause the node is out of service until its next decision, because its
     * contents are old.
     */
    synchronized @Nullable String notReadyBecause() {
        if (present.state() != NodeState.READY) {
            return present.state() + ": " + present.reason();
        }
        long pause = decisions.present();
        return pause > 0 ? NodeState.JOINING + ": " + paused(pause) : null;
    }

    /**
     * Whether others may have gone on without this node: during and after a pause or isolation, until it is in step. Without a lock,
     * because reads ask during an outage of the database.
     */
    boolean mayLackChanges() {
        // In this order: each of the first two ends after the third has begun.
        return decisions.present() > 0 || present.state() == NodeState.ISOLATED || mustBeInStep;
    }

    private static String paused(long nanos) {
        return "the node did not run for " + TimeUnit.NANOSECONDS.toMillis(nanos)
                + " ms and takes what has changed meanwhile";
    }

    synchronized void begin() {
        joiningNanos = nanoTime.getAsLong();
    }

    synchronized void open() {
        open = true;
        openedNanos = nanoTime.getAsLong();
    }

    synchronized void drain() {
        stops = true;
        enter(NodeState.DRAINING, "the node stops, and its clients are asked to move", false);
    }

    /** Begins a drain by an operator, until {@link #undrain} or the end of the process. */
    synchronized void drainForOperator() {
        if (!stops) {
            enter(
                    NodeState.DRAINING,
                    "an operator drains this node: its clients are asked to move, and it is not in service until the operator"
                            + " ends that or the node is restarted",
                    false);
        }
    }

    /** Ends the operator's drain; the node is in service once it is in step. False without a drain. */
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
     * Applies a view. A merge takes no node out of service that served all the time, whatever the size of its part: the messages
     * after a merge update its copies. An isolated node joins again at its next decision.
     */
    synchronized void view(GroupView next) {
        List<NodeId> before = view;
        view = next.members();
        boolean wasAlone = !hadCompany;
        hadCompany |= view.size() > 1;
        if (!next.merged() || present.state() == NodeState.DRAINING) {
            return;
        }
        if (decisions.present() > 0) {
            mustBeInStep = true;
        }
        long pause = decisions.end();
        if (pause > 0) {
            rejoinAfterPause(pause);
        } else if (present.state() == NodeState.READY && wasAlone) {
            joinEarlier(before);
        }
    }

    /**
     * A node that was alone since its start has no copies, and leaves the service to an earlier one. The first started one stays,
     * so that one is always in service.
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

    synchronized void decide(Observation seen) {
        long now = nanoTime.getAsLong();
        // Before the pause ends for readers of mayLackChanges.
        long pause = decisions.run(standstill -> mustBeInStep = true);
        if (present.state() == NodeState.DRAINING) {
            return;
        }
        if (pause > 0) {
            rejoinAfterPause(pause);
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
        Set<String> unmet = hasServed ? Set.of() : seen.unmet();
        boolean isComplete = seen.isComplete() && unmet.isEmpty() && (!mustBeInStep || seen.isInStep());
        boolean isLate = now - joiningNanos >= joinTimeout.toNanos();
        if (mustBeInStep && isComplete) {
            // Less than before when the database goes back to an earlier state.
            joinRevision =
                    joinRevision == null ? seen.revisionOfOthers() : Math.min(joinRevision, seen.revisionOfOthers());
        }
        boolean isUnknown = !seen.isRevisionKnown() && now - openedNanos < joinTimeout.toNanos();
        boolean isOld = joinRevision == null ? isUnknown : seen.revision() < joinRevision;
        boolean showsOld = seen.isDatabaseThere() && isOld;
        if (open && behind == null && !showsOld && (isComplete || isLate)) {
            mustBeInStep = false;
            joinRevision = null;
            if (!isComplete) {
                log.warn(
                        "In service after {} s without all instances of the other nodes; they are taken as they arrive{}",
                        joinTimeout.toSeconds(),
                        unmet.isEmpty() ? "" : ". " + waitsFor(unmet, seen.otherKeys()));
            }
            enter(NodeState.READY, null, !isComplete);
        } else if (behind != null) {
            enter(NodeState.JOINING, behind, false);
        } else if (!unmet.isEmpty()) {
            enter(NodeState.JOINING, waitsFor(unmet, seen.otherKeys()), false);
        } else if (!hasServed && !mustBeInStep) {
            enter(NodeState.JOINING, STARTING, false);
        }
    }

    private static String waitsFor(Set<String> unmet, Set<String> otherKeys) {
        return "the node has not met " + String.join(", ", new TreeSet<>(unmet))
                + ", whose heartbeat in the database is fresh; " + advice(unmet, otherKeys);
    }

    private static String advice(Set<String> unreached, Set<String> otherKeys) {
        Set<String> differ = new TreeSet<>(unreached);
        differ.retainAll(otherKeys);
        return differ.isEmpty()
                ? "check the ports between the nodes"
                : "the messages of " + String.join(", ", differ)
                        + " are encrypted with another key than those of this node: set"
                        + " cairn.cluster.key to the same value on all nodes, or on none, and restart those that had another one";
    }

    @GuardedBy("this")
    private @Nullable String isolation(Observation seen) {
        if (!seen.isDatabaseThere()) {
            Set<String> known = new TreeSet<>(seen.known());
            view.forEach(member -> known.add(member.address()));
            Set<String> missing = new TreeSet<>(known);
            view.forEach(member -> missing.remove(member.address()));
            return view.size() * 2 < known.size()
                    ? "the database is away, and of " + known.size() + " nodes this one reaches " + view.size()
                            + ", itself included; it does not reach " + String.join(", ", missing)
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
                        + ", which are alive and more than those that it reaches; " + advice(largest, seen.otherKeys())
                : null;
    }

    /** Of two equal parts, the part with the smallest address is larger, so that all nodes decide alike. */
    private static boolean isLarger(Set<String> one, Set<String> other) {
        if (one.size() != other.size()) {
            return one.size() > other.size();
        }
        return !one.isEmpty() && smallest(one).compareTo(smallest(other)) < 0;
    }

    private static String smallest(Collection<String> addresses) {
        return addresses.stream().min(Comparator.naturalOrder()).orElseThrow();
    }

    /**
     * Why the node shows old contents, or will not show the next change; else null. A node in service that waits for the database
     * is not behind: it leaves when another node follows.
     */
    @GuardedBy("this")
    private @Nullable String behind(Observation seen, long now) {
        String failure = seen.failsAlone();
        if (failure != null) {
            return failure;
        }
        if (seen.isWaiting() && present.state() == NodeState.READY) {
            lag.reset();
            return null;
        }
        return lag.isBehind(seen.revision(), seen.revisionOfOthers(), now)
                ? "the node shows revision " + seen.revision() + " of the configurations, other nodes revision "
                        + seen.revisionOfOthers()
                : null;
    }

    @GuardedBy("this")
    private void enter(NodeState next, @Nullable String reason, boolean isIncomplete) {
        Present before = present;
        boolean isNew = before.state() != next;
        hasServed |= next == NodeState.READY;
        present = new Present(next, isNew ? clock.millis() : before.since(), reason, isIncomplete);
        if (isNew) {
            if (reason == null) {
                log.info("This node is {} (before: {})", next, before.state());
            } else {
                // Clients move off an isolated node, and an operator must repair the cause.
                log.atLevel(next == NodeState.ISOLATED ? Level.WARN : Level.INFO)
                        .log("This node is {} (before: {}): {}", next, before.state(), reason);
            }
            for (Consumer<NodeState> listener : listeners) {
                listener.accept(next);
            }
        }
    }
}
