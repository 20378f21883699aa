package io.cairn.server.http.naming;

import io.cairn.api.naming.Instance;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.connection.ClientConnection;
import io.cairn.server.connection.ConnectionRegistry;
import io.cairn.server.naming.registry.Publisher;
import io.cairn.server.naming.registry.RegistryView;
import io.cairn.server.subscription.Selection;
import io.cairn.server.subscription.ServiceSubscriptions;
import io.cairn.server.subscription.Subscriber;
import io.cairn.server.subscription.udp.UdpSubscribers;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The publishing and subscribing clients of this node, for operators. Each call visits all of them. {@link ClientReads} has all
 * nodes.
 */
public final class NamingClients {

    private static final String MODULE = "module";
    private static final String NAMING = "naming";

    private final RegistryView reads;
    private final ServiceSubscriptions subscriptions;
    private final ConnectionRegistry connections;
    private final UdpSubscribers udp;

    public NamingClients(
            RegistryView reads,
            ServiceSubscriptions subscriptions,
            ConnectionRegistry connections,
            UdpSubscribers udp) {
        this.reads = reads;
        this.subscriptions = subscriptions;
        this.connections = connections;
        this.udp = udp;
    }

    /**
     * One client.
     *
     * @param id a connection's id; over HTTP {@code ip:port#true} of an instance or UDP port, or {@code ip:port#false} for
     *     persistent instances
     * @param lastUpdatedMillis of its last registration or deregistration, or list with UDP, in epoch milliseconds
     * @param app null without a connection, as the version
     */
    public record Client(
            String id,
            boolean isEphemeral,
            boolean isConnection,
            long lastUpdatedMillis,
            String ip,
            int port,
            @Nullable String app,
            @Nullable String version) {}

    /** Connections first. */
    public Set<String> ids() {
        Set<String> ids = new LinkedHashSet<>();
        for (ClientConnection connection : connections.connections()) {
            if (NAMING.equals(connection.identity().labels().get(MODULE))) {
                ids.add(connection.id());
            }
        }
        for (Publisher publisher : reads.publishers()) {
            if (publisher.kind() != Publisher.Kind.RECOVERED) {
                ids.add(publisher.id());
            }
        }
        ids.addAll(udp.clientIds());
        return ids;
    }

    public @Nullable Client find(String id) {
        ClientConnection connection = connections.find(id);
        Publisher publisher = reads.publisher(id);
        if (connection != null) {
            String app = connection.app();
            return new Client(
                    id,
                    true,
                    true,
                    publisher != null ? publisher.lastUpdatedMillis() : connectedMillis(id),
                    connection.identity().clientIp(),
                    port(id),
                    app,
                    connection.identity().version());
        }
        UdpSubscribers.Client listener = udp.client(id);
        if (publisher == null || publisher.kind() == Publisher.Kind.RECOVERED) {
            return listener == null
                    ? null
                    : new Client(
                            id, true, false, listener.lastListedMillis(), listener.ip(), listener.port(), null, null);
        }
        Publisher.Client client = publisher.client();
        return new Client(
                id,
                publisher.isEphemeral(),
                publisher.kind() == Publisher.Kind.CONNECTION,
                listener == null
                        ? publisher.lastUpdatedMillis()
                        : Math.max(publisher.lastUpdatedMillis(), listener.lastListedMillis()),
                client.ip(),
                client.port(),
                null,
                null);
    }

    /** A connection's id is {@code millis_ip_port}. */
    private static long connectedMillis(String connectionId) {
        return Long.parseLong(connectionId.substring(0, connectionId.indexOf('_')));
    }

    private static int port(String connectionId) {
        return Integer.parseInt(connectionId.substring(connectionId.lastIndexOf('_') + 1));
    }

    /** Empty for an unknown client. */
    public Map<ServiceKey, List<Instance>> publishedBy(String id) {
        Publisher publisher = reads.publisher(id);
        return publisher == null ? Map.of() : reads.publishedBy(publisher);
    }

    /** Empty for an unknown client. */
    public Map<ServiceKey, Subscriber> subscribedBy(String id) {
        Map<ServiceKey, Subscriber> subscribed = new LinkedHashMap<>();
        ClientConnection connection = connections.find(id);
        Iterable<ServiceKey> candidates = connection == null
                ? subscriptions.services()
                : subscriptions.of(connection).stream().map(Selection::service).toList();
        for (ServiceKey service : candidates) {
            for (Subscriber subscriber : subscriptions.of(service)) {
                if (subscriber.clientId().equals(id)) {
                    subscribed.put(service, subscriber);
                }
            }
        }
        return subscribed;
    }

    /**
     * The instances of a service with their clients.
     *
     * @param ephemeral null for any
     * @param ip null for any
     * @param port null for any
     */
    public List<Published> publishersOf(
            ServiceKey service, @Nullable Boolean ephemeral, @Nullable String ip, @Nullable Integer port) {
        List<Published> all = new ArrayList<>();
        reads.publishersOf(service).forEach((publisher, instances) -> {
            if ((ephemeral == null || publisher.isEphemeral() == ephemeral)
                    && publisher.kind() != Publisher.Kind.RECOVERED) {
                for (Instance instance : instances) {
                    if (matches(instance.key().ip(), instance.key().port(), ip, port)) {
                        all.add(new Published(publisher.id(), instance));
                    }
                }
            }
        });
        return all;
    }

    public record Published(String clientId, Instance instance) {}

    static boolean matches(String ip, int port, @Nullable String wantedIp, @Nullable Integer wantedPort) {
        return (wantedIp == null || wantedIp.equals(ip)) && (wantedPort == null || wantedPort == port);
    }

    public static String address(Subscriber subscriber) {
        return subscriber.port() > 0 ? subscriber.ip() + ':' + subscriber.port() : subscriber.ip();
    }
}
