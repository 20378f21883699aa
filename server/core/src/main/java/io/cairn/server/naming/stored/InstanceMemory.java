package io.cairn.server.naming.stored;

import io.cairn.server.naming.lease.KnownService;
import java.util.Collection;
import java.util.function.Consumer;

/** Stores the last known instances. For one thread at a time. */
public interface InstanceMemory extends AutoCloseable {

    /** Skips unreadable entries. Blocks. */
    void forEach(Consumer<KnownService> consumer);

    /**
     * Replaces these services' entries. Blocks.
     *
     * @throws io.cairn.api.error.CairnException {@code UNAVAILABLE} if unwritable
     */
    void save(Collection<KnownService> services);

    @Override
    void close();
}
