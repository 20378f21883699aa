package io.cairn.client.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.concurrent.Executor;
import java.util.function.BinaryOperator;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Delivers values to one listener on its executor, one at a time. Values that arrive during a call are merged. */
public final class Delivery<T> {

    private static final System.Logger LOG = System.getLogger("io.cairn.client");

    private final String name;
    private final Executor executor;
    private final BinaryOperator<T> merge;
    private final Consumer<T> listener;

    @GuardedBy("this")
    private @Nullable T pending;

    @GuardedBy("this")
    private boolean running;

    private volatile boolean closed;

    public Delivery(String name, Executor executor, BinaryOperator<T> merge, Consumer<T> listener) {
        this.name = name;
        this.executor = executor;
        this.merge = merge;
        this.listener = listener;
    }

    /** Adds a value for the next {@link #start}; callers may hold a lock to keep the values in order. */
    public synchronized void offer(T value) {
        T before = pending;
        pending = before == null ? value : merge.apply(before, value);
    }

    /** Delivers the offered value. A direct executor calls the listener on this thread: call without locks. */
    public void start() {
        synchronized (this) {
            if (running || closed || pending == null) {
                return;
            }
            running = true;
        }
        try {
            executor.execute(this::run);
        } catch (RuntimeException | Error e) {
            synchronized (this) {
                running = false;
            }
            if (!closed) {
                LOG.log(System.Logger.Level.ERROR, "The executor of the listener of " + name + " takes no work", e);
            }
        }
    }

    private void run() {
        while (true) {
            T value;
            synchronized (this) {
                value = pending;
                pending = null;
                if (value == null || closed) {
                    running = false;
                    return;
                }
            }
            call(value);
        }
    }

    /** Listeners in other JVM languages may throw checked exceptions. */
    private void call(T value) {
        try {
            listener.accept(value);
        } catch (Throwable e) {
            LOG.log(System.Logger.Level.ERROR, "A listener of " + name + " has failed", e);
        }
    }

    /** A running call continues. */
    public void close() {
        closed = true;
    }
}
