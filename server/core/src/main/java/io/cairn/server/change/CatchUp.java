package io.cairn.server.change;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.netty.util.Timeout;
import io.netty.util.Timer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Delays reads and listens for a read of the store where this node may show less than their clients have seen at another node: when
 * another node shows more, or this node has not read for some seconds, as after a pause. One read serves all earlier requests.
 * Without it, a read is answered with the age of the shown state. No thread waits.
 */
public final class CatchUp {

    /** The longest wait of a read or listen. */
    public static final Duration WITHIN = Duration.ofMillis(500);

    /** Further ones are answered at once. */
    static final int MAX_WAITING = 10_000;

    /** For a database without other writers, which is always current. */
    public static final CatchUp NOT_NEEDED = new CatchUp();

    private static final CompletableFuture<Long> NOT_OLD = CompletableFuture.completedFuture(0L);
    private static final CompletableFuture<Boolean> NOT_CHECKED = CompletableFuture.completedFuture(false);

    private final @Nullable Sources sources;
    private final long followsWithinNanos;
    private final long noticeWithinNanos;
    private final LongSupplier nanoTime;
    private final AtomicInteger waiting = new AtomicInteger();

    /** A revision shown elsewhere that this node has not read since. */
    private volatile Seen elsewhere = Seen.NOTHING;

    /** The first noticed and unshown commit of another node. */
    private volatile Seen notified = Seen.NOTHING;

    private volatile BooleanSupplier mayLackChanges = () -> false;

    @GuardedBy("this")
    private @Nullable Check last;

    /** @param isAway whether the store does not answer */
    public record Sources(RevisionFollower follower, Following following, BooleanSupplier isAway, Timer timer) {}

    /**
     * @param followsWithin the longest interval of reads of the store, unless this node was paused or is hindered
     * @param noticeWithin until a commit of another node is shown here; its caller may be answered after that time
     */
    public record Settings(Duration followsWithin, Duration noticeWithin) {}

    private record Seen(long revision, long nanos) {

        private static final Seen NOTHING = new Seen(RevisionFollower.NONE, 0);
    }

    /**
     * A read of the store with its waiters.
     *
     * @param askedNanos of the first waiter; the read begins later
     * @param shown completed with the read, or with false when it takes too long
     */
    private record Check(CompletableFuture<Boolean> check, long askedNanos, CompletableFuture<Boolean> shown) {}

    public CatchUp(Sources sources, Settings settings) {
        this(sources, settings, System::nanoTime);
    }

    CatchUp(Sources sources, Settings settings, LongSupplier nanoTime) {
        this.sources = sources;
        this.followsWithinNanos = settings.followsWithin().toNanos();
        this.noticeWithinNanos = settings.noticeWithin().toNanos();
        this.nanoTime = nanoTime;
        sources.follower().follow(new RevisionFollower.Listener() {
            @Override
            public void applied(long revision) {
                // Reads compare with it themselves.
            }

            @Override
            public void wentBack(long revision) {
                forget();
            }
        });
    }

    private CatchUp() {
        this.sources = null;
        this.followsWithinNanos = 0;
        this.noticeWithinNanos = 0;
        this.nanoTime = System::nanoTime;
    }

    /** @param supplier whether other nodes may have gone on without this one, so that the last revisions elsewhere are old */
    public void mayLackChanges(BooleanSupplier supplier) {
        mayLackChanges = supplier;
    }

    /** The highest revision in the last heartbeats of other nodes. */
    public synchronized void shownElsewhere(long revision) {
        elsewhere = new Seen(revision, nanoTime.getAsLong());
    }

    /** Another node has just committed this revision. */
    public synchronized void committedElsewhere(long revision) {
        if (sources != null
                && revision > sources.follower().appliedRevision()
                && notified.revision() <= sources.follower().appliedRevision()) {
            notified = new Seen(revision, nanoTime.getAsLong());
        }
    }

    private synchronized void forget() {
        elsewhere = Seen.NOTHING;
        notified = Seen.NOTHING;
    }

    /** Whether a read may be answered at once, else by {@link #beforeRead}. Costs three reads of memory and a read of the clock. */
    public boolean isInStep() {
        if (sources == null) {
            return true;
        }
        long applied = sources.follower().appliedRevision();
        return applied >= elsewhere.revision() && applied >= notified.revision() && !isLong(sources);
    }

    /** Whether the last read is older than the interval of heartbeats. */
    private boolean isLong(Sources of) {
        return nanoTime.getAsLong() - of.following().asOfNanos() > followsWithinNanos;
    }

    /**
     * Reads the store, where this node may show less than another.
     *
     * @return completes with 0 when this node shows everything stored at the call, as far as it knows, else with the seconds in
     *     which it may have missed changes. Completes at once, on the thread that follows the store, or on the timer's: run further
     *     work elsewhere
     */
    public CompletionStage<Long> beforeRead() {
        Sources of = sources;
        if (of == null || isInStep() || !isDue(of)) {
            return NOT_OLD;
        }
        if (of.isAway().getAsBoolean()) {
            return isBehind(of) || mayLackChanges.getAsBoolean() ? CompletableFuture.completedFuture(age(of)) : NOT_OLD;
        }
        return check(of, false).thenApply(isShown -> isShown ? 0L : age(of));
    }

    /** A notice alone is just about to be followed. */
    private boolean isDue(Sources of) {
        return isBehind(of) || isLong(of);
    }

    private boolean isBehind(Sources of) {
        long applied = of.follower().appliedRevision();
        Seen first = notified;
        return applied < elsewhere.revision()
                || applied < first.revision() && nanoTime.getAsLong() - first.nanos() >= noticeWithinNanos;
    }

    private long age(Sources of) {
        return 1
                + TimeUnit.NANOSECONDS.toSeconds(
                        nanoTime.getAsLong() - of.following().asOfNanos());
    }

    /**
     * Reads the store for a client with another content, perhaps from another node.
     *
     * @return completes with true when this node shows everything stored at the call, with false after {@link #WITHIN}, or at once
     *     without any use. Threads as in {@link #beforeRead}
     */
    public CompletionStage<Boolean> beforeListen() {
        Sources of = sources;
        return of == null || of.isAway().getAsBoolean() ? NOT_CHECKED : check(of, true);
    }

    /** @param waitsAgain whether to wait for a read whose earlier waiters timed out */
    private CompletionStage<Boolean> check(Sources of, boolean waitsAgain) {
        CompletableFuture<Boolean> shown = shown(of, waitsAgain);
        if (shown.isDone()) {
            return shown;
        }
        if (waiting.incrementAndGet() > MAX_WAITING) {
            waiting.decrementAndGet();
            return NOT_CHECKED;
        }
        return shown.whenComplete((isShown, failure) -> waiting.decrementAndGet());
    }

    private synchronized CompletableFuture<Boolean> shown(Sources of, boolean waitsAgain) {
        CompletableFuture<Boolean> check = of.follower().check().toCompletableFuture();
        Check present = last;
        if (present != null
                && present.check() == check
                && (!waitsAgain || check.isDone() || !present.shown().isDone())) {
            return present.shown();
        }
        Check next = new Check(check, nanoTime.getAsLong(), new CompletableFuture<>());
        last = next;
        Timeout timeout =
                of.timer().newTimeout(expired -> next.shown().complete(false), WITHIN.toNanos(), TimeUnit.NANOSECONDS);
        check.thenAccept(isShown -> {
            timeout.cancel();
            if (isShown) {
                checked(next.askedNanos());
            }
            next.shown().complete(isShown);
        });
        return next.shown();
    }

    /** The revisions named until then are shown, or no longer stored. */
    private synchronized void checked(long askedNanos) {
        if (elsewhere.nanos() - askedNanos <= 0) {
            elsewhere = Seen.NOTHING;
        }
        if (notified.nanos() - askedNanos <= 0) {
            notified = Seen.NOTHING;
        }
    }

    public int waiting() {
        return waiting.get();
    }
}
