package io.cairn.server.storage;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.server.change.RevisionFollower;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
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

    /** Written with the lock of this object, read without it. */
    private volatile long applied = NONE;
    /** Written with the lock of this object, read without it. */
    private volatile int epoch;

    private volatile Runnable onWake = () -> {};

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

    @GuardedBy("this")
    private void begin() {
        epoch++;
        isUncertain = true;
        own.clear();
    }

    /**
     * This node has committed and shows the revisions after {@code before} up to {@code last}.
     *
     * @param before the last revision of the database before the commit
     */
    void committed(long before, long last) {
        boolean isAdvanced;
        synchronized (this) {
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

    /** Everything was compared after the database had come to that revision. */
    void compared(long revision, int ofEpoch) {
        synchronized (this) {
            if (ofEpoch != epoch) {
                return;
            }
            isUncertain = false;
            // Those of before may be of a state that the database has lost; the others are read again.
            own.clear();
            if (revision == applied) {
                return;
            }
            hasGoneBack |= revision < applied;
            applied = revision;
        }
        tell();
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
