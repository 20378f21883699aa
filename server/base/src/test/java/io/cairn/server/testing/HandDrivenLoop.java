package io.cairn.server.testing;

import io.netty.util.Timeout;
import io.netty.util.Timer;
import io.netty.util.TimerTask;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** An event loop, a timer and a clock that move only when a test says so. */
public final class HandDrivenLoop implements Executor, Timer {

    private static final long START_NANOS = Long.MAX_VALUE - 5; // shortly before the clock's numbers turn negative

    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
    private final TreeSet<PendingTimeout> pending =
            new TreeSet<>(Comparator.comparingLong((PendingTimeout timeout) -> timeout.dueAfter)
                    .thenComparing(each -> each.number));
    private long passedNanos;
    private int timeouts;

    public long nanoTime() {
        return START_NANOS + passedNanos;
    }

    @Override
    public void execute(Runnable task) {
        tasks.add(task);
    }

    /** Runs what was handed to the loop. */
    public void run() {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }
    }

    /** Lets that much time pass; time-outs go off at their moment, and the loop runs after each. */
    public void pass(Duration time) throws Exception {
        long end = passedNanos + time.toNanos();
        while (!pending.isEmpty() && pending.first().dueAfter <= end) {
            goOffWithoutTheLoop();
            run();
        }
        passedNanos = end;
    }

    /** Lets time pass until the next time-out goes off, and all others that are due at the same moment. */
    public Duration passToNext() throws Exception {
        Duration wait = waits().get(0);
        pass(wait);
        return wait;
    }

    /** Has the next time-out go off in the timer's thread, but leaves it to the test when the loop hears of it. */
    public void goOffWithoutTheLoop() throws Exception {
        PendingTimeout next = pending.first();
        pending.remove(next);
        passedNanos = Math.max(passedNanos, next.dueAfter);
        next.expire();
    }

    /** How long the time-outs on the wheel still have, the next one first. */
    public List<Duration> waits() {
        return pending.stream()
                .map(timeout -> Duration.ofNanos(timeout.dueAfter - passedNanos))
                .toList();
    }

    @Override
    public Timeout newTimeout(TimerTask task, long delay, TimeUnit unit) {
        long dueAfter = passedNanos + Math.min(unit.toNanos(delay), Long.MAX_VALUE - passedNanos);
        PendingTimeout timeout = new PendingTimeout(task, dueAfter, timeouts++);
        pending.add(timeout);
        return timeout;
    }

    @Override
    public Set<Timeout> stop() {
        return pending.stream().collect(Collectors.toSet());
    }

    private final class PendingTimeout extends FakeTimeout {

        private final long dueAfter;
        private final int number;

        /** @param dueAfter in ns since the clock's start */
        PendingTimeout(TimerTask task, long dueAfter, int number) {
            super(HandDrivenLoop.this, task);
            this.dueAfter = dueAfter;
            this.number = number;
        }

        @Override
        public boolean cancel() {
            return pending.remove(this) && super.cancel();
        }
    }
}
