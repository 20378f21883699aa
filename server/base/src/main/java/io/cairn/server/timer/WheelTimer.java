package io.cairn.server.timer;

import io.netty.util.Timeout;
import io.netty.util.Timer;
import io.netty.util.TimerTask;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs tasks after a delay, one after the other on its own thread, or on the event loop of a {@link LoopTask}. A task is never
 * early, and late by up to {@value #TICK_MILLIS} ms or a sixtieth of its delay, whichever is more. The thread sleeps until a task
 * is due, for a second at most, so an idle server uses almost no processor time.
 *
 * <p>Tasks must not block. A failed task is logged. Starting and cancelling take no lock.
 */
public final class WheelTimer implements Timer {

    static final int TICK_MILLIS = 50;
    private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(TICK_MILLIS);
    /** Limits how long cancelled tasks stay in memory and new ones outside the wheels. */
    private static final long LONGEST_SLEEP_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final long LONGEST_DELAY_NANOS = TimeUnit.DAYS.toNanos(36_500);
    private static final long LONGEST_STOP_MILLIS = 10_000;
    /** The most tasks that a loop receives together. */
    static final int LONGEST_HAND_OVER = 256;

    private static final long AWAKE = Long.MIN_VALUE;
    private static final Logger log = LoggerFactory.getLogger(WheelTimer.class);

    private final LongSupplier nanoTime;
    private final Standstill standstill;
    private final long startNanos;
    private final TimingWheels wheels = new TimingWheels();
    private final ConcurrentLinkedQueue<Pending> arrivals = new ConcurrentLinkedQueue<>();

    private final IdentityHashMap<Executor, HandOver> handOvers = new IdentityHashMap<>();

    private final AtomicBoolean started = new AtomicBoolean();
    private final Thread thread;
    /** The time of the next check, in ns since the start. */
    private volatile long wakesAt = AWAKE;

    private volatile boolean stopped;

    /**
     * @param name of the thread, which starts with the first task
     * @param standstill receives the times at which the thread runs
     */
    public WheelTimer(String name, Standstill standstill) {
        this(name, System::nanoTime, standstill);
    }

    WheelTimer(String name, LongSupplier nanoTime, Standstill standstill) {
        this.nanoTime = nanoTime;
        this.standstill = standstill;
        startNanos = nanoTime.getAsLong();
        thread = new Thread(this::run, name);
        thread.setDaemon(true);
    }

    /** @throws IllegalStateException when the timer was stopped */
    @Override
    public Timeout newTimeout(TimerTask task, long delay, TimeUnit unit) {
        if (stopped) {
            throw new IllegalStateException(thread.getName() + " was stopped");
        }
        long nanos = Math.max(0, Math.min(LONGEST_DELAY_NANOS, unit.toNanos(delay)));
        Pending pending = new Pending(this, task, sinceStart() + nanos);
        arrivals.add(pending);
        if (!started.get() && started.compareAndSet(false, true)) {
            thread.start();
        } else if (pending.dueNanos < wakesAt) {
            LockSupport.unpark(thread);
        }
        return pending;
    }

    private long sinceStart() {
        return nanoTime.getAsLong() - startNanos;
    }

    private void run() {
        List<TimingWheels.Item> due = new ArrayList<>();
        while (!stopped) {
            long tick = sinceStart() / TICK_NANOS;
            if (tick - 1 > wheels.tick()) {
                // So new tasks are placed by their delay from now.
                wheels.advance(tick - 1, due);
            }
            arrange();
            wheels.advance(tick, due);
            for (TimingWheels.Item item : due) {
                ((Pending) item).run();
            }
            due.clear();
            handOvers.forEach(this::execute);
            handOvers.clear();
            sleep();
        }
        standstill.idle();
    }

    /** Places new tasks and removes cancelled ones. */
    private void arrange() {
        for (Pending pending = arrivals.poll(); pending != null; pending = arrivals.poll()) {
            if (!pending.isCancelled()) {
                wheels.add(pending);
            } else if (pending.isPlaced()) {
                wheels.remove(pending);
            }
        }
    }

    private void handOver(Pending pending, LoopTask task) {
        HandOver present = handOvers.computeIfAbsent(task.loop(), loop -> new HandOver());
        present.due.add(pending);
        if (present.due.size() == LONGEST_HAND_OVER) {
            handOvers.remove(task.loop());
            execute(task.loop(), present);
        }
    }

    private void execute(Executor loop, HandOver handOver) {
        try {
            LoopTask.execute(loop, handOver);
        } catch (Exception | Error e) {
            failed(e);
        }
    }

    private void failed(Throwable why) {
        // The thread must continue: it runs all other tasks, too.
        log.error("A task of {} failed", thread.getName(), why);
    }

    private void sleep() {
        long now = sinceStart();
        long ticks = Math.min(wheels.nextTick(), (now + LONGEST_SLEEP_NANOS) / TICK_NANOS);
        wakesAt = ticks * TICK_NANOS;
        // A task that arrived before this time was set has not woken this thread: check for it.
        if (arrivals.isEmpty() && !stopped) {
            standstill.running(wakesAt - now);
            LockSupport.parkNanos(this, wakesAt - now);
            long late = standstill.running(LONGEST_SLEEP_NANOS);
            if (late > 0) {
                log.warn(
                        "This process did not run for {} s: it was stopped, or its machine had no time for it. Requests of"
                                + " clients that have closed their connection meanwhile are discarded",
                        TimeUnit.NANOSECONDS.toSeconds(late));
            }
        }
        wakesAt = AWAKE;
        // A task may have left the thread interrupted; it would never sleep again.
        Thread.interrupted();
    }

    /**
     * Ends the thread, and waits for its running task for up to ten seconds.
     *
     * @return tasks not yet due; empty if that task continues
     */
    @Override
    public Set<Timeout> stop() {
        if (Thread.currentThread() == thread) {
            throw new IllegalStateException(thread.getName() + " cannot be stopped by a task of its own");
        }
        stopped = true;
        LockSupport.unpark(thread);
        try {
            thread.join(LONGEST_STOP_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (thread.isAlive()) {
            log.warn("A task of {} is still running", thread.getName());
            return Set.of();
        }
        arrange();
        List<TimingWheels.Item> left = new ArrayList<>();
        wheels.drainTo(left);
        Set<Timeout> unprocessed = new HashSet<>();
        for (TimingWheels.Item item : left) {
            if (!((Pending) item).isCancelled()) {
                unprocessed.add((Pending) item);
            }
        }
        return unprocessed;
    }

    private static final class HandOver implements Runnable {

        private final List<Pending> due = new ArrayList<>();

        @Override
        public void run() {
            due.forEach(Pending::runOnLoop);
        }
    }

    private static final class Pending extends TimingWheels.Item implements Timeout {

        private static final AtomicIntegerFieldUpdater<Pending> STATE =
                AtomicIntegerFieldUpdater.newUpdater(Pending.class, "state");
        private static final int WAITING = 0;
        private static final int CANCELLED = 1;
        private static final int EXPIRED = 2;

        private final WheelTimer timer;
        private final TimerTask task;
        private final long dueNanos;
        private volatile int state = WAITING;

        Pending(WheelTimer timer, TimerTask task, long dueNanos) {
            this.timer = timer;
            this.task = task;
            this.dueNanos = dueNanos;
        }

        @Override
        long dueTick() {
            return (dueNanos + TICK_NANOS - 1) / TICK_NANOS;
        }

        void run() {
            if (STATE.compareAndSet(this, WAITING, EXPIRED)) {
                try {
                    if (task instanceof LoopTask loopTask) {
                        timer.handOver(this, loopTask);
                    } else {
                        task.run(this);
                    }
                } catch (Exception | Error e) {
                    timer.failed(e);
                }
            }
        }

        void runOnLoop() {
            try {
                ((LoopTask) task).task().accept(this);
            } catch (Exception | Error e) {
                timer.failed(e);
            }
        }

        @Override
        public boolean cancel() {
            if (!STATE.compareAndSet(this, WAITING, CANCELLED)) {
                return false;
            }
            timer.arrivals.add(this);
            return true;
        }

        @Override
        public Timer timer() {
            return timer;
        }

        @Override
        public TimerTask task() {
            return task;
        }

        @Override
        public boolean isExpired() {
            return state == EXPIRED;
        }

        @Override
        public boolean isCancelled() {
            return state == CANCELLED;
        }
    }
}
