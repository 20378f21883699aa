package io.cairn.cli.migrate;

import java.util.concurrent.TimeUnit;

public final class Pace {

    private final long nanosPerRequest;

    private long next = System.nanoTime();

    private final int perSecond;

    public Pace(int perSecond) {
        this.perSecond = perSecond;
        nanosPerRequest = TimeUnit.SECONDS.toNanos(1) / perSecond;
    }

    public int perSecond() {
        return perSecond;
    }

    public void await() throws InterruptedException {
        long wait;
        synchronized (this) {
            long now = System.nanoTime();
            next = Math.max(next, now) + nanosPerRequest;
            wait = next - nanosPerRequest - now;
        }
        if (wait > 0) {
            TimeUnit.NANOSECONDS.sleep(wait);
        }
    }
}
