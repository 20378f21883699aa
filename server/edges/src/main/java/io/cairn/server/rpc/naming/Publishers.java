package io.cairn.server.rpc.naming;

import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.connection.ClientConnection;
import io.cairn.server.naming.lease.Recovery;
import io.cairn.server.naming.registry.Publisher;
import io.cairn.server.naming.registry.Registrations;
import io.cairn.server.naming.registry.Registry;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Registers for connections; the publications end with them. */
public final class Publishers {

    /** A label of clients that register for others: their instances stay after a broken connection until they are back. */
    private static final String KEEPS_INSTANCES = "cairn.keep-instances";

    private final Registry registry;
    private final Registrations registrations;
    private final Recovery recovery;

    public Publishers(Registry registry, Registrations registrations, Recovery recovery) {
        this.registry = registry;
        this.registrations = registrations;
        this.recovery = recovery;
    }

    /** Ends or keeps the publications of a closed connection, by the cause of its end. */
    public static void closed(ClientConnection connection, Recovery recovery) {
        boolean keeps = "true".equals(connection.identity().labels().get(KEEPS_INSTANCES));
        if (connection.isExpired() || keeps) {
            recovery.connectionExpired(connection.id());
        } else {
            recovery.connectionClosed(connection.id(), connection.isAskedToMove());
        }
    }

    int maxMetadata() {
        return registry.settings().maxMetadata();
    }

    void register(ClientConnection connection, ServiceKey service, List<Instance> instances) {
        Publisher known = registry.publisher(connection.id());
        Publisher publisher = known != null ? known : registry.connection(connection.id(), client(connection));
        try {
            registrations.register(publisher, service, instances);
        } finally {
            if (connection.isClosed()) {
                // The connection ended meanwhile, perhaps after its clean-up.
                closed(connection, recovery);
            }
        }
    }

    /** @param instance the named one, or null */
    void deregister(ClientConnection connection, ServiceKey service, @Nullable InstanceKey instance) {
        Publisher publisher = registry.publisher(connection.id());
        if (publisher != null) {
            registrations.deregister(publisher, service);
        }
        if (instance != null) {
            recovery.forgetRecovered(service, instance);
        }
    }

    private static Publisher.Client client(ClientConnection connection) {
        String id = connection.id();
        String port = id.substring(id.lastIndexOf('_') + 1);
        return new Publisher.Client(
                connection.identity().clientIp(),
                port.chars().allMatch(c -> c >= '0' && c <= '9') && !port.isEmpty() && port.length() < 6
                        ? Integer.parseInt(port)
                        : 0,
                connection.identity().labels().getOrDefault("AppName", "unknown"),
                connection.identity().version());
    }
}
