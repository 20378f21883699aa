package io.cairn.server.naming;

import io.cairn.api.error.CairnException;
import io.cairn.api.naming.ServiceKey;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the state that is not in the store over a restart of the server: the ephemeral instances, so that no list is
 * empty until all clients have reconnected, and the unhealthy persistent ones, so that no consumer gets them. A thread
 * of its own writes the services that have changed ({@link PacedWriter}). Thread-safe.
 */
public final class LastKnownInstances implements ServiceListener, AutoCloseable {

    private static final int BATCH = 1_000;
    private static final Logger log = LoggerFactory.getLogger(LastKnownInstances.class);

    private final NamingService naming;
    private final StoredNaming stored;
    private final InstanceMemory memory;

    private final PacedWriter<ServiceKey> writer;

    public LastKnownInstances(NamingService naming, StoredNaming stored, InstanceMemory memory) {
        this.naming = naming;
        this.stored = stored;
        this.memory = memory;
        this.writer = new PacedWriter<>("cairn-last-known", this::write, memory::close);
    }

    /**
     * Adds the remembered instances to the registry. Call it once, after the store was loaded and before clients are
     * admitted. Blocks.
     */
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
     * Clears the memory, because other nodes of the group are in service and have the newer state. Call it instead of
     * {@link #recover}. Entries that cannot be cleared are skipped. Blocks.
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
        writer.start();
    }

    @Override
    public void changed(ServiceKey service, Presence presence) {
        writer.changed(service);
    }

    /** Each node keeps only the instances of its own clients. */
    @Override
    public boolean followsOwnOnly() {
        return true;
    }

    private void write(List<ServiceKey> due) {
        List<KnownService> known = new ArrayList<>(due.size());
        for (ServiceKey service : due) {
            known.add(naming.recovery().known(service));
        }
        memory.save(known);
    }

    /** Writes the pending changes, then ends. Waits for the thread. */
    @Override
    public void close() {
        writer.close();
    }
}
