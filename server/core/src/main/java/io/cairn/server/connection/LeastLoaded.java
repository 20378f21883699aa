package io.cairn.server.connection;

import io.cairn.server.node.NodeId;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Selects the node with the fewest clients, counting those sent to it. A later report of a known node is ignored: it does not show
 * how many sent clients have arrived. For one thread.
 */
public final class LeastLoaded {

    private final Map<NodeId, Long> clients = new LinkedHashMap<>();

    /** @param loads clients of each selectable node */
    public void nodesAre(Map<NodeId, Long> loads) {
        clients.keySet().retainAll(loads.keySet());
        loads.forEach(clients::putIfAbsent);
    }

    /** The node for the next client, or null. */
    public @Nullable NodeId next() {
        NodeId least = null;
        long fewest = Long.MAX_VALUE;
        for (Map.Entry<NodeId, Long> each : clients.entrySet()) {
            if (each.getValue() < fewest) {
                least = each.getKey();
                fewest = each.getValue();
            }
        }
        if (least != null) {
            clients.put(least, fewest + 1);
        }
        return least;
    }

    void clear() {
        clients.clear();
    }
}
