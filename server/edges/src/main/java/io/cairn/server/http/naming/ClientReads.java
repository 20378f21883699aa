package io.cairn.server.http.naming;

import io.cairn.api.config.Namespace;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.config.ReadPool;
import io.cairn.server.http.naming.ClientEndpoints.PublishedService;
import io.cairn.server.http.naming.ClientEndpoints.SubscribedService;
import io.cairn.server.http.nodes.Gathered;
import io.cairn.server.http.nodes.NodeRead;
import io.cairn.server.node.ClusterReads;
import io.cairn.server.subscription.Subscriber;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The clients of the registry on all nodes. Never blocks. */
public final class ClientReads {

    private static final String CLIENT_ID = "clientId";

    private final NamingClients here;
    private final SubscriberReads subscribers;
    private final NodeRead<Id> ids;
    private final NodeRead<NamingClients.Client> client;
    private final NodeRead<Published> published;
    private final NodeRead<Subscribed> subscribed;

    record Id(String id) {}

    record Published(String namespace, String group, String service, String ip, int port, String cluster) {

        static List<Published> of(Map<ServiceKey, List<Instance>> all) {
            return all.entrySet().stream()
                    .flatMap(entry -> entry.getValue().stream().map(instance -> of(entry.getKey(), instance.key())))
                    .toList();
        }

        private static Published of(ServiceKey service, InstanceKey instance) {
            return new Published(
                    service.namespace().id(),
                    service.group(),
                    service.name(),
                    instance.ip(),
                    instance.port(),
                    instance.cluster());
        }

        PublishedService shown() {
            return new PublishedService(
                    new ServiceKey(Namespace.ofNullable(namespace), group, service),
                    new InstanceKey(ip, port, cluster));
        }
    }

    record Subscribed(String namespace, String group, String service, Subscriber subscriber) {

        static List<Subscribed> of(Map<ServiceKey, Subscriber> all) {
            return all.entrySet().stream()
                    .map(entry -> new Subscribed(
                            entry.getKey().namespace().id(),
                            entry.getKey().group(),
                            entry.getKey().name(),
                            entry.getValue()))
                    .toList();
        }

        SubscribedService shown() {
            return new SubscribedService(new ServiceKey(Namespace.ofNullable(namespace), group, service), subscriber);
        }
    }

    /**
     * @param here the clients of this node
     * @param pool reads the clients of others
     */
    public ClientReads(NamingClients here, SubscriberReads subscribers, ClusterReads nodes, ReadPool pool) {
        this.here = here;
        this.subscribers = subscribers;
        this.ids = NodeRead.declare(
                nodes,
                "naming.clients",
                Id.class,
                asked -> here.ids().stream().map(Id::new).toList(),
                pool);
        this.client = NodeRead.declare(
                nodes,
                "naming.client",
                NamingClients.Client.class,
                asked -> {
                    NamingClients.Client found = here.find(asked.getOrDefault(CLIENT_ID, ""));
                    return found == null ? List.of() : List.of(found);
                },
                pool);
        this.published = NodeRead.declare(
                nodes,
                "naming.client.published",
                Published.class,
                asked -> Published.of(here.publishedBy(asked.getOrDefault(CLIENT_ID, ""))),
                pool);
        this.subscribed = NodeRead.declare(
                nodes,
                "naming.client.subscribed",
                Subscribed.class,
                asked -> Subscribed.of(here.subscribedBy(asked.getOrDefault(CLIENT_ID, ""))),
                pool);
    }

    /** Each id once. */
    CompletionStage<Gathered<String>> ids() {
        return ids.all(Map.of())
                .thenApply(all -> new Gathered<>(
                        all.rows().stream().map(Id::id).distinct().toList(), all.silent()));
    }

    /** Fails with {@code NOT_FOUND} when no answering node knows the client. */
    CompletionStage<Gathered<NamingClients.Client>> find(String id) {
        return client.all(Map.of(CLIENT_ID, id)).thenApply(found -> {
            if (found.rows().isEmpty()) {
                throw absent(id, found);
            }
            return found;
        });
    }

    private static CairnException absent(String id, Gathered<?> found) {
        String text = "clientId [ " + id + " ] not exist";
        return new CairnException(
                ErrorCode.NOT_FOUND,
                found.silent().isNone()
                        ? text
                        : text + " on the nodes that have answered; these have not: "
                                + String.join(", ", found.silent().addresses()));
    }

    /** Fails as {@link #find}. */
    CompletionStage<Gathered<PublishedService>> publishedBy(String id) {
        return find(id).thenCompose(known -> published.all(Map.of(CLIENT_ID, id)))
                .thenApply(all -> new Gathered<>(
                        all.rows().stream().distinct().map(Published::shown).toList(), all.silent()));
    }

    /** Fails as {@link #find}. */
    CompletionStage<Gathered<SubscribedService>> subscribedBy(String id) {
        return find(id).thenCompose(known -> subscribed.all(Map.of(CLIENT_ID, id)))
                .thenApply(all -> new Gathered<>(
                        all.rows().stream().distinct().map(Subscribed::shown).toList(), all.silent()));
    }

    /** As {@link NamingClients#publishersOf}: each node has all instances. */
    List<NamingClients.Published> publishersOf(
            ServiceKey service, @Nullable Boolean ephemeral, @Nullable String ip, @Nullable Integer port) {
        return here.publishersOf(service, ephemeral, ip, port);
    }

    /**
     * @param ip null for any
     * @param port null for any
     */
    CompletionStage<Gathered<Subscriber>> subscribersOf(
            ServiceKey service, @Nullable String ip, @Nullable Integer port) {
        return subscribers
                .of(service)
                .thenApply(all -> new Gathered<>(
                        all.rows().stream()
                                .filter(each -> NamingClients.matches(each.ip(), each.port(), ip, port))
                                .toList(),
                        all.silent()));
    }
}
