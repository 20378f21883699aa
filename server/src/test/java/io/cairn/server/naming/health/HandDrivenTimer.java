package io.cairn.server.naming.health;

import io.netty.util.Timeout;
import io.netty.util.Timer;
import io.netty.util.TimerTask;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** A timer and a clock that move only when a test says so. */
final class HandDrivenTimer implements Timer {

    private final List<Pending> pending = new ArrayList<>();
    private long nowNanos = Long.MAX_VALUE - 5; // shortly before the clock's numbers turn negative

    long nanoTime() {
        return nowNanos;
    }

    /** Lets that much time pass; time-outs go off at their moment. */
    void pass(Duration time) throws Exception {
        long end = nowNanos + time.toNanos();
        for (Optional<Pending> next = next(end); next.isPresent(); next = next(end)) {
            nowNanos = next.get().dueNanos;
            pending.remove(next.get());
            next.get().task.run(next.get());
        }
        nowNanos = end;
    }

    /** Lets time pass until the next time-out goes off. */
    Duration passToNext() throws Exception {
        Duration wait = waits().stream().min(Comparator.naturalOrder()).orElseThrow();
        pass(wait);
        return wait;
    }

    private Optional<Pending> next(long end) {
        return pending.stream()
                .filter(timeout -> timeout.dueNanos - end <= 0)
                .min(Comparator.comparingLong(timeout -> timeout.dueNanos - end));
    }

    /** How long the time-outs still have. */
    List<Duration> waits() {
        return pending.stream()
                .map(timeout -> Duration.ofNanos(timeout.dueNanos - nowNanos))
                .toList();
    }

    @Override
    public Timeout newTimeout(TimerTask task, long delay, TimeUnit unit) {
        Pending timeout = new Pending(task, nowNanos + unit.toNanos(delay));
        pending.add(timeout);
        return timeout;
    }

    @Override
    public Set<Timeout> stop() {
        return Set.copyOf(pending);
    }

    private final class Pending implements Timeout {

        private final TimerTask task;
        private final long dueNanos;

        Pending(TimerTask task, long dueNanos) {
            this.task = task;
            this.dueNanos = dueNanos;
        }

        @Override
        public Timer timer() {
            return HandDrivenTimer.this;
        }

        @Override
        public TimerTask task() {
            return task;
        }

        @Override
        public boolean isExpired() {
            return dueNanos - nowNanos <= 0;
        }

        @Override
        public boolean isCancelled() {
            return !pending.contains(this);
        }

        @Override
        public boolean cancel() {
            return pending.remove(this);
        }
    }
}
