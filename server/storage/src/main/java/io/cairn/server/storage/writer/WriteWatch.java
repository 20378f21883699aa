package io.cairn.server.storage.writer;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.storage.database.Circuit;
import io.cairn.server.timer.Standstill;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Answers each write within a limit, whatever driver and network do: a silent database keeps the writer's thread in an endless
 * call. Finds writes too late to be stored. Owns a thread that sleeps without writes.
 */
final class WriteWatch implements AutoCloseable {

    private static final long LONGEST_TICK_MILLIS = 250;

    private final Duration limit;
    private final Circuit circuit;
    private final WriteQueue queue;
    private final long callerWaitsNanos;
    private final Standstill standstill;
    private final Thread thread;

    private volatile boolean ended;
    private volatile boolean asleep;
    private volatile @Nullable UnderWay underWay;

    /** @param sinceNanos when the thread got the writes, or the database's last answer */
    private record UnderWay(long sinceNanos, List<PendingWrite<?>> writes) {}

    WriteWatch(StoreWriter.Limits limits, Circuit circuit, WriteQueue queue) {
        this(limits, circuit, queue, new Standstill());
    }

    /** @param standstill learns when this watch's thread runs */
    WriteWatch(StoreWriter.Limits limits, Circuit circuit, WriteQueue queue, Standstill standstill) {
        this.callerWaitsNanos = limits.callerWaits().toNanos();
        this.standstill = standstill;
        this.limit = limits.answerWithin();
        this.circuit = circuit;
        this.queue = queue;
        this.thread = new Thread(this::run, "cairn-store-watch");
        this.thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    /** The writer's thread works on these. */
    void begin(List<PendingWrite<?>> writes) {
        boolean mayTakeLong = writes.stream().anyMatch(PendingWrite::takesLong);
        underWay = mayTakeLong ? null : new UnderWay(System.nanoTime(), List.copyOf(writes));
        wake();
    }

    void end() {
        underWay = null;
    }

    /** The database has reported another transaction's lock: no outage. */
    void answered() {
        UnderWay now = underWay;
        underWay = now == null ? null : new UnderWay(System.nanoTime(), now.writes());
    }

    /** The queue is not empty. */
    void queued() {
        wake();
    }

    /**
     * Answers writes that must not be stored, and returns the others: answered ones, and those queued before a standstill of the
     * process, whose callers have given up and may have written newer contents to another node.
     */
    List<PendingWrite<?>> refuseLate(List<PendingWrite<?>> writes) {
        long now = System.nanoTime();
        boolean isLate = false;
        for (PendingWrite<?> write : writes) {
            long age = write.ageNanos(now);
            if (age >= callerWaitsNanos && standstill.endedAfter(now - age)) {
                write.fail(new CairnException(
                        ErrorCode.UNAVAILABLE,
                        "The write was not stored: this server did not run for a part of the "
                                + TimeUnit.NANOSECONDS.toSeconds(age)
                                + " s in which it waited; read the configuration before writing it again"));
            }
            isLate |= write.future().isDone();
        }
        return isLate
                ? writes.stream().filter(write -> !write.future().isDone()).toList()
                : writes;
    }

    private void wake() {
        if (asleep) {
            LockSupport.unpark(thread);
        }
    }

    private void run() {
        long tickNanos =
                TimeUnit.MILLISECONDS.toNanos(Math.max(10, Math.min(LONGEST_TICK_MILLIS, limit.toMillis() / 4)));
        // Only the end of the JVM interrupts this thread.
        while (!ended && !Thread.currentThread().isInterrupted()) {
            if (isNeeded()) {
                standstill.running(tickNanos);
                LockSupport.parkNanos(this, tickNanos);
                check();
            } else {
                standstill.idle();
                asleep = true;
                // Checked again: an earlier queued write has not woken this thread.
                if (!isNeeded() && !ended) {
                    LockSupport.park(this);
                }
                asleep = false;
            }
        }
    }

    private boolean isNeeded() {
        return underWay != null || !queue.isEmpty();
    }

    private void check() {
        long limitNanos = limit.toNanos();
        UnderWay now = underWay;
        // One moment for all: a waiting write is younger than one under way, and gets that answer.
        long nanos = System.nanoTime();
        if (now != null) {
            if (nanos - now.sinceNanos() > limitNanos && circuit.cause() == null) {
                circuit.open(new CairnException(
                        ErrorCode.UNAVAILABLE,
                        "The database cannot be written: it has not answered for " + limit.toMillis() + " ms"));
            }
            for (PendingWrite<?> write : now.writes()) {
                if (write.ageNanos(nanos) > limitNanos) {
                    write.fail(new CairnException(
                            ErrorCode.UNAVAILABLE,
                            "The database has not confirmed within " + limit.toMillis()
                                    + " ms whether the write was stored; read the configuration before writing it"
                                    + " again"));
                }
            }
        }
        CairnException cause = circuit.cause();
        PendingWrite<?> oldest = queue.peek();
        while (oldest != null && (cause != null || oldest.ageNanos(nanos) > limitNanos)) {
            // The thread that removes a write from the queue answers it.
            if (queue.remove(oldest)) {
                oldest.fail(
                        cause != null
                                ? new CairnException(ErrorCode.UNAVAILABLE, cause.text(), cause.getCause())
                                : new CairnException(
                                        ErrorCode.UNAVAILABLE,
                                        "The write was not stored: others before it took " + limit.toMillis()
                                                + " ms; try again"));
            }
            oldest = queue.peek();
        }
    }

    @Override
    public void close() {
        ended = true;
        LockSupport.unpark(thread);
    }
}
