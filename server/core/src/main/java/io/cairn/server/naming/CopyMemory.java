package io.cairn.server.naming;

import io.cairn.api.naming.ServiceKey;
import io.cairn.server.node.NodeId;
import java.util.Collection;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Where a node of a group keeps what other nodes own, over a restart of all of them. Used by one thread at a time. */
public interface CopyMemory extends AutoCloseable {

    /**
     * Names a publication of another node.
     *
     * @param owner the run of the node that owned it
     */
    record Key(NodeId owner, String publisherId, ServiceKey service) {}

    /** @param encoded the publication as nodes send it to each other; null when there is none any more */
    record Entry(Key key, byte @Nullable [] encoded) {}

    /** Reads everything; what cannot be read is left out. Blocks. */
    void forEach(Consumer<Entry> consumer);

    /**
     * Replaces what is known of these. Blocks.
     *
     * @throws io.cairn.api.error.CairnException {@code UNAVAILABLE} when it cannot be written
     */
    void save(Collection<Entry> entries);

    /**
     * Removes everything. Blocks.
     *
     * @throws io.cairn.api.error.CairnException {@code UNAVAILABLE} when it cannot be written
     */
    void clear();

    @Override
    void close();
}
