package io.cairn.benchmark;

import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntFunction;

/** Runs a known number of asynchronous steps, a few at a time, within a limit of time. */
final class Batch {
    private Batch() {}

    /** Returns when all have succeeded; an exception with the first cause otherwise. */
    static void run(String what, int count, int atOnce, Duration limit, IntFunction<? extends CompletionStage<?>> step)
            throws InterruptedException {
        var free = new Semaphore(atOnce);
        var failures = new AtomicInteger();
        var first = new AtomicReference<String>();
        long deadline = System.nanoTime() + limit.toNanos();
        for (int i = 0; i < count && failures.get() == 0; i++) {
            acquire(free, 1, deadline, what, limit);
            var unused = step.apply(i).whenComplete((done, failure) -> {
                if (failure != null) {
                    failures.incrementAndGet();
                    first.compareAndSet(null, causeOf(failure));
                }
                free.release();
            });
        }
        acquire(free, atOnce, deadline, what, limit);
        if (failures.get() > 0) {
            throw new BenchmarkException(what + ": " + failures.get() + " of " + count + " failed: " + first.get());
        }
    }

    private static void acquire(Semaphore free, int permits, long deadline, String what, Duration limit)
            throws InterruptedException {
        if (!free.tryAcquire(permits, deadline - System.nanoTime(), TimeUnit.NANOSECONDS)) {
            throw new BenchmarkException(what + ": not done within " + limit.toSeconds() + " s");
        }
    }

    private static String causeOf(Throwable failure) {
        Throwable cause = failure;
        while (cause instanceof CompletionException && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause instanceof IllegalStateException && cause.getMessage() != null
                ? cause.getMessage()
                : cause.toString();
    }
}
