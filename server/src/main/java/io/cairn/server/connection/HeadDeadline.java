package io.cairn.server.connection;

import io.cairn.server.limit.Limit;
import io.netty.util.concurrent.EventExecutor;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Ends a connection whose client begins to say what it wants and does not come to an end. What comes whole costs no look at a
 * clock: one task for each connection looks after the heads that have begun, and there is none while nothing has. Used on the
 * event loop of the connection.
 */
public final class HeadDeadline {

    private final Limit seconds;
    private final EventExecutor loop;
    private final BooleanSupplier isExcused;
    private final Consumer<String> late;
    private final long maxNanos;
    private long sinceNanos;
    private boolean isRunning;
    private @Nullable Future<?> look;

    /**
     * @param seconds that a head may take
     * @param isExcused whether it is not for the client that there is no more of it, so that its time begins anew
     * @param late takes the text that names the limit, once for each head that is late
     */
    public HeadDeadline(Limit seconds, EventExecutor loop, BooleanSupplier isExcused, Consumer<String> late) {
        this.seconds = seconds;
        this.loop = loop;
        this.isExcused = isExcused;
        this.late = late;
        this.maxNanos = TimeUnit.SECONDS.toNanos(seconds.max());
    }

    /** A head has begun and not ended; may be said again and again of the same. */
    public void begun() {
        if (!isRunning) {
            isRunning = true;
            sinceNanos = System.nanoTime();
            if (look == null) {
                lookAfter(maxNanos);
            }
        }
    }

    /** It is there; what has begun from now on is another one. */
    public void ended() {
        isRunning = false;
    }

    /** The connection is closed. */
    public void close() {
        isRunning = false;
        if (look != null) {
            look.cancel(false);
        }
    }

    private void lookAfter(long nanos) {
        look = loop.schedule(this::look, nanos, TimeUnit.NANOSECONDS);
    }

    private void look() {
        look = null;
        if (!isRunning) {
            return;
        }
        long now = System.nanoTime();
        if (isExcused.getAsBoolean()) {
            sinceNanos = now;
        }
        long left = sinceNanos + maxNanos - now;
        if (left > 0) {
            lookAfter(left);
            return;
        }
        isRunning = false;
        long wanted = seconds.max() + 1;
        if (!seconds.allows(wanted)) {
            late.accept(seconds.text(wanted));
        }
    }
}
