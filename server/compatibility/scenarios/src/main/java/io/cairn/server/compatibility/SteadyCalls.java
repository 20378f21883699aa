package io.cairn.server.compatibility;

import static io.cairn.testing.Patience.START;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Calls at a steady rate until closed, and records failed calls and missing providers. */
final class SteadyCalls implements AutoCloseable {
    private final CallingConsumer consumer;
    private final Set<Integer> providers;
    private final Queue<String> violations = new ConcurrentLinkedQueue<>();
    private final AtomicInteger calls = new AtomicInteger();
    private final AtomicLong slowestNanos = new AtomicLong();
    private final Thread caller;
    private volatile boolean isEnding;

    /**
     * @param providers ports that no list may lack
     * @param pause between calls
     */
    SteadyCalls(CallingConsumer consumer, Set<Integer> providers, Duration pause) {
        this.consumer = consumer;
        this.providers = Set.copyOf(providers);
        caller = new Thread(() -> callUntilInterrupted(new Pace(pause)), "steady calls");
        caller.setDaemon(true);
        caller.start();
    }

    private void callUntilInterrupted(Pace pace) {
        try {
            while (!isEnding) {
                call();
                pace.await();
            }
        } catch (InterruptedException closed) {
            Thread.currentThread().interrupt();
        }
    }

    private void call() throws InterruptedException {
        try {
            Set<Integer> listed = consumer.listed();
            if (!listed.containsAll(providers)) {
                violations.add(Instant.now() + ": the list " + listed + " lacks one of " + providers);
            }
            long begin = System.nanoTime();
            consumer.call();
            slowestNanos.accumulateAndGet(System.nanoTime() - begin, Math::max);
            calls.incrementAndGet();
        } catch (InterruptedException e) {
            throw e;
        } catch (Exception | Error e) {
            if (!Thread.currentThread().isInterrupted()) { // Otherwise close() cut off the call
                violations.add(Instant.now() + ": the call failed: " + withCauses(e));
            }
        }
    }

    private static String withCauses(Throwable failure) {
        StringBuilder text = new StringBuilder(failure.toString());
        for (Throwable cause = failure.getCause(); cause != null; cause = cause.getCause()) {
            text.append(", caused by ").append(cause);
        }
        return text.toString();
    }

    /** The calls that succeeded. */
    int calls() {
        return calls.get();
    }

    Duration slowest() {
        return Duration.ofNanos(slowestNanos.get());
    }

    /** Failed calls and incomplete lists, with their times. */
    List<String> violations() {
        return List.copyOf(violations);
    }

    /** Lets the present call end, so that its result is known. */
    void finish() throws InterruptedException {
        isEnding = true;
        caller.join(START.toMillis());
        if (caller.isAlive()) {
            violations.add(Instant.now() + ": the last call does not end");
        }
    }

    @Override
    public void close() {
        caller.interrupt();
    }
}
