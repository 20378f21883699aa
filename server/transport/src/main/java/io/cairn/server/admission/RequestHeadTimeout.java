package io.cairn.server.admission;

import io.cairn.server.limit.Limit;
import io.netty.util.concurrent.EventExecutor;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Reports a request head that does not end in time. A head in one read does not read the clock, and one task per connection
 * checks incomplete heads. Used on the event loop of the connection.
 */
public final class RequestHeadTimeout {

    private final Limit seconds;
    private final EventExecutor loop;
    private final BooleanSupplier isExcused;
    private final Consumer<String> late;
    private final long maxNanos;
    private long sinceNanos;
    private boolean isRunning;
    private @Nullable Future<?> check;

    /**
     * @param seconds the limit for a head
     * @param isExcused whether the server delays the head, which restarts the time
     * @param late receives the message with the limit, once for each late head
     */
    public RequestHeadTimeout(Limit seconds, EventExecutor loop, BooleanSupplier isExcused, Consumer<String> late) {
        this.seconds = seconds;
        this.loop = loop;
        this.isExcused = isExcused;
        this.late = late;
        this.maxNanos = TimeUnit.SECONDS.toNanos(seconds.max());
    }

    /** May be called repeatedly for the same head. */
    public void begun() {
        if (!isRunning) {
            isRunning = true;
            sinceNanos = System.nanoTime();
            if (check == null) {
                checkAfter(maxNanos);
            }
        }
    }

    public void ended() {
        isRunning = false;
    }

    public void close() {
        isRunning = false;
        if (check != null) {
            check.cancel(false);
        }
    }

    private void checkAfter(long nanos) {
        check = loop.schedule(this::check, nanos, TimeUnit.NANOSECONDS);
    }

    private void check() {
        check = null;
        if (!isRunning) {
            return;
        }
        long now = System.nanoTime();
        if (isExcused.getAsBoolean()) {
            sinceNanos = now;
        }
        long left = sinceNanos + maxNanos - now;
        if (left > 0) {
            checkAfter(left);
            return;
        }
        isRunning = false;
        long needed = seconds.max() + 1;
        if (!seconds.allows(needed)) {
            late.accept(seconds.text(needed));
        }
    }
}
