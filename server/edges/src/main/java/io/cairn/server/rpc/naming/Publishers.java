package io.cairn.server.rpc.naming;

import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.connection.ClientConnection;
import io.cairn.server.naming.NamingService;
import io.cairn.server.naming.Publisher;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Registers on behalf of connections: what they publish lives as long as they do. Thread-safe. */
public final class Publishers {

    private final NamingService naming;

    public Publishers(NamingService naming) {
        this.naming = naming;
    }

    /** The characters that an instance's metadata may have. */
    int maxMetadata() {
        return naming.maxMetadata();
    }

    void register(ClientConnection connection, ServiceKey service, List<Instance> instances) {
        Publisher known = naming.publisher(connection.id());
        Publisher publisher = known != null ? known : naming.connection(connection.id(), client(connection));
        try {
            naming.register(publisher, service, instances);
        } finally {
            if (connection.isClosed()) {
                // It ended while this was under way, and whoever cleared up after it may have come too early.
                naming.connectionClosed(connection.id(), connection.isAskedToMove());
            }
        }
    }

    /** @param instance the one that its client speaks of; null where it does not say */
    void deregister(ClientConnection connection, ServiceKey service, @Nullable InstanceKey instance) {
        Publisher publisher = naming.publisher(connection.id());
        if (publisher != null) {
            naming.deregister(publisher, service);
        }
        if (instance != null) {
            naming.forgetRecovered(service, instance);
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
