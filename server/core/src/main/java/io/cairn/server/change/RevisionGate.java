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

/** Holds up reads until this node shows the revision that they ask for. Thread-safe; no thread waits. */
public final class RevisionGate {

    /** How many reads may wait; further ones are refused. */
    static final int MAX_WAITING = 10_000;

    private static final CompletionStage<Void> OPEN = CompletableFuture.completedFuture(null);

    private final RevisionFollower follower;
    private final Timer timer;
    private final Duration within;
    private final AtomicLong numbers = new AtomicLong();
    private final AtomicInteger waiting = new AtomicInteger();
    private final ConcurrentSkipListSet<Waiter> waiters = new ConcurrentSkipListSet<>(
            Comparator.comparingLong(Waiter::revision).thenComparingLong(Waiter::number));

    private record Waiter(long revision, long number, CompletableFuture<Void> shown) {}

    /** @param within the time that a read waits at most */
    public RevisionGate(RevisionFollower follower, Timer timer, Duration within) {
        this.follower = follower;
        this.timer = timer;
        this.within = within;
        follower.follow(this::open);
    }

    /**
     * As {@link #await}, for a revision as a request spells it.
     *
     * @throws CairnException {@code INVALID_PARAMETER} when it is no revision
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
     * Completes when this node shows every change up to the revision: at once, on the thread that applies changes, or
     * on the timer's thread. Run following work on another thread.
     *
     * @return fails with a {@link CairnException}: {@code BEHIND} after the time limit, {@code BUSY} when too many
     *     reads wait
     */
    public CompletionStage<Void> await(long revision) {
        if (follower.appliedRevision() >= revision) {
            return OPEN;
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
        // Checked once more: the revision may have been applied before the waiter was added.
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
            waiter.shown()
                    .completeExceptionally(new CairnException(
                            ErrorCode.BEHIND,
                            "this node shows revision " + follower.appliedRevision() + ", asked for "
                                    + waiter.revision() + "; try again or ask another node"));
        }
    }

    private boolean remove(Waiter waiter) {
        boolean removed = waiters.remove(waiter);
        if (removed) {
            waiting.decrementAndGet();
        }
        return removed;
    }

    /** The revision that this node shows; 0 before it knows one. */
    public long shown() {
        return Math.max(0, follower.appliedRevision());
    }

    /** How many reads wait at the moment. */
    public int waiting() {
        return waiting.get();
    }
}
