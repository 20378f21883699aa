package io.cairn.server.naming;

import java.util.Collection;
import java.util.function.Consumer;

/** Stores the last known instances. Used by one thread at a time. */
public interface InstanceMemory extends AutoCloseable {

    /** Reads everything; unreadable entries are left out. Blocks. */
    void forEach(Consumer<KnownService> consumer);

    /**
     * Replaces the entries of these services. Blocks.
     *
     * @throws io.cairn.api.error.CairnException {@code UNAVAILABLE} if they cannot be written
     */
    void save(Collection<KnownService> services);

    @Override
    void close();
}
