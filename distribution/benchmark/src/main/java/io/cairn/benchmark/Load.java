package io.cairn.benchmark;

import io.netty.channel.EventLoop;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Keeps operations going on a set of connections until it is stopped. Without a rate, a slot starts its next operation
 * when the last one ends. With a rate, starts are due at fixed times, spread evenly over the connections, and an operation
 * that starts late because all slots were taken counts its latency from when it was due.
 */
final class Load {
    private static final long DRAIN_SECONDS = 10;

    private final Measurement measurement;
    private final double ratePerSecond;
    private final List<Lane> lanes = new ArrayList<>();
    private volatile boolean stopped;
    private CountDownLatch running = new CountDownLatch(0);

    /** @param ratePerSecond of all connections together; 0 for flat out */
    Load(Measurement measurement, double ratePerSecond) {
        this.measurement = measurement;
        this.ratePerSecond = ratePerSecond;
    }

    /** One connection; its slots are added before the start and used on its event loop. */
    Lane lane(EventLoop loop) {
        var lane = new Lane(loop);
        lanes.add(lane);
        return lane;
    }

    void start() {
        running = new CountDownLatch(
                lanes.stream().mapToInt(lane -> lane.slots.size()).sum());
        long now = System.nanoTime();
        double interval = ratePerSecond == 0 ? 0 : 1e9 * lanes.size() / ratePerSecond;
        for (int i = 0; i < lanes.size(); i++) {
            Lane lane = lanes.get(i);
            lane.intervalNanos = interval;
            lane.firstNanos = now + (long) (interval * i / lanes.size());
            lane.loop.execute(lane::start);
        }
    }

    /** Starts nothing more and waits for what is under way; says how many operations never ended. */
    long stop() throws InterruptedException {
        stopped = true;
        lanes.forEach(lane -> lane.loop.execute(lane::releaseIdle));
        return running.await(DRAIN_SECONDS, TimeUnit.SECONDS) ? 0 : running.getCount();
    }

    /** Waits for slots that come to an end by themselves; says whether all have. */
    boolean awaitEnd(Duration limit) throws InterruptedException {
        return running.await(limit.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** The operations of one connection. */
    final class Lane {
        private final EventLoop loop;
        private final List<Slot> slots = new ArrayList<>();
        private final Deque<Slot> idle = new ArrayDeque<>();
        private double intervalNanos;
        private long firstNanos;
        private long issued;
        private boolean timerSet;

        private Lane(EventLoop loop) {
            this.loop = loop;
        }

        private void start() {
            slots.forEach(this::ready);
        }

        private void ready(Slot slot) {
            if (stopped || !slot.canIssue()) {
                running.countDown();
            } else if (intervalNanos == 0) {
                slot.issue(System.nanoTime());
            } else if (dueNanos() - System.nanoTime() <= 0) {
                slot.issue(nextDueNanos());
            } else {
                idle.push(slot);
                setTimer();
            }
        }

        private long dueNanos() {
            return firstNanos + (long) (issued * intervalNanos);
        }

        private long nextDueNanos() {
            long due = dueNanos();
            issued++;
            return due;
        }

        private void setTimer() {
            if (!timerSet) {
                timerSet = true;
                var unused = loop.schedule(this::tick, dueNanos() - System.nanoTime(), TimeUnit.NANOSECONDS);
            }
        }

        private void tick() {
            timerSet = false;
            while (!idle.isEmpty() && !stopped && dueNanos() - System.nanoTime() <= 0) {
                ready(idle.pop());
            }
            if (!idle.isEmpty() && !stopped) {
                setTimer();
            }
        }

        private void releaseIdle() {
            while (!idle.isEmpty()) {
                idle.pop();
                running.countDown();
            }
        }
    }

    /** One operation at a time, again and again. */
    abstract static class Slot {
        private final Load load;
        private final Lane lane;
        private long startedNanos;

        Slot(Load load, Lane lane) {
            this.load = load;
            this.lane = lane;
            lane.slots.add(this);
        }

        /** Whether its connection can take another operation. */
        abstract boolean canIssue();

        /** Starts one operation, which ends in {@link #succeeded} or {@link #lost}. */
        abstract void issue();

        private void issue(long startNanos) {
            startedNanos = startNanos;
            issue();
        }

        final void succeeded() {
            load.measurement.succeeded(startedNanos);
            lane.ready(this);
        }

        final void lost(String cause) {
            load.measurement.failed(cause);
            lane.ready(this);
        }
    }
}
