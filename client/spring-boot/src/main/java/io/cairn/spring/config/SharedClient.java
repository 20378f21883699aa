package io.cairn.spring.config;

import io.cairn.client.CairnClient;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The client that an application's imports share; started with the first of them. Thread-safe.
 *
 * <p>Between then and the making of the context nobody else knows of it, and Boot hands nothing over that has the same name
 * in all its generations; so the starting thread remembers it, and {@link #endStart} closes it should the start fail.
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

    /** The context has taken over; on the starting thread. */
    void handedOver() {
        STARTING.get().remove(this);
        if (STARTING.get().isEmpty()) {
            STARTING.remove();
        }
    }

    /** A start has failed before there was a context; on the starting thread. */
    static void endStart() {
        Set<SharedClient> left = Set.copyOf(STARTING.get());
        STARTING.remove();
        left.forEach(SharedClient::close);
    }

    /**
     * The running client.
     *
     * @throws IllegalStateException after {@link #close}
     */
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

    /** Whether the caller is the first who asks: the one that is to close it. Children of a context see its imports too. */
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
