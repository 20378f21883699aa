package io.cairn.client.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.concurrent.Executor;
import java.util.function.BinaryOperator;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Hands values to one listener, one after the other, on its executor. What comes while the listener is busy is merged
 * into one, so nothing piles up. What the listener throws is logged. Thread-safe.
 */
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

    /**
     * Delivers to that listener.
     *
     * @param name for the log
     * @param merge makes one value of an earlier and a later one
     */
    public Delivery(String name, Executor executor, BinaryOperator<T> merge, Consumer<T> listener) {
        this.name = name;
        this.executor = executor;
        this.merge = merge;
        this.listener = listener;
    }

    /**
     * Takes a value, to be handed over after the next {@link #start}. Calls nobody, so it may be called with a lock held;
     * the order of these calls is that of the values.
     */
    public synchronized void offer(T value) {
        T before = pending;
        pending = before == null ? value : merge.apply(before, value);
    }

    /** Hands over what was offered, soon. With an executor that runs at once this calls the listener: hold no lock. */
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

    /** Listeners in other languages throw checked exceptions too; the next change must reach them all the same. */
    private void call(T value) {
        try {
            listener.accept(value);
        } catch (Throwable e) {
            LOG.log(System.Logger.Level.ERROR, "A listener of " + name + " has failed", e);
        }
    }

    /** Tells nothing more; a call that is under way goes on. */
    public void close() {
        closed = true;
    }
}
