package io.cairn.spring.config;

import io.cairn.client.CairnClient;
import org.jspecify.annotations.Nullable;

/** The client that an application's imports share; started with the first of them. Thread-safe. */
public final class SharedClient implements AutoCloseable {

    private @Nullable CairnClient client;
    private boolean owned;

    SharedClient() {}

    synchronized CairnClient get(ImportedConfig config) {
        CairnClient running = client;
        if (running == null) {
            running = config.properties().start(config.application());
            client = running;
        }
        return running;
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
