package io.cairn.server.http.naming;

import io.cairn.api.config.Namespace;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.config.ReadPool;
import io.cairn.server.http.nodes.Gathered;
import io.cairn.server.http.nodes.NodeRead;
import io.cairn.server.node.ClusterReads;
import io.cairn.server.subscription.ServiceSubscriptions;
import io.cairn.server.subscription.Subscriber;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletionStage;

/** The subscribers of services on all nodes. Never blocks. */
public final class SubscriberReads {

    private final ServiceSubscriptions subscriptions;
    private final NodeRead<Subscriber> ofService;

    /** @param pool reads the subscribers of others */
    public SubscriberReads(ServiceSubscriptions subscriptions, ClusterReads nodes, ReadPool pool) {
        this.subscriptions = subscriptions;
        this.ofService = NodeRead.declare(
                nodes, "naming.subscribers", Subscriber.class, asked -> subscriptions.of(service(asked)), pool);
    }

    public CompletionStage<Gathered<Subscriber>> of(ServiceKey service) {
        return ofService.all(
                Map.of("namespace", service.namespace().id(), "group", service.group(), "service", service.name()));
    }

    public List<Subscriber> here(ServiceKey service) {
        return subscriptions.of(service);
    }

    private static ServiceKey service(Map<String, String> asked) {
        return new ServiceKey(
                Namespace.ofNullable(asked.get("namespace")),
                Objects.requireNonNull(asked.get("group"), "group"),
                Objects.requireNonNull(asked.get("service"), "service"));
    }
}
