package io.cairn.server.naming;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.api.error.CairnException;
import io.cairn.api.naming.ServiceKey;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Remembers over a restart of the server what is not stored: the ephemeral instances, so that nobody's list is empty until
 * all clients are back, and which persistent ones are unhealthy, so that nobody is sent to them. A thread of its own writes
 * the services that have changed, at the pace of {@link WritePace}; changes only leave their key. Thread-safe.
 */
public final class LastKnownInstances implements ServiceListener, AutoCloseable {

    private static final int BATCH = 1_000;
    private static final Logger log = LoggerFactory.getLogger(LastKnownInstances.class);

    private final NamingService naming;
    private final StoredNaming stored;
    private final InstanceMemory memory;

    @GuardedBy("itself")
    private final Set<ServiceKey> changed = new LinkedHashSet<>();

    private final Thread thread;

    @GuardedBy("changed")
    private boolean closed;

    /** Used by the thread alone. */
    private boolean failing;

    public LastKnownInstances(NamingService naming, StoredNaming stored, InstanceMemory memory) {
        this.naming = naming;
        this.stored = stored;
        this.memory = memory;
        this.thread = new Thread(this::run, "cairn-last-known");
        this.thread.setDaemon(true);
    }

    /** Hands what is remembered to the registry; to be called once, after what is stored and before clients are taken. Blocks. */
    public void recover() {
        int[] instances = {0};
        memory.forEach(known -> {
            try {
                stored.recover(known);
                instances[0] += known.size();
            } catch (CairnException e) {
                log.warn("The last-known instances of {} are left out: {}", known.service(), e.text());
            }
        });
        if (instances[0] > 0) {
            log.info(
                    "{} instances are known from before; they are handed out until their clients are back",
                    instances[0]);
        }
    }

    /**
     * Empties the memory: other nodes of the group are in service, and know better. To be called in place of {@link #recover}. What
     * cannot be emptied is passed over. Blocks.
     */
    public void discard() {
        List<KnownService> nothing = new ArrayList<>();
        memory.forEach(known -> nothing.add(KnownService.of(known.service(), List.of())));
        try {
            for (int from = 0; from < nothing.size(); from += BATCH) {
                memory.save(nothing.subList(from, Math.min(nothing.size(), from + BATCH)));
            }
        } catch (CairnException e) {
            log.warn("{}; the last-known instances of {} services are passed over", e.text(), nothing.size());
        }
    }

    public void start() {
        thread.start();
    }

    @Override
    public void changed(ServiceKey service, Presence presence) {
        synchronized (changed) {
            if (changed.add(service) && changed.size() == 1) {
                changed.notifyAll();
            }
        }
    }

    /** Each node remembers what its own clients have registered. */
    @Override
    public boolean followsOwnOnly() {
        return true;
    }

    private void run() {
        WritePace pace = new WritePace(System.nanoTime());
        try {
            while (awaitChange()) {
                long start = System.nanoTime();
                write();
                long end = System.nanoTime();
                rest(pace.rest(end, end - start));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        write();
        memory.close();
    }

    private boolean awaitChange() throws InterruptedException {
        synchronized (changed) {
            while (changed.isEmpty() && !closed) {
                changed.wait();
            }
            return !closed;
        }
    }

    private void rest(long millis) throws InterruptedException {
        long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        synchronized (changed) {
            for (long left = millis; left > 0 && !closed; ) {
                changed.wait(left);
                left = TimeUnit.NANOSECONDS.toMillis(until - System.nanoTime());
            }
        }
    }

    private void write() {
        List<ServiceKey> due;
        synchronized (changed) {
            due = new ArrayList<>(changed);
            changed.clear();
        }
        try {
            for (int from = 0; from < due.size(); from += BATCH) {
                List<KnownService> known = new ArrayList<>();
                for (ServiceKey service : due.subList(from, Math.min(due.size(), from + BATCH))) {
                    known.add(naming.recovery().known(service));
                }
                memory.save(known);
            }
            failing = false;
        } catch (CairnException e) {
            if (!failing) {
                log.warn("{}; a restart would forget instances until their clients are back", e.text());
            }
            again(due);
        } catch (RuntimeException | Error e) {
            // This thread must go on: without it nothing would be remembered any more.
            if (!failing) {
                log.error("Instances could not be remembered for a restart on a defect of the server", e);
            }
            again(due);
        }
    }

    private void again(List<ServiceKey> due) {
        failing = true;
        synchronized (changed) {
            changed.addAll(due);
        }
    }

    /** Writes what is due, then ends. Waits for the thread. */
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
