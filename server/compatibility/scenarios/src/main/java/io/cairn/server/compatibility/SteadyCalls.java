package io.cairn.server.compatibility;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Has a consumer call at a steady rate until it is closed, and records each failed call and each provider that its list lacked. */
final class SteadyCalls implements AutoCloseable {
    private final CallingConsumer consumer;
    private final Set<Integer> providers;
    private final Queue<String> violations = new ConcurrentLinkedQueue<>();
    private final AtomicInteger calls = new AtomicInteger();
    private final AtomicLong slowestNanos = new AtomicLong();
    private final Thread caller;

    /**
     * Begins to call.
     *
     * @param providers the ports of those that the consumer's list may never lack
     * @param pause from one call to the next
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
            while (true) {
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
            if (!Thread.currentThread().isInterrupted()) { // else the call was cut off by close()
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

    /** The failed calls and the lists that were too short, each with its time. */
    List<String> violations() {
        return List.copyOf(violations);
    }

    @Override
    public void close() {
        caller.interrupt();
    }
}
