package io.cairn.server.naming;

import java.util.Collection;
import java.util.function.Consumer;

/** Where what is last known of instances is kept. Used by one thread at a time. */
public interface InstanceMemory extends AutoCloseable {

    /** Reads everything; what cannot be read is left out. Blocks. */
    void forEach(Consumer<KnownService> consumer);

    /**
     * Replaces what is known of these services. Blocks.
     *
     * @throws io.cairn.api.error.CairnException {@code UNAVAILABLE} when it cannot be written
     */
    void save(Collection<KnownService> services);

    @Override
    void close();
}
