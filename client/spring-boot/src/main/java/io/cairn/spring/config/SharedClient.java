package io.cairn.spring.config;

import io.cairn.client.CairnClient;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The client that an application's imports share; started with the first import. Thread-safe.
 *
 * <p>Before the context exists, only the starting thread can remember the client: Spring Boot has no handover that works in
 * all supported versions.
 */
public final class SharedClient implements AutoCloseable {

    private static final ThreadLocal<Set<SharedClient>> STARTING = ThreadLocal.withInitial(HashSet::new);

    /** Guarded by this. */
    private @Nullable CairnClient client;

    /** Guarded by this. */
    private boolean owned;

    SharedClient() {}

    synchronized CairnClient get(ImportedConfig config) {
        CairnClient running = client;
        if (running == null) {
            running = config.properties().start(config.application());
            client = running;
            STARTING.get().add(this);
        }
        return running;
    }

    /** The context owns the client now; called on the starting thread. */
    void handedOver() {
        STARTING.get().remove(this);
        if (STARTING.get().isEmpty()) {
            STARTING.remove();
        }
    }

    /** The start failed before a context existed; called on the starting thread. */
    static void endStart() {
        Set<SharedClient> left = Set.copyOf(STARTING.get());
        STARTING.remove();
        left.forEach(SharedClient::close);
    }

    /** @throws IllegalStateException after {@link #close} */
    public synchronized CairnClient client() {
        CairnClient running = client;
        if (running == null) {
            throw new IllegalStateException("the client of the application's imports is closed");
        }
        return running;
    }

    synchronized boolean isRunning() {
        return client != null;
    }

    /** Returns true for the first caller, which must close the client; child contexts find the same imports. */
    synchronized boolean own() {
        boolean first = !owned;
        owned = true;
        return first;
    }

    @Override
    public synchronized void close() {
        if (client != null) {
            client.close();
            client = null;
        }
    }
}
