package io.cairn.server.storage;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.server.change.RevisionFollower;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Puts together what the writer has committed and what {@link ExternalChangePoller} has followed. Commits of this node
 * advance the revision at once when nothing of another node lies before them; otherwise they wait until that has been
 * read. Thread-safe.
 */
public final class AppliedRevision implements RevisionFollower {

    /** Groups of own commits that are kept while changes of other nodes before them are not read yet. */
    private static final int MOST_RANGES = 10_000;

    private static final Logger log = LoggerFactory.getLogger(AppliedRevision.class);

    private final Clock clock;
    private final List<Listener> listeners = new CopyOnWriteArrayList<>();
    /** Revisions of own commits after the applied one: the one before the first, and the last. */
    @GuardedBy("this")
    private final TreeMap<Long, Long> own = new TreeMap<>();

    /** How often a listener is to be called; the thread that counts from 0 calls them. */
    private final AtomicInteger news = new AtomicInteger();

    @GuardedBy("this")
    private boolean isAlone;

    /** Whether memory must be compared with the database before a number of it means anything. */
    @GuardedBy("this")
    private boolean isUncertain = true;

    @GuardedBy("this")
    private boolean hasGoneBack;

    @GuardedBy("this")
    private long lastTold = NONE;

    /** The last row of the change log that this node has written or read. */
    @GuardedBy("this")
    private @Nullable LogEntry lastLogged;

    private volatile @Nullable LostCommits lostCommits;

    /** Written with the lock of this object, read without it. */
    private volatile long applied = NONE;
    /** Written with the lock of this object, read without it. */
    private volatile int epoch;

    private volatile Runnable onWake = () -> {};

    /** A row of the change log: another state of the same database has another batch at the revision. */
    record LogEntry(long revision, long batch) {}

    /**
     * The database went on from an earlier state.
     *
     * @param before the last revision that this node knew
     * @param now the revision of the database when this node found it out
     * @param foundAt when this node found it out
     */
    public record LostCommits(long before, long now, Instant foundAt) {}

    AppliedRevision(Clock clock) {
        this.clock = clock;
    }

    /** The last time that the database had lost commits; null when it has not since the start. */
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

    @Override
    public void follow(Listener listener) {
        listeners.add(listener);
    }

    /** Calls this when there is something to read; it must not block. */
    void onWake(Runnable wake) {
        onWake = wake;
    }

    /** Changes whenever the writer may have reached another database, or an earlier state of the same one. */
    int epoch() {
        return epoch;
    }

    /**
     * No other node writes to the database, so this node shows all of it.
     *
     * @param revision the present one of the database
     */
    public void alone(long revision) {
        synchronized (this) {
            isAlone = true;
            applied = revision;
        }
        tell();
    }

    /** The writer has opened a connection again: until everything was compared, numbers of before mean nothing. */
    synchronized void reconnected() {
        if (!isAlone) {
            begin();
        }
    }

    private synchronized void begin() {
        epoch++;
        isUncertain = true;
        own.clear();
    }

    /**
     * This node has committed and shows the revisions after {@code before} up to {@code last}.
     *
     * @param before the last revision of the database before the commit
     * @param batch stands in its rows of the change log
     */
    void committed(long before, long last, long batch) {
        boolean isAdvanced;
        synchronized (this) {
            if (!isUncertain && (lastLogged == null || last > lastLogged.revision())) {
                lastLogged = new LogEntry(last, batch);
            }
            if (!isAlone && !isUncertain && before < applied) {
                // The database gave out revisions once more that it had given out before.
                begin();
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
            tell();
        } else {
            onWake.run();
        }
    }

    /** Whether this node has committed the revision and shows it. */
    synchronized boolean isOwn(long revision) {
        Map.Entry<Long, Long> range = own.lowerEntry(revision);
        return range != null && revision <= range.getValue();
    }

    /** Everything up to the revision is shown, provided that it was before. */
    void followed(long revision, int ofEpoch) {
        synchronized (this) {
            if (ofEpoch != epoch || isUncertain || revision <= applied) {
                return;
            }
            applied = revision;
            passOwn();
        }
        tell();
    }

    /**
     * Everything was compared after the database had come to that revision.
     *
     * @param entry the row of the change log of that revision; null where there is none
     * @param hasLost whether the database has lost commits that this node knew
     */
    void compared(long revision, @Nullable LogEntry entry, boolean hasLost, int ofEpoch) {
        synchronized (this) {
            if (ofEpoch != epoch) {
                return;
            }
            isUncertain = false;
            // Those of before may be of a state that the database has lost; the others are read again.
            own.clear();
            lastLogged = entry;
            if (hasLost) {
                lostCommits = new LostCommits(applied, revision, clock.instant());
                hasGoneBack = true;
            } else if (revision == applied) {
                return;
            }
            applied = revision;
        }
        tell();
    }

    /** The last row of the change log that this node has written or read; null for none. */
    synchronized @Nullable LogEntry lastLogged() {
        return lastLogged;
    }

    /** Notes the last row that was read of the change log. */
    synchronized void logged(LogEntry entry, int ofEpoch) {
        if (ofEpoch == epoch && (lastLogged == null || entry.revision() > lastLogged.revision())) {
            lastLogged = entry;
        }
    }

    @GuardedBy("this")
    private void passOwn() {
        while (!own.isEmpty() && own.firstKey() <= applied) {
            applied = Math.max(applied, own.pollFirstEntry().getValue());
        }
    }

    private void tell() {
        if (news.getAndIncrement() > 0) {
            return;
        }
        int told = 1;
        do {
            long now;
            boolean back;
            boolean isNew;
            synchronized (this) {
                now = applied;
                back = hasGoneBack;
                isNew = back || now != lastTold;
                hasGoneBack = false;
                lastTold = now;
            }
            if (isNew) {
                listeners.forEach(listener -> tell(listener, now, back));
            }
            told = news.addAndGet(-told);
        } while (told > 0);
    }

    private static void tell(Listener listener, long revision, boolean isBack) {
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
