package io.cairn.server.http.naming;

import io.cairn.api.naming.ServiceKey;
import io.cairn.server.config.ReadPool;
import io.cairn.server.http.nodes.Gathered;
import io.cairn.server.http.nodes.NodeRead;
import io.cairn.server.node.ClusterReads;
import io.cairn.server.subscription.ServiceSubscriptions;
import io.cairn.server.subscription.Subscriber;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** The subscribers of services on all nodes. Never blocks. */
public final class SubscriberReads {

    private final ServiceSubscriptions subscriptions;
    private final NodeRead<Subscriber> ofService;

    /** @param pool reads the subscribers of others */
    public SubscriberReads(ServiceSubscriptions subscriptions, ClusterReads nodes, ReadPool pool) {
        this.subscriptions = subscriptions;
        this.ofService = NodeRead.declare(
                nodes,
                "naming.subscribers",
                Subscriber.class,
                asked -> subscriptions.of(ServiceQuestion.service(asked)),
                pool);
    }

    public CompletionStage<Gathered<Subscriber>> of(ServiceKey service) {
        return ofService.all(ServiceQuestion.of(service));
    }

    public List<Subscriber> here(ServiceKey service) {
        return subscriptions.of(service);
    }
}
