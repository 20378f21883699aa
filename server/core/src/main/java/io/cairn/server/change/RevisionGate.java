package io.cairn.server.change;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.wire.RevisionHeaders;
import io.netty.util.Timeout;
import io.netty.util.Timer;
import java.time.Duration;
import java.util.Comparator;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Delays reads until this node shows their revision. Refuses them at once while it has failed to follow for more than a moment,
 * such as without the database. No thread waits.
 */
public final class RevisionGate {

    /** Further reads are refused. */
    static final int MAX_WAITING = 10_000;

    private static final CompletionStage<Void> OPEN = CompletableFuture.completedFuture(null);

    private final RevisionFollower follower;
    private final Following following;
    private final Timer timer;
    private final Duration within;
    private final CatchUp catchUp;
    private final AtomicLong numbers = new AtomicLong();
    private final AtomicInteger waiting = new AtomicInteger();
    private final ConcurrentSkipListSet<Waiter> waiters = new ConcurrentSkipListSet<>(
            Comparator.comparingLong(Waiter::revision).thenComparingLong(Waiter::number));

    private record Waiter(long revision, long number, CompletableFuture<Void> shown) {}

    /**
     * @param within the longest wait
     * @param catchUp for reads without a revision
     */
    public RevisionGate(RevisionFollower follower, Following following, Timer timer, Duration within, CatchUp catchUp) {
        this.follower = follower;
        this.following = following;
        this.timer = timer;
        this.within = within;
        this.catchUp = catchUp;
        follower.follow(this::open);
    }

    /** For reads without a revision. */
    public CatchUp catchUp() {
        return catchUp;
    }

    /**
     * As {@link #await}, for a revision as text.
     *
     * @throws CairnException {@code INVALID_PARAMETER} for another text
     */
    public CompletionStage<Void> awaitText(String revision) {
        return await(read(revision));
    }

    private static long read(String text) {
        try {
            long revision = Long.parseLong(text.trim());
            if (revision >= 0) {
                return revision;
            }
        } catch (NumberFormatException e) {
            throw malformed(text, e);
        }
        throw malformed(text, null);
    }

    private static CairnException malformed(String text, @Nullable Throwable cause) {
        return new CairnException(
                ErrorCode.INVALID_PARAMETER,
                RevisionHeaders.MIN_REVISION + ": '" + text + "' (expected: a revision, a whole number from 0)",
                cause);
    }

    /**
     * Completes when this node shows every change up to the revision: at once, on the applying thread, or on the timer's. Run
     * further work elsewhere.
     *
     * @return fails with a {@link CairnException}: {@code BEHIND} after the limit, or at once while this node does not follow;
     *     {@code BUSY} for too many reads
     */
    public CompletionStage<Void> await(long revision) {
        if (follower.appliedRevision() >= revision) {
            return OPEN;
        }
        Following.State state = following.state();
        if (state.needsAttention()) {
            return CompletableFuture.failedFuture(behind(
                    revision,
                    "; it has not followed the changes for " + state.failing().toSeconds() + " s: " + state.cause()));
        }
        if (waiting.incrementAndGet() > MAX_WAITING) {
            waiting.decrementAndGet();
            return CompletableFuture.failedFuture(new CairnException(
                    ErrorCode.BUSY,
                    "Too many reads wait for a later revision (limit: " + MAX_WAITING + "); try again shortly"));
        }
        Waiter waiter = new Waiter(revision, numbers.incrementAndGet(), new CompletableFuture<>());
        waiters.add(waiter);
        Timeout timeout = timer.newTimeout(expired -> refuse(waiter), within.toNanos(), TimeUnit.NANOSECONDS);
        waiter.shown().whenComplete((done, failure) -> timeout.cancel());
        // Checked again: the revision may have been applied before the waiter was added.
        open(follower.appliedRevision());
        return waiter.shown();
    }

    private void open(long applied) {
        if (waiters.isEmpty()) {
            return;
        }
        Waiter upTo = new Waiter(applied, Long.MAX_VALUE, new CompletableFuture<>());
        for (Waiter waiter : waiters.headSet(upTo, true)) {
            if (remove(waiter)) {
                waiter.shown().complete(null);
            }
        }
    }

    private void refuse(Waiter waiter) {
        if (remove(waiter)) {
            waiter.shown().completeExceptionally(behind(waiter.revision(), "; try again or ask another node"));
        }
    }

    private CairnException behind(long revision, String more) {
        return new CairnException(
                ErrorCode.BEHIND,
                "this node shows revision " + follower.appliedRevision() + ", asked for " + revision + more);
    }

    private boolean remove(Waiter waiter) {
        boolean removed = waiters.remove(waiter);
        if (removed) {
            waiting.decrementAndGet();
        }
        return removed;
    }

    /** The shown revision; 0 if unknown. */
    public long shown() {
        return Math.max(0, follower.appliedRevision());
    }

    public int waiting() {
        return waiting.get();
    }
}
