package io.cairn.server.connection;

import io.cairn.server.node.NodeId;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Picks the node with the fewest clients, counting those that were sent to it. A load that a node reports later takes part only when the
 * node was not known before: it does not say how many of those that were sent have arrived. Used by one thread.
 */
public final class LeastLoaded {

    private final Map<NodeId, Long> clients = new LinkedHashMap<>();

    /** @param loads the clients of each node that may be picked */
    public void nodesAre(Map<NodeId, Long> loads) {
        clients.keySet().retainAll(loads.keySet());
        loads.forEach(clients::putIfAbsent);
    }

    /** The node for the next client; null when there is none. */
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
