package io.cairn.server.http.v1;

import io.cairn.server.http.core.ClusterNodes;
import io.cairn.server.http.core.LogLevels;
import io.cairn.server.http.naming.RegistryActions;
import io.cairn.server.http.naming.ServiceActions;
import io.cairn.server.http.route.Endpoints;
import io.cairn.server.http.route.Form;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.HttpRoutes;
import io.cairn.server.http.route.Operation;
import io.cairn.server.http.route.Right;
import io.cairn.server.naming.registry.ClientOwnership;
import io.cairn.server.naming.registry.RegistryView;
import io.cairn.server.push.PushMeters;
import io.cairn.server.subscription.udp.UdpSubscribers;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Everything below {@code /v1/ns}. */
public final class NamingEndpoints implements HttpRoutes {

    private final List<HttpRoute> routes = new ArrayList<>();

    public NamingEndpoints(
            RegistryActions registry,
            UdpSubscribers udp,
            PushMeters pushes,
            ClientOwnership ownership,
            LogLevels logLevels,
            ClusterNodes nodes,
            V1NamingErrors errors) {
        RegistryView reads = registry.reads();
        ServiceActions services = registry.services();
        Endpoints usual = new Endpoints(errors);
        Endpoints declared = new Endpoints(errors.ofDeclared());
        V1Operator operator = new V1Operator(
                reads, registry.operators(V1Naming.WORDING), registry.metrics(), pushes, ownership, logLevels, nodes);
        routes.addAll(registry.unlessSwitchedOff(
                new V1Instances(registry.switches(), registry.instances(), udp).routes(usual, declared)));
        routes.addAll(registry.unlessSwitchedOff(new V1Services(reads, services).routes(usual, declared)));
        routes.addAll(registry.unlessSwitchedOff(new V1Catalog(reads, services).routes(usual, declared)));
        routes.addAll(registry.unlessSwitchedOff(operator.routes(usual, declared)));
        routes.addAll(operator.alwaysServed(usual, declared));
        // Other methods are refused here alike.
        routes.add(usual.get(
                "/v1/ns/**",
                Operation.of(Form.NONE)
                        .needs(Right.open())
                        .answers("object")
                        .says("Answers that the endpoint does not exist"),
                request -> CompletableFuture.completedFuture(errors.noSuchApi(request))));
    }

    @Override
    public List<HttpRoute> routes() {
        return routes;
    }
}
