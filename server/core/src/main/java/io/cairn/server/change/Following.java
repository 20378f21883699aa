package io.cairn.server.change;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Whether and for how long a part of this node follows the store or fails. The part notes each attempt with its outcome. A step
 * beyond {@link #PATIENCE} counts as a failure from its begin.
 */
public final class Following {

    /** A longer failure needs attention. */
    public static final Duration PATIENCE = Duration.ofSeconds(3);

    /** A step beyond it waits for the database. */
    private static final Duration BRIEF = Duration.ofMillis(500);

    private final LongSupplier nanoTime;

    @GuardedBy("this")
    private long attemptNanos;

    /** The present step; null without one, and between attempts. */
    @GuardedBy("this")
    private @Nullable String step;

    @GuardedBy("this")
    private long stepNanos;

    @GuardedBy("this")
    private @Nullable Long failingSince;

    @GuardedBy("this")
    private String cause = "";

    /** Null during a failure, and before the first success. */
    @GuardedBy("this")
    private @Nullable Long followingSince;

    /** The begin of the last successful full comparison. */
    @GuardedBy("this")
    private @Nullable Long comparedNanos;

    @GuardedBy("this")
    private boolean isComparisonAsked;

    /** Written with this lock, read without it. */
    private volatile long asOfNanos;

    private volatile Runnable onAsk = () -> {};

    public Following() {
        this(System::nanoTime);
    }

    /** @param nanoTime as {@link System#nanoTime} */
    public Following(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        this.asOfNanos = nanoTime.getAsLong();
    }

    /**
     * @param failing zero while it follows
     * @param following without a failure; zero while it fails, and before the first success
     * @param sinceCompared since the last successful full comparison, or null
     * @param cause of the failure, or empty
     */
    public record State(
            Duration failing, Duration following, @Nullable Duration sinceCompared, String cause) {

        public boolean needsAttention() {
            return failing.compareTo(PATIENCE) > 0;
        }
    }

    /** An attempt begins. */
    public synchronized void attempt() {
        attemptNanos = nanoTime.getAsLong();
    }

    /**
     * The next step begins.
     *
     * @param name such as {@code reading the change log}
     */
    public synchronized void step(String name) {
        long now = nanoTime.getAsLong();
        endStep(now);
        step = name;
        stepNanos = now;
    }

    @GuardedBy("this")
    private void endStep(long now) {
        if (step != null && now - stepNanos > PATIENCE.toNanos()) {
            followingSince = null;
        }
        step = null;
    }

    /**
     * The attempt has succeeded, and its results are shown.
     *
     * @param hasCompared whether it has compared everything stored
     */
    public synchronized void followed(boolean hasCompared) {
        long now = nanoTime.getAsLong();
        endStep(now);
        asOfNanos = attemptNanos;
        failingSince = null;
        cause = "";
        if (followingSince == null) {
            followingSince = now;
        }
        if (hasCompared) {
            comparedNanos = attemptNanos;
            isComparisonAsked = false;
        }
    }

    /**
     * The attempt has failed.
     *
     * @param why in one line
     */
    public synchronized void failed(String why) {
        long begun = step == null ? attemptNanos : stepNanos;
        endStep(nanoTime.getAsLong());
        followingSince = null;
        cause = why;
        if (failingSince == null) {
            failingSince = begun;
        }
    }

    public synchronized State state() {
        long now = nanoTime.getAsLong();
        Duration compared = comparedNanos == null ? null : Duration.ofNanos(now - comparedNanos);
        Duration inStep = step == null ? Duration.ZERO : Duration.ofNanos(now - stepNanos);
        if (failingSince != null) {
            return new State(Duration.ofNanos(Math.max(1, now - failingSince)), Duration.ZERO, compared, cause);
        }
        if (inStep.compareTo(PATIENCE) > 0) {
            return new State(inStep, Duration.ZERO, compared, step + " takes long");
        }
        Duration following = followingSince == null ? Duration.ZERO : Duration.ofNanos(now - followingSince);
        return new State(Duration.ZERO, following, compared, "");
    }

    /**
     * Whether the stored state is unknown: the last attempt has failed, or a step has taken more than half a second.
     * {@linkplain #state() State} has lasting failures.
     */
    public synchronized boolean isWaiting() {
        return failingSince != null || step != null && nanoTime.getAsLong() - stepNanos > BRIEF.toNanos();
    }

    /** The begin of the last successful attempt, as {@link System#nanoTime}, or the start. Everything stored then is shown. */
    public long asOfNanos() {
        return asOfNanos;
    }

    /** Requests a full comparison, because another node fails: it shows whether this one can follow. Never blocks. */
    public void askComparison() {
        synchronized (this) {
            isComparisonAsked = true;
        }
        onAsk.run();
    }

    public synchronized boolean isComparisonAsked() {
        return isComparisonAsked;
    }

    /** @param wake called for a requested comparison; must not block */
    public void onAsk(Runnable wake) {
        onAsk = wake;
    }
}
