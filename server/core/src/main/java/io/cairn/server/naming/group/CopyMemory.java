package io.cairn.server.naming.group;

import io.cairn.api.naming.ServiceKey;
import io.cairn.server.node.NodeId;
import java.util.Collection;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Stores other nodes' publications over a restart of all nodes. For one thread at a time. */
public interface CopyMemory extends AutoCloseable {

    /**
     * A publication of another node.
     *
     * @param owner the owner's run
     */
    record Key(NodeId owner, String publisherId, ServiceKey service) {}

    /** @param encoded in the nodes' format; null when ended */
    record Entry(Key key, byte @Nullable [] encoded) {}

    /** Skips unreadable entries. Blocks. */
    void forEach(Consumer<Entry> consumer);

    /**
     * Replaces these entries. Blocks.
     *
     * @throws io.cairn.api.error.CairnException {@code UNAVAILABLE} if unwritable
     */
    void save(Collection<Entry> entries);

    /**
     * Blocks.
     *
     * @throws io.cairn.api.error.CairnException {@code UNAVAILABLE} if unwritable
     */
    void clear();

    @Override
    void close();
}
