package io.cairn.server.push;

import io.netty.util.Timeout;
import io.netty.util.Timer;
import io.netty.util.TimerTask;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** An event loop, a timer and a clock that move only when a test says so. */
public final class HandDrivenLoop implements Executor, Timer {

    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
    private final List<PendingTimeout> pending = new ArrayList<>();
    private long nowNanos = Long.MAX_VALUE - 5; // shortly before the clock's numbers turn negative

    public long nanoTime() {
        return nowNanos;
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
        long end = nowNanos + time.toNanos();
        for (Optional<PendingTimeout> next = next(end); next.isPresent(); next = next(end)) {
            nowNanos = next.get().dueNanos;
            goOff(next.get());
            run();
        }
        nowNanos = end;
    }

    /** Has the next time-out go off in the timer's thread, but leaves it to the test when the loop hears of it. */
    public void goOffWithoutTheLoop() throws Exception {
        PendingTimeout next = pending.stream()
                .min(Comparator.comparingLong(timeout -> timeout.dueNanos - nowNanos))
                .orElseThrow();
        nowNanos = next.dueNanos;
        goOff(next);
    }

    private void goOff(PendingTimeout timeout) throws Exception {
        pending.remove(timeout);
        timeout.expired = true;
        timeout.task.run(timeout);
    }

    private Optional<PendingTimeout> next(long end) {
        return pending.stream()
                .filter(timeout -> timeout.dueNanos - end <= 0)
                .min(Comparator.comparingLong(timeout -> timeout.dueNanos - end));
    }

    /** How long the time-outs on the wheel still have. */
    public List<Duration> waits() {
        return pending.stream()
                .map(timeout -> Duration.ofNanos(timeout.dueNanos - nowNanos))
                .toList();
    }

    @Override
    public Timeout newTimeout(TimerTask task, long delay, TimeUnit unit) {
        PendingTimeout timeout = new PendingTimeout(task, nowNanos + unit.toNanos(delay));
        pending.add(timeout);
        return timeout;
    }

    @Override
    public Set<Timeout> stop() {
        return pending.stream().collect(Collectors.toSet());
    }

    private final class PendingTimeout implements Timeout {

        private final TimerTask task;
        private final long dueNanos;
        private boolean expired;
        private boolean cancelled;

        PendingTimeout(TimerTask task, long dueNanos) {
            this.task = task;
            this.dueNanos = dueNanos;
        }

        @Override
        public Timer timer() {
            return HandDrivenLoop.this;
        }

        @Override
        public TimerTask task() {
            return task;
        }

        @Override
        public boolean isExpired() {
            return expired;
        }

        @Override
        public boolean isCancelled() {
            return cancelled;
        }

        @Override
        public boolean cancel() {
            cancelled = pending.remove(this);
            return cancelled;
        }
    }
}
