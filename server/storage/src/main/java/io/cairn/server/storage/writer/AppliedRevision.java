package io.cairn.server.storage.writer;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.server.change.Following;
import io.cairn.server.change.RevisionFollower;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Joins the writer's commits with commits found by {@code ExternalChangePoller}. Commits of this node advance the revision at once
 * when no other node's lie before them; else they wait until these are read.
 */
public final class AppliedRevision implements RevisionFollower {

    /** Kept groups of own commits behind unread changes of other nodes. */
    private static final int MOST_RANGES = 10_000;

    private static final Logger log = LoggerFactory.getLogger(AppliedRevision.class);

    /** Known numbers of last commits, enough for a second at any database's rate. */
    private static final int KNOWN_COMMITS = 4_096;

    private final Clock clock;
    private final Following following = new Following();
    private final List<Listener> listeners = new CopyOnWriteArrayList<>();
    /** Revisions of own commits after the applied one: the one before the first, and the last. */
    @GuardedBy("this")
    private final TreeMap<Long, Long> own = new TreeMap<>();

    /** Calls of listeners to make; the thread that counts from 0 makes them. */
    private final AtomicInteger news = new AtomicInteger();

    @GuardedBy("this")
    private boolean isAlone;

    /** Whether memory must be compared with the database before its numbers count. */
    @GuardedBy("this")
    private boolean isUncertain = true;

    @GuardedBy("this")
    private boolean hasGoneBack;

    @GuardedBy("this")
    private long lastNotified = NONE;

    @GuardedBy("this")
    private @Nullable LogEntry lastLogged;

    /** The batches of commits seen since the last full comparison; a ring. */
    @GuardedBy("this")
    private final long[] commits = new long[KNOWN_COMMITS];

    @GuardedBy("this")
    private long commitCount;

    private volatile @Nullable LostCommits lostCommits;

    /** Written with this lock, read without it. */
    private volatile long applied = NONE;
    /** Written with this lock, read without it. */
    private volatile int epoch;

    private volatile Runnable onWake = () -> {};

    private final AwaitedCheck checks = new AwaitedCheck();

    /** A row of the change log: another state of the database has another batch at the revision. */
    public record LogEntry(long revision, long batch) {}

    /**
     * The database continued from an earlier state.
     *
     * @param before the last revision known here
     * @param now the database's revision at the discovery
     */
    public record LostCommits(long before, long now, Instant foundAt) {}

    AppliedRevision(Clock clock) {
        this.clock = clock;
    }

    public @Nullable LostCommits lostCommits() {
        return lostCommits;
    }

    @Override
    public void wake(long revision) {
        if (revision > applied) {
            onWake.run();
        }
    }

    @Override
    public long appliedRevision() {
        return applied;
    }

    public Following following() {
        return following;
    }

    @Override
    public void follow(Listener listener) {
        listeners.add(listener);
    }

    @Override
    public CompletionStage<Boolean> check() {
        synchronized (this) {
            if (isAlone) {
                return RevisionFollower.super.check();
            }
        }
        return checks.ask(onWake);
    }

    /** The callers that wait for the next read of the change log. */
    public AwaitedCheck checks() {
        return checks;
    }

    /** Called when there is anything to read; must not block. */
    public void onWake(Runnable wake) {
        onWake = wake;
    }

    /** Changes whenever the writer may have reached another database, or an earlier state. */
    public int epoch() {
        return epoch;
    }

    /**
     * Without other writers this node shows everything.
     *
     * @param revision of the database
     */
    public void alone(long revision) {
        synchronized (this) {
            isAlone = true;
            applied = revision;
        }
        notifyListeners();
    }

    /** The writer has reconnected: earlier numbers mean nothing before a full comparison. */
    public synchronized void reconnected() {
        if (!isAlone) {
            begin();
        }
    }

    private synchronized void begin() {
        epoch++;
        isUncertain = true;
        own.clear();
        commitCount = 0;
    }

    @Override
    public synchronized long lastCommit() {
        LogEntry last = lastLogged;
        return isUncertain || last == null ? NO_COMMIT : last.batch();
    }

    @Override
    public synchronized boolean hasSeen(long commit) {
        int known = (int) Math.min(commitCount, KNOWN_COMMITS);
        for (int i = 0; i < known; i++) {
            if (commits[i] == commit) {
                return commit != NO_COMMIT;
            }
        }
        return false;
    }

    @GuardedBy("this")
    private void note(LogEntry entry) {
        commits[(int) (commitCount++ % KNOWN_COMMITS)] = entry.batch();
        if (lastLogged == null || entry.revision() > lastLogged.revision()) {
            lastLogged = entry;
        }
    }

    /** This node is about to commit after that last revision of the database. */
    synchronized void begun(long before) {
        if (!isAlone && !isUncertain && before < applied) {
            // The database issues earlier revisions again.
            begin();
        }
    }

    /**
     * This node has committed and shows the revisions after {@code before} up to {@code last}.
     *
     * @param before the database's last revision before the commit
     * @param batch in its rows of the change log
     */
    void committed(long before, long last, long batch) {
        boolean isAdvanced;
        synchronized (this) {
            if (!isUncertain) {
                note(new LogEntry(last, batch));
            }
            isAdvanced = isAlone || !isUncertain && before == applied;
            if (isAdvanced) {
                applied = last;
            } else if (!isUncertain) {
                Map.Entry<Long, Long> previous = own.lastEntry();
                if (previous != null && previous.getValue() == before) {
                    previous = own.pollLastEntry();
                    own.put(previous.getKey(), last);
                } else if (own.size() < MOST_RANGES) {
                    own.put(before, last);
                }
            }
        }
        if (isAdvanced) {
            notifyListeners();
        } else {
            onWake.run();
        }
    }

    public synchronized boolean isOwn(long revision) {
        Map.Entry<Long, Long> range = own.lowerEntry(revision);
        return range != null && revision <= range.getValue();
    }

    /** Everything up to the revision is shown, if it was before. */
    public void followed(long revision, int ofEpoch) {
        synchronized (this) {
            if (ofEpoch != epoch || isUncertain || revision <= applied) {
                return;
            }
            applied = revision;
            passOwn();
        }
        notifyListeners();
    }

    /**
     * Everything was compared at that revision of the database.
     *
     * @param entry the change log's row of the revision, or null
     * @param hasLost whether the database lost commits known here
     */
    public void compared(long revision, @Nullable LogEntry entry, boolean hasLost, int ofEpoch) {
        synchronized (this) {
            if (ofEpoch != epoch) {
                return;
            }
            isUncertain = false;
            // Earlier ones may be of a lost state; the others are read again.
            own.clear();
            commitCount = 0;
            lastLogged = null;
            if (entry != null) {
                note(entry);
            }
            if (hasLost) {
                lostCommits = new LostCommits(applied, revision, clock.instant());
                hasGoneBack = true;
            } else if (revision == applied) {
                return;
            }
            applied = revision;
        }
        notifyListeners();
    }

    /** The last written or read row of the change log, or null. */
    public synchronized @Nullable LogEntry lastLogged() {
        return lastLogged;
    }

    /** Notes the last row of a commit in the change log. */
    public synchronized void logged(LogEntry entry, int ofEpoch) {
        if (ofEpoch == epoch && !isUncertain) {
            note(entry);
        }
    }

    @GuardedBy("this")
    private void passOwn() {
        while (!own.isEmpty() && own.firstKey() <= applied) {
            applied = Math.max(applied, own.pollFirstEntry().getValue());
        }
    }

    private void notifyListeners() {
        if (news.getAndIncrement() > 0) {
            return;
        }
        int notified = 1;
        do {
            long now;
            boolean back;
            boolean isNew;
            synchronized (this) {
                now = applied;
                back = hasGoneBack;
                isNew = back || now != lastNotified;
                hasGoneBack = false;
                lastNotified = now;
            }
            if (isNew) {
                listeners.forEach(listener -> notifyListener(listener, now, back));
            }
            notified = news.addAndGet(-notified);
        } while (notified > 0);
    }

    private static void notifyListener(Listener listener, long revision, boolean isBack) {
        try {
            if (isBack) {
                listener.wentBack(revision);
            } else {
                listener.applied(revision);
            }
        } catch (RuntimeException e) {
            log.error("A listener of applied revisions failed on a defect of the server", e);
        }
    }
}
