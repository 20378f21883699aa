package io.cairn.cli.migrate;

import io.cairn.api.config.Namespace;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;

/** Lets two bridges notice each other by an instance of their own. */
final class BridgePresence {

    private static final String SERVICE = "cairn-bridge";
    private static final String ID = "id";

    private final Map<Side, ServiceStore> stores;
    private final Collection<Namespace> namespaces;
    private final Set<Side> writes;
    private final Instance own;
    private boolean announced;

    BridgePresence(
            Map<Side, ServiceStore> stores,
            Collection<Namespace> namespaces,
            boolean bothWays,
            String id,
            Map<String, String> described) {
        this.stores = stores;
        this.namespaces = List.copyOf(namespaces);
        writes = Side.withCopies(bothWays);
        Map<String, String> metadata = new TreeMap<>(described);
        metadata.put(ID, id);
        int port = 1 + Math.floorMod(id.hashCode(), 65_535);
        own = new Instance(
                new InstanceKey("127.0.0.1", port, InstanceKey.DEFAULT_CLUSTER), 0, true, true, true, metadata, null);
    }

    private ServiceStore store(Side side) {
        return Objects.requireNonNull(stores.get(side));
    }

    /** @throws OtherBridgeException when this bridge has to end for another bridge */
    void check() {
        for (Namespace namespace : namespaces) {
            ServiceKey key = key(namespace);
            for (Side side : Side.values()) {
                // Of two that start together, the one with the smaller id stays.
                refuseOthers(
                        side,
                        store(side),
                        namespace,
                        other -> !other.equals(id(own)) && (!announced || other.compareTo(id(own)) < 0));
                if (!announced && writes.contains(side)) {
                    store(side).mirror(key, List.of(own));
                }
            }
        }
        announced = true;
    }

    /** Removes the instance also where an earlier process of this bridge has left it. */
    void withdraw() {
        for (Namespace namespace : namespaces) {
            ServiceKey key = key(namespace);
            for (Side side : Side.values()) {
                if (!store(side).read(key).instances().isEmpty()) {
                    store(side).mirror(key, List.of(own));
                    store(side).mirror(key, List.of());
                }
            }
        }
    }

    /** @throws OtherBridgeException when a bridge with another id works there */
    static void refuseOthers(Side side, ServiceStore store, Namespace namespace, String id) {
        refuseOthers(side, store, namespace, other -> !other.equals(id));
    }

    private static void refuseOthers(Side side, ServiceStore store, Namespace namespace, Predicate<String> isRefused) {
        for (Instance other : store.read(key(namespace)).instances()) {
            if (isRefused.test(id(other))) {
                throw new OtherBridgeException("another bridge works in namespace " + namespace + " of the " + side
                        + ": " + other.metadata()
                        + " (end one of them; a killed one is forgotten after some minutes at most)");
            }
        }
    }

    private static ServiceKey key(Namespace namespace) {
        return new ServiceKey(namespace, Origin.BRIDGES, SERVICE);
    }

    private static String id(Instance bridge) {
        return bridge.metadata().getOrDefault(ID, "");
    }
}
