package io.cairn.server.naming.stored;

import io.cairn.api.error.CairnException;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.naming.lease.KnownService;
import io.cairn.server.naming.registry.ServiceListener;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps unstored state over a restart: ephemeral instances, so that no list is empty until clients reconnect, and unhealthy
 * persistent ones. An own thread writes changed services ({@link PacedWriter}).
 */
public final class LastKnownInstances implements ServiceListener, AutoCloseable {

    private static final int BATCH = 1_000;
    private static final Logger log = LoggerFactory.getLogger(LastKnownInstances.class);

    private final RegistryParts naming;
    private final StoredNaming stored;
    private final InstanceMemory memory;

    private final PacedWriter<ServiceKey> writer;

    public LastKnownInstances(RegistryParts naming, StoredNaming stored, InstanceMemory memory) {
        this.naming = naming;
        this.stored = stored;
        this.memory = memory;
        this.writer = new PacedWriter<>("cairn-last-known", this::write, memory::close);
    }

    /** Adds remembered instances, once, after the load of the store and before clients. Blocks. */
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
     * Clears the memory instead of {@link #recover}, because other nodes in service have the newer state. Skips entries that cannot
     * be cleared. Blocks.
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

    /** Each node keeps only its own clients' instances. */
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

    /** Writes pending changes, and waits for the thread. */
    @Override
    public void close() {
        writer.close();
    }
}
