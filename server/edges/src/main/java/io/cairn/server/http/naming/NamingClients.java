package io.cairn.server.http.naming;

import io.cairn.api.naming.Instance;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.connection.ClientConnection;
import io.cairn.server.connection.ConnectionRegistry;
import io.cairn.server.naming.NamingService;
import io.cairn.server.naming.Publisher;
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
 * The clients of this node that publish and subscribe, for operators. Each call walks over all of them. {@link ClientReads} has those
 * of all nodes. Thread-safe.
 */
public final class NamingClients {

    private static final String MODULE = "module";
    private static final String NAMING = "naming";

    private final NamingService naming;
    private final ServiceSubscriptions subscriptions;
    private final ConnectionRegistry connections;
    private final UdpSubscribers udp;

    public NamingClients(
            NamingService naming,
            ServiceSubscriptions subscriptions,
            ConnectionRegistry connections,
            UdpSubscribers udp) {
        this.naming = naming;
        this.subscriptions = subscriptions;
        this.connections = connections;
        this.udp = udp;
    }

    /**
     * One client.
     *
     * @param id a connection's id, or {@code ip:port#true} over HTTP, be it that of an instance or the UDP port at which
     *     it hears of changes, or {@code ip:port#false} for what is persistent
     * @param lastUpdatedMillis when it last registered or deregistered something, or listed what it hears of by UDP, in
     *     epoch milliseconds
     * @param app null if the client has no connection, or no longer; so is the version
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

    /** The ids of all clients, those of connections first. */
    public Set<String> ids() {
        Set<String> ids = new LinkedHashSet<>();
        for (ClientConnection connection : connections.connections()) {
            if (NAMING.equals(connection.identity().labels().get(MODULE))) {
                ids.add(connection.id());
            }
        }
        for (Publisher publisher : naming.publishers()) {
            if (publisher.kind() != Publisher.Kind.RECOVERED) {
                ids.add(publisher.id());
            }
        }
        ids.addAll(udp.clientIds());
        return ids;
    }

    public @Nullable Client find(String id) {
        ClientConnection connection = connections.find(id);
        Publisher publisher = naming.publisher(id);
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

    /** The instances that a client has published; empty for a client that does not exist. */
    public Map<ServiceKey, List<Instance>> publishedBy(String id) {
        Publisher publisher = naming.publisher(id);
        return publisher == null ? Map.of() : naming.publishedBy(publisher);
    }

    /** The services to which a client subscribes; empty for a client that does not exist. */
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
     * The instances of a service, each with the client that has published it.
     *
     * @param ephemeral whether those that live only as long as their publisher does; null for any
     * @param ip null for any
     * @param port null for any
     */
    public List<Published> publishersOf(
            ServiceKey service, @Nullable Boolean ephemeral, @Nullable String ip, @Nullable Integer port) {
        List<Published> all = new ArrayList<>();
        naming.publishersOf(service).forEach((publisher, instances) -> {
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

    /** One instance and the client that has published it. */
    public record Published(String clientId, Instance instance) {}

    static boolean matches(String ip, int port, @Nullable String wantedIp, @Nullable Integer wantedPort) {
        return (wantedIp == null || wantedIp.equals(ip)) && (wantedPort == null || wantedPort == port);
    }

    /** The address of a subscriber. */
    public static String address(Subscriber subscriber) {
        return subscriber.port() > 0 ? subscriber.ip() + ':' + subscriber.port() : subscriber.ip();
    }
}
