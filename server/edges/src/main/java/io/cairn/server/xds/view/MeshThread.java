package io.cairn.server.xds.view;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The thread {@code cairn-mesh}, which writes all views, from the first stream on. */
public final class MeshThread implements Executor, AutoCloseable {

    private static final long CLOSE_MILLIS = 2_000;
    private static final Logger log = LoggerFactory.getLogger(MeshThread.class);

    private final LinkedBlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();
    private final LongSupplier round;
    private final ThreadFactory threads;

    @GuardedBy("this")
    private @Nullable Thread thread;

    private volatile boolean started;
    private volatile boolean closed;

    /** @param round runs after the tasks, and returns the longest time until its next run, in nanoseconds */
    public MeshThread(LongSupplier round, ThreadFactory threads) {
        this.round = round;
        this.threads = threads;
    }

    public boolean isStarted() {
        return started;
    }

    public void start() {
        if (started) {
            return;
        }
        synchronized (this) {
            if (thread == null && !closed) {
                Thread made = threads.newThread(this::run);
                thread = made;
                started = true;
                made.start();
            }
        }
    }

    @Override
    public void execute(Runnable task) {
        tasks.add(task);
    }

    private void run() {
        long waitNanos = 0;
        while (!closed) {
            try {
                Runnable task = tasks.poll(waitNanos, TimeUnit.NANOSECONDS);
                if (task != null) {
                    run(task);
                }
                waitNanos = turn();
            } catch (InterruptedException e) {
                // Only close() interrupts it.
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    /** Runs queued tasks and the round, on the thread. Returns the time until the next run, in nanoseconds. */
    public long turn() {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            run(task);
        }
        return round();
    }

    private static void run(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException | Error e) {
            log.error("A task of the mesh failed; the views stay as they are until the next change", e);
        }
    }

    private long round() {
        try {
            return round.getAsLong();
        } catch (RuntimeException | Error e) {
            log.error("The views of the mesh could not be updated; they are looked at again in a second", e);
            return TimeUnit.SECONDS.toNanos(1);
        }
    }

    @Override
    public void close() {
        Thread running;
        synchronized (this) {
            closed = true;
            running = thread;
        }
        if (running == null) {
            return;
        }
        running.interrupt();
        try {
            running.join(CLOSE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
