package io.cairn.server.auth.issuer;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.netty.util.Timeout;
import io.netty.util.Timer;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The present keys of an issuer. They are read at the start, again before they are old, and when a token needs another key, for
 * this at most once in 30 s. When the issuer cannot be reached, the known keys stay. Thread-safe; never blocks.
 */
final class IssuerKeys implements AutoCloseable {

    /** Between two questions for unknown keys, and after a failure. */
    static final Duration PAUSE = Duration.ofSeconds(30);

    private static final Logger log = LoggerFactory.getLogger(IssuerKeys.class);

    private final String issuer;
    private final Supplier<CompletionStage<VerificationKeys>> fetch;
    private final Duration lifetime;
    private final Runnable withdrawn;
    private final Timer timer;
    private final Clock clock;
    private final LongSupplier nanoTime;
    private volatile VerificationKeys present = VerificationKeys.NONE;
    private volatile @Nullable Away away;

    @GuardedBy("this")
    private @Nullable CompletableFuture<Void> asking;

    @GuardedBy("this")
    private long nextQuestionNanos;

    @GuardedBy("this")
    private @Nullable Timeout next;

    @GuardedBy("this")
    private boolean closed;

    /**
     * The issuer has not been reached.
     *
     * @param sinceMillis epoch milliseconds
     */
    record Away(long sinceMillis, String cause) {}

    /** @param withdrawn runs when the issuer no longer publishes a key that it has published */
    IssuerKeys(
            String issuer,
            Supplier<CompletionStage<VerificationKeys>> fetch,
            Duration lifetime,
            Runnable withdrawn,
            Timer timer,
            Clock clock,
            LongSupplier nanoTime) {
        this.issuer = issuer;
        this.fetch = fetch;
        this.lifetime = lifetime;
        this.withdrawn = withdrawn;
        this.timer = timer;
        this.clock = clock;
        this.nanoTime = nanoTime;
        this.nextQuestionNanos = nanoTime.getAsLong();
    }

    void start() {
        ask();
    }

    VerificationKeys present() {
        return present;
    }

    /** Null while the last answer was good. */
    @Nullable
    Away away() {
        return away;
    }

    /** Asks for an unknown key, or joins the question under way; null when the next question must wait. */
    synchronized @Nullable CompletionStage<Void> askForUnknown() {
        CompletableFuture<Void> underWay = asking;
        if (underWay != null) {
            return underWay;
        }
        long now = nanoTime.getAsLong();
        if (closed || now - nextQuestionNanos < 0) {
            return null;
        }
        nextQuestionNanos = now + PAUSE.toNanos();
        return ask();
    }

    private synchronized CompletableFuture<Void> ask() {
        CompletableFuture<Void> answered = new CompletableFuture<>();
        asking = answered;
        fetch.get().whenComplete((keys, failure) -> {
            if (failure == null) {
                use(keys);
            } else {
                failed(failure);
            }
            ended(failure == null ? lifetime : PAUSE);
            answered.complete(null);
        });
        return answered;
    }

    private void use(VerificationKeys keys) {
        VerificationKeys before = present;
        present = keys;
        Away was = away;
        away = null;
        if (was != null) {
            log.info("The keys of the issuer {} can be read again", issuer);
        }
        if (!keys.includes(before)) {
            withdrawn.run();
        }
    }

    private void failed(Throwable failure) {
        Throwable cause = failure;
        while (cause instanceof CompletionException && cause.getCause() != null) {
            cause = cause.getCause();
        }
        String text = cause.getMessage() == null ? cause.toString() : cause.getMessage();
        Away before = away;
        away = new Away(before == null ? clock.millis() : before.sinceMillis, text);
        if (before == null) {
            log.warn(
                    "The keys of the issuer {} cannot be read: {}. {} The next attempt is in {} s",
                    issuer,
                    text,
                    present.isEmpty() ? "Its tokens are refused until then." : "The known keys stay in use.",
                    PAUSE.toSeconds());
        }
    }

    private synchronized void ended(Duration pause) {
        asking = null;
        Timeout planned = next;
        if (planned != null) {
            planned.cancel();
        }
        if (!closed) {
            next = timer.newTimeout(due -> askIfIdle(), pause.toMillis(), TimeUnit.MILLISECONDS);
        }
    }

    private synchronized void askIfIdle() {
        if (asking == null && !closed) {
            ask();
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        Timeout planned = next;
        if (planned != null) {
            planned.cancel();
        }
    }
}
