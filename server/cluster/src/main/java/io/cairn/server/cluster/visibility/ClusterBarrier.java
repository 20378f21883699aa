package io.cairn.server.cluster.visibility;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.server.change.Visibility;
import io.cairn.server.change.VisibilityBarrier;
import io.cairn.server.node.NodeId;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.ObjLongConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers the callers of a committed group when every other node in service shows it, or after a time limit. A node that still
 * lacks a revision a second after the missed limit is behind: groups do not wait for it until its heartbeat has caught up. One
 * thread answers all groups; a group costs one entry for all its callers.
 *
 * <p>A database that loses commits issues the same revisions again. From then on the revisions of a node count only when its
 * heartbeat names a commit that this node has seen.
 */
public final class ClusterBarrier implements VisibilityBarrier, AutoCloseable {

    /** Longer than a short pause of a node, which makes many groups miss the limit at once. */
    static final Duration BEHIND_AFTER = Duration.ofSeconds(1);

    /** A heartbeat is under way for up to 1 s, so compare it with the commits before the heartbeat of the second before. */
    private static final long MARK_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final int IDLE_SECONDS = 10;

    private static final Logger log = LoggerFactory.getLogger(ClusterBarrier.class);

    private final Settings settings;
    private final Executor answering;
    private final Alarm alarm;
    private final Runnable ending;
    private final LongSupplier nanoTime;
    private final Object lock = new Object();
    private volatile ObjLongConsumer<NodeId> notice = (peer, revision) -> {};
    private volatile Measure measure = (nanos, isShown) -> {};

    @GuardedBy("lock")
    private final ArrayDeque<Group> waiting = new ArrayDeque<>();

    /** Groups whose callers are to be answered now, in their order. */
    @GuardedBy("lock")
    private final ArrayDeque<Due> due = new ArrayDeque<>();

    @GuardedBy("lock")
    private Map<NodeId, Peer> peers = Map.of();

    @GuardedBy("lock")
    private List<NodeId> receivers = List.of();

    @GuardedBy("lock")
    private boolean isAnswering;

    @GuardedBy("lock")
    private boolean isAlarmSet;

    @GuardedBy("lock")
    private boolean closed;

    @GuardedBy("lock")
    private long committed;

    @GuardedBy("lock")
    private long committedBefore;

    @GuardedBy("lock")
    private long committedLongBefore;

    @GuardedBy("lock")
    private long markedNanos;

    /**
     * @param everywhere whether callers wait until other nodes show their writes
     * @param within the longest wait
     */
    public record Settings(boolean everywhere, Duration within) {}

    /** Runs a task once, later, on another thread. Called with the lock of the barrier held. */
    interface Alarm {
        void after(long nanos, Runnable task);
    }

    /** Receives the wait of each group, on the answering thread. Must return at once. */
    @FunctionalInterface
    public interface Measure {
        /** @param isShown false when the group was answered because its time was over */
        void waited(long nanos, boolean isShown);
    }

    private record Group(long revision, Runnable completion, long dueNanos) {}

    private record Due(Group group, boolean isShown) {}

    private static final class Peer {

        private long applied;
        private long reported;

        private long missedRevision;
        /** A missed revision above {@link #applied}, with the time of the miss. */
        private long unshownRevision;

        private long unshownNanos;
        private boolean isBehind;
        /** Whether its revisions may be of a lost state of the database. */
        private boolean isInDoubt;

        void doubt() {
            isInDoubt = true;
            applied = 0;
            missedRevision = 0;
            unshownRevision = 0;
        }

        void heard(FencePeer heartbeat) {
            long revision = heartbeat.revision();
            isInDoubt &= !heartbeat.isOfThisState();
            if (!isInDoubt) {
                // A lower revision in a heartbeat shows that the database went back.
                applied = revision < reported ? revision : Math.max(applied, revision);
            }
            reported = revision;
        }

        boolean shows(long revision) {
            return applied >= revision;
        }

        void miss(long revision, long now) {
            missedRevision = revision;
            if (shows(unshownRevision)) {
                unshownRevision = revision;
                unshownNanos = now;
            } else {
                isBehind = now - unshownNanos >= BEHIND_AFTER.toNanos();
            }
        }
    }

    ClusterBarrier(Settings settings, Executor answering, Alarm alarm, Runnable ending, LongSupplier nanoTime) {
        this.settings = settings;
        this.answering = answering;
        this.alarm = alarm;
        this.ending = ending;
        this.nanoTime = nanoTime;
        this.markedNanos = nanoTime.getAsLong();
    }

    /** A barrier with its own thread, which runs while groups wait. Waits for no node before the first {@link #peers}. */
    public static ClusterBarrier open(Settings settings) {
        ScheduledThreadPoolExecutor thread = new ScheduledThreadPoolExecutor(1, task -> {
            Thread named = new Thread(task, "cairn-barrier");
            named.setDaemon(true);
            return named;
        });
        thread.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
        thread.allowCoreThreadTimeOut(true);
        return new ClusterBarrier(
                settings,
                thread,
                (nanos, task) -> thread.schedule(task, nanos, TimeUnit.NANOSECONDS),
                thread::shutdown,
                System::nanoTime);
    }

    void noticeBy(ObjLongConsumer<NodeId> sender) {
        notice = sender;
    }

    public void measuredBy(Measure other) {
        measure = other;
    }

    /** A node that shows more than is committed shows a lost state. */
    @Override
    public void begun(long lastRevision) {
        synchronized (lock) {
            for (Peer peer : peers.values()) {
                if (Math.max(peer.applied, peer.reported) > lastRevision) {
                    peer.doubt();
                }
            }
        }
    }

    @Override
    public void committed(long lastRevision, Runnable completion) {
        List<NodeId> notified;
        boolean answersHere;
        synchronized (lock) {
            committed = lastRevision;
            notified = receivers;
            answersHere = waiting.isEmpty() && due.isEmpty() && !isAnswering && waitsForNone(lastRevision);
            if (!answersHere) {
                long withinNanos = settings.within().toNanos();
                waiting.add(new Group(lastRevision, completion, nanoTime.getAsLong() + withinNanos));
                setAlarm(withinNanos);
            }
        }
        for (NodeId peer : notified) {
            notice.accept(peer, lastRevision);
        }
        if (answersHere) {
            if (settings.everywhere()) {
                measure.waited(0, true);
            }
            completion.run();
        } else {
            answer();
        }
    }

    @Override
    public Visibility visibility(long revision) {
        synchronized (lock) {
            int showing = 1;
            for (Peer peer : peers.values()) {
                showing += peer.shows(revision) ? 1 : 0;
            }
            return new Visibility(showing, 1 + peers.size());
        }
    }

    @GuardedBy("lock")
    private boolean waitsForNone(long revision) {
        if (closed || !settings.everywhere()) {
            return true;
        }
        for (Peer peer : peers.values()) {
            if (!peer.isBehind && !peer.shows(revision)) {
                return false;
            }
        }
        return true;
    }

    /** Sets the other nodes in service. Groups do not wait for absent nodes. */
    void peers(Collection<FencePeer> inService) {
        List<NodeId> newcomers = new ArrayList<>();
        List<NodeId> caughtUp = new ArrayList<>();
        long last;
        synchronized (lock) {
            mark();
            Map<NodeId, Peer> now = new HashMap<>();
            for (FencePeer each : inService) {
                Peer peer = peers.get(each.id());
                if (peer == null) {
                    peer = new Peer();
                    newcomers.add(each.id());
                }
                peer.heard(each);
                if (peer.isBehind
                        && !peer.isInDoubt
                        && each.revision() >= Math.max(peer.missedRevision, committedLongBefore)) {
                    peer.isBehind = false;
                    peer.unshownRevision = 0;
                    caughtUp.add(each.id());
                }
                now.put(each.id(), peer);
            }
            peers = now;
            receivers = List.copyOf(now.keySet());
            last = committed;
        }
        for (NodeId peer : caughtUp) {
            log.info("{} has caught up; publishes wait for it again", peer);
        }
        if (last > 0) {
            // The waiting writes were committed before it was in service, so it got no notice of them.
            newcomers.forEach(peer -> notice.accept(peer, last));
        }
        answer();
    }

    @GuardedBy("lock")
    private void mark() {
        long now = nanoTime.getAsLong();
        if (now - markedNanos >= MARK_NANOS) {
            committedLongBefore = committedBefore;
            committedBefore = committed;
            markedNanos = now;
        }
    }

    void applied(NodeId from, long revision) {
        synchronized (lock) {
            Peer peer = peers.get(from);
            if (peer == null || peer.isInDoubt || peer.shows(revision)) {
                return;
            }
            peer.applied = revision;
        }
        answer();
    }

    void wentBack() {
        synchronized (lock) {
            committed = 0;
            committedBefore = 0;
            committedLongBefore = 0;
            peers.values().forEach(Peer::doubt);
        }
    }

    private void timeUp() {
        List<NodeId> behind = new ArrayList<>();
        long revision = 0;
        synchronized (lock) {
            isAlarmSet = false;
            long now = nanoTime.getAsLong();
            for (Group first = waiting.peek(); first != null && now - first.dueNanos() >= 0; first = waiting.peek()) {
                waiting.remove();
                due.add(new Due(first, false));
                revision = first.revision();
                miss(revision, now, behind);
            }
            Group next = waiting.peek();
            if (next != null) {
                setAlarm(next.dueNanos() - now);
            }
        }
        for (NodeId peer : behind) {
            log.warn(
                    "{} does not show revision {}, nor one that was due more than {} ms ago; publishes are answered without"
                            + " it until its heartbeat has caught up",
                    peer,
                    revision,
                    BEHIND_AFTER.toMillis());
        }
        answer();
    }

    /** The groups are due in their order, so one alarm is enough. */
    @GuardedBy("lock")
    private void setAlarm(long nanos) {
        if (!isAlarmSet && !closed) {
            isAlarmSet = true;
            alarm.after(nanos, this::timeUp);
        }
    }

    @GuardedBy("lock")
    private void miss(long revision, long now, List<NodeId> behind) {
        peers.forEach((id, peer) -> {
            if (!peer.isBehind && !peer.shows(revision)) {
                peer.miss(revision, now);
                if (peer.isBehind) {
                    behind.add(id);
                }
            }
        });
    }

    private void answer() {
        synchronized (lock) {
            for (Group first = waiting.peek();
                    first != null && waitsForNone(first.revision());
                    first = waiting.peek()) {
                due.add(new Due(waiting.remove(), true));
            }
            if (due.isEmpty() || isAnswering) {
                return;
            }
            isAnswering = true;
        }
        try {
            answering.execute(this::answerDue);
        } catch (RejectedExecutionException e) {
            answerDue();
        }
    }

    private void answerDue() {
        for (Due each = nextDue(); each != null; each = nextDue()) {
            Group group = each.group();
            try {
                measure.waited(settings.within().toNanos() + nanoTime.getAsLong() - group.dueNanos(), each.isShown());
                group.completion().run();
            } catch (RuntimeException | Error e) {
                log.error("The callers of the writes up to revision {} were not all answered", group.revision(), e);
            }
        }
    }

    private @Nullable Due nextDue() {
        synchronized (lock) {
            Due next = due.poll();
            isAnswering = next != null;
            return next;
        }
    }

    /** Answers waiting callers, and later ones at once. Call it after the writer is closed. */
    @Override
    public void close() {
        synchronized (lock) {
            closed = true;
        }
        answer();
        ending.run();
    }
}
