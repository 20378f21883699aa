package io.cairn.client.connection;

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
    private @Nullable T pending;
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

    /** Hands that over, soon. */
    public void tell(T value) {
        offer(value);
        start();
    }

    /** Takes a value, for {@link #start} to hand over: also under a lock, for nobody is called. */
    public synchronized void offer(T value) {
        T before = pending;
        pending = before == null ? value : merge.apply(before, value);
    }

    /** Hands over what was offered; never under a lock, for the executor may run the listener at once. */
    public void start() {
        synchronized (this) {
            if (running || closed || pending == null) {
                return;
            }
            running = true;
        }
        try {
            executor.execute(this::run);
        } catch (RuntimeException e) {
            synchronized (this) {
                running = false;
            }
            if (!closed) {
                LOG.log(
                        System.Logger.Level.ERROR,
                        "The executor of the listener of " + name + " takes no more work",
                        e);
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
            try {
                listener.accept(value);
            } catch (Throwable e) {
                // Also what is not declared, as Kotlin throws it: the next value is told all the same.
                LOG.log(System.Logger.Level.ERROR, "A listener of " + name + " has failed", e);
            }
        }
    }

    /** Tells nothing more; a call that is under way goes on. */
    public void close() {
        closed = true;
    }
}
