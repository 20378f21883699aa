package io.cairn.server.naming.stored;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.api.error.CairnException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A thread that writes changes to a file for restarts, at {@link WritePace}. A change leaves only its key; the thread reads the
 * state. Failed writes are repeated with the next.
 *
 * @param <K> names the changed thing
 */
public final class PacedWriter<K> implements AutoCloseable {

    /** Keys of one call. */
    private static final int BATCH = 1_000;

    private static final Logger log = LoggerFactory.getLogger(PacedWriter.class);

    private final Consumer<List<K>> target;
    private final Runnable atEnd;

    @GuardedBy("itself")
    private final Set<K> changed = new LinkedHashSet<>();

    private final Thread thread;

    @GuardedBy("changed")
    private boolean closed;

    /** For the thread alone. */
    private boolean failing;

    /**
     * @param target writes the present state, on the thread; throws {@link CairnException} on failure
     * @param atEnd called on the thread after the last write
     */
    public PacedWriter(String threadName, Consumer<List<K>> target, Runnable atEnd) {
        this.target = target;
        this.atEnd = atEnd;
        this.thread = new Thread(this::run, threadName);
        this.thread.setDaemon(true);
    }

    public void start() {
        thread.start();
    }

    /** Takes a leaf lock briefly. */
    public void changed(K key) {
        synchronized (changed) {
            if (changed.add(key) && changed.size() == 1) {
                changed.notifyAll();
            }
        }
    }

    private void run() {
        WritePace pace = new WritePace(System.nanoTime());
        try {
            while (awaitChange()) {
                long start = System.nanoTime();
                write();
                long end = System.nanoTime();
                pause(pace.pauseMillis(end, end - start));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        write();
        atEnd.run();
    }

    private boolean awaitChange() throws InterruptedException {
        synchronized (changed) {
            while (changed.isEmpty() && !closed) {
                changed.wait();
            }
            return !closed;
        }
    }

    private void pause(long millis) throws InterruptedException {
        long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        synchronized (changed) {
            for (long left = millis; left > 0 && !closed; ) {
                changed.wait(left);
                left = TimeUnit.NANOSECONDS.toMillis(until - System.nanoTime());
            }
        }
    }

    private void write() {
        List<K> due;
        synchronized (changed) {
            due = new ArrayList<>(changed);
            changed.clear();
        }
        try {
            for (int from = 0; from < due.size(); from += BATCH) {
                target.accept(due.subList(from, Math.min(due.size(), from + BATCH)));
            }
            failing = false;
        } catch (CairnException e) {
            if (!failing) {
                log.warn("{}; a restart would forget instances until their clients are back", e.text());
            }
            again(due);
        } catch (RuntimeException | Error e) {
            // This thread must go on, or nothing would be remembered.
            if (!failing) {
                log.error("Instances could not be remembered for a restart on a defect of the server", e);
            }
            again(due);
        }
    }

    private void again(List<K> due) {
        failing = true;
        synchronized (changed) {
            changed.addAll(due);
        }
    }

    /** Writes pending changes, and waits for the thread. */
    @Override
    public void close() {
        synchronized (changed) {
            closed = true;
            changed.notifyAll();
        }
        try {
            thread.join(TimeUnit.SECONDS.toMillis(10));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
