package io.cairn.server.cluster.fence;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.server.change.CommitFence;
import io.cairn.server.change.Visibility;
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
 * Answers the callers of a committed group when every other node in service shows it, or after a time limit. A node that still does
 * not show a revision a second after it has missed the limit is behind: nothing waits for it until its heartbeat has caught up. One
 * thread answers all groups and measures the limit; a group costs one entry, however many callers it has. Thread-safe.
 */
public final class ClusterFence implements CommitFence, AutoCloseable {

    /** A short pause of either node makes many groups miss the limit at once, and is over before this time. */
    static final Duration BEHIND_AFTER = Duration.ofSeconds(1);

    /** A heartbeat is compared with what was committed before the heartbeat of the second before: it is under way for up to 1 s. */
    private static final long MARK_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final int IDLE_SECONDS = 10;

    private static final Logger log = LoggerFactory.getLogger(ClusterFence.class);

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

    /** The last revision that was committed at the two last times that are a second apart. */
    @GuardedBy("lock")
    private long committedBefore;

    @GuardedBy("lock")
    private long committedLongBefore;

    @GuardedBy("lock")
    private long markedNanos;

    /**
     * @param everywhere whether callers are answered when other nodes show their writes; otherwise when this node does
     * @param within the time after which they are answered at the latest
     */
    public record Settings(boolean everywhere, Duration within) {}

    /** Calls a task once, later, on another thread. Called with the lock of the fence held. */
    interface Alarm {
        void after(long nanos, Runnable task);
    }

    /** Gets how long each group has waited, on the thread that answers it. Returns at once. */
    @FunctionalInterface
    public interface Measure {
        /** @param isShown false when the group was answered because its time was over */
        void waited(long nanos, boolean isShown);
    }

    private record Group(long revision, Runnable completion, long dueNanos) {}

    private record Due(Group group, boolean isShown) {}

    /** Used with the lock of the fence held. */
    private static final class Peer {

        private long applied;
        /** As its last heartbeat says. */
        private long reported;

        /** The last one that it has missed. */
        private long missedRevision;
        /** One that it has missed and does not show yet, as far as {@link #applied} says; with the time at which it has missed it. */
        private long unshownRevision;

        private long unshownNanos;
        private boolean isBehind;

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

    ClusterFence(Settings settings, Executor answering, Alarm alarm, Runnable ending, LongSupplier nanoTime) {
        this.settings = settings;
        this.answering = answering;
        this.alarm = alarm;
        this.ending = ending;
        this.nanoTime = nanoTime;
        this.markedNanos = nanoTime.getAsLong();
    }

    /** A fence with a thread of its own, which runs while groups wait, and ends when none has come for a while. It waits for no node before the first {@link #peers}. */
    public static ClusterFence open(Settings settings) {
        ScheduledThreadPoolExecutor thread = new ScheduledThreadPoolExecutor(1, task -> {
            Thread named = new Thread(task, "cairn-fence");
            named.setDaemon(true);
            return named;
        });
        thread.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
        thread.allowCoreThreadTimeOut(true);
        return new ClusterFence(
                settings,
                thread,
                (nanos, task) -> thread.schedule(task, nanos, TimeUnit.NANOSECONDS),
                thread::shutdown,
                System::nanoTime);
    }

    /** Has other nodes notified of each revision by this consumer, which returns at once. */
    void noticeBy(ObjLongConsumer<NodeId> sender) {
        notice = sender;
    }

    /** Has each wait measured, of a fence that waits for other nodes. */
    public void measuredBy(Measure other) {
        measure = other;
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

    /** The other nodes in service now. A node that is not among them any more is not waited for. */
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
                // A heartbeat that says less than the one before has seen the database go back.
                peer.applied =
                        each.revision() < peer.reported ? each.revision() : Math.max(peer.applied, each.revision());
                peer.reported = each.revision();
                if (peer.isBehind && each.revision() >= Math.max(peer.missedRevision, committedLongBefore)) {
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
            // The writes that wait were committed before it was in service, so it was not notified of them.
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

    /** Another node shows all changes up to that revision. */
    void applied(NodeId from, long revision) {
        synchronized (lock) {
            Peer peer = peers.get(from);
            if (peer == null || peer.shows(revision)) {
                return;
            }
            peer.applied = revision;
        }
        answer();
    }

    /** The database has gone back to an earlier state: the numbers of revisions begin to repeat. */
    void wentBack() {
        synchronized (lock) {
            committed = 0;
            committedBefore = 0;
            committedLongBefore = 0;
            for (Peer peer : peers.values()) {
                peer.applied = 0;
                peer.missedRevision = 0;
                peer.unshownRevision = 0;
            }
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

    /** Has the callers answered of all groups that wait for no node any more. */
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
            // Closed meanwhile.
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

    /** Answers all callers that wait, and later ones at once. To be closed after the writer. */
    @Override
    public void close() {
        synchronized (lock) {
            closed = true;
        }
        answer();
        ending.run();
    }
}
