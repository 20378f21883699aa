package io.cairn.server.config.history;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.server.node.ClusterDuty;
import io.netty.util.Timeout;
import io.netty.util.Timer;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes history entries beyond the retention period, in small writes that share transactions with publishes, so that publishes do
 * not wait.
 */
public final class HistoryRetention implements AutoCloseable {

    /** Few, so that later publishes wait for milliseconds. */
    static final int BATCH = 100;

    private static final Duration FIRST = Duration.ofMinutes(1);
    private static final Duration PAUSE = Duration.ofMinutes(10);
    private static final Logger log = LoggerFactory.getLogger(HistoryRetention.class);

    private final HistoryStore store;
    private final Duration kept;
    private final Clock clock;
    private final Timer timer;
    private final ClusterDuty duty;

    @GuardedBy("this")
    private @Nullable Timeout next;

    @GuardedBy("this")
    private boolean closed;

    /** For a single server. */
    public HistoryRetention(HistoryStore store, Duration kept, Clock clock, Timer timer) {
        this(store, kept, clock, timer, ClusterDuty.ALONE);
    }

    /**
     * @param kept how long an entry is kept
     * @param duty whether this node deletes for all
     */
    public HistoryRetention(HistoryStore store, Duration kept, Clock clock, Timer timer, ClusterDuty duty) {
        this.duty = duty;
        this.store = store;
        this.kept = kept;
        this.clock = clock;
        this.timer = timer;
    }

    /** First in a minute, then every ten minutes. */
    public void start() {
        schedule(FIRST);
    }

    private synchronized void schedule(Duration pause) {
        if (!closed) {
            next = timer.newTimeout(fired -> cleanAndRepeat(), pause.toMillis(), TimeUnit.MILLISECONDS);
        }
    }

    private void cleanAndRepeat() {
        if (!duty.isMine()) {
            schedule(PAUSE);
            return;
        }
        clean().whenComplete((count, failure) -> {
            if (failure != null) {
                log.warn("Old history could not be removed, it is tried again later: {}", failure.getMessage());
            } else if (count > 0) {
                log.info("Removed {} history entries older than {} days", count, kept.toDays());
            }
            schedule(PAUSE);
        });
    }

    /** Deletes all old entries; completes with their number. */
    public CompletionStage<Integer> clean() {
        return clean(0);
    }

    private CompletionStage<Integer> clean(int before) {
        return store.forget(clock.instant().minus(kept), BATCH).thenCompose(count -> {
            int sum = before + count;
            return count < BATCH || isClosed() ? CompletableFuture.completedFuture(sum) : clean(sum);
        });
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    @Override
    public synchronized void close() {
        closed = true;
        Timeout waiting = next;
        if (waiting != null) {
            waiting.cancel();
        }
    }
}
