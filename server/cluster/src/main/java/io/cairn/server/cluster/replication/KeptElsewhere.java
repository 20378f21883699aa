package io.cairn.server.cluster.replication;

import io.cairn.server.cluster.wire.ClusterMessage;
import io.cairn.server.node.NodeId;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Gathers the parts that other nodes send of a departed node. Not thread-safe. */
final class KeptElsewhere {

    private final Map<NodeId, GatheredEntries> bySender = new HashMap<>(0);

    @Nullable
    GatheredEntries take(NodeId sender, ClusterMessage.Orphans orphans) {
        GatheredEntries gathered = orphans.part() == 0 ? new GatheredEntries() : bySender.get(sender);
        if (gathered == null || !gathered.add(orphans.part(), orphans.entries())) {
            // The sender's view has changed; a node that knows both views sends the copy again.
            bySender.remove(sender);
            return null;
        }
        if (orphans.last()) {
            bySender.remove(sender);
            return gathered;
        }
        bySender.put(sender, gathered);
        return null;
    }

    void clear() {
        bySender.clear();
    }

    boolean isEmpty() {
        return bySender.isEmpty();
    }
}
