package io.cairn.server.naming.registry;

import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/** Counts clients that registered their remembered instances again. While clients return, the others have time. */
public final class ReturningClients {

    private final LongSupplier nanoTime;
    private final LongAdder count = new LongAdder();
    private volatile long lastNanos;

    /** @param nanoTime as {@link System#nanoTime} */
    ReturningClients(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        this.lastNanos = nanoTime.getAsLong();
    }

    /** A client registered an instance listed without it. */
    public void returned() {
        lastNanos = nanoTime.getAsLong();
        count.increment();
    }

    /** The last client's return, or the creation. */
    public long lastNanos() {
        return lastNanos;
    }

    /** Changes with each return. */
    public long count() {
        return count.sum();
    }
}
