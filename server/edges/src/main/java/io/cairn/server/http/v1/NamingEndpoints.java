package io.cairn.server.http.v1;

import io.cairn.server.http.core.ClusterNodes;
import io.cairn.server.http.core.LogLevels;
import io.cairn.server.http.naming.InstanceActions;
import io.cairn.server.http.naming.MaintenanceMode;
import io.cairn.server.http.naming.OperatorEndpoints;
import io.cairn.server.http.naming.RegistryMetrics;
import io.cairn.server.http.naming.ServiceActions;
import io.cairn.server.http.route.Endpoints;
import io.cairn.server.http.route.Form;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.Operation;
import io.cairn.server.http.route.Right;
import io.cairn.server.naming.ClientOwnership;
import io.cairn.server.naming.NamingService;
import io.cairn.server.naming.StoredNaming;
import io.cairn.server.push.PushMeters;
import io.cairn.server.subscription.udp.UdpSubscribers;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Everything below {@code /v1/ns}. */
public final class NamingEndpoints {

    private final List<HttpRoute> routes = new ArrayList<>();

    /** @param pushes of services */
    public NamingEndpoints(
            NamingService naming,
            StoredNaming stored,
            InstanceActions instances,
            ServiceActions services,
            RegistryMetrics metrics,
            UdpSubscribers udp,
            PushMeters pushes,
            ClientOwnership ownership,
            LogLevels logLevels,
            ClusterNodes nodes,
            MaintenanceMode maintenance,
            V1NamingErrors errors) {
        Endpoints usual = new Endpoints(errors);
        Endpoints declared = new Endpoints(errors.ofDeclared());
        OperatorEndpoints shared =
                new OperatorEndpoints(naming.switches(), stored, services, metrics, V1Naming.WORDING);
        V1Operator operator = new V1Operator(naming, shared, metrics, pushes, ownership, logLevels, nodes);
        routes.addAll(maintenance.before(new V1Instances(naming, instances, udp).routes(usual, declared)));
        routes.addAll(maintenance.before(new V1Services(naming, services).routes(usual, declared)));
        routes.addAll(maintenance.before(new V1Catalog(naming, services).routes(usual, declared)));
        routes.addAll(maintenance.before(operator.routes(usual, declared)));
        routes.addAll(operator.alwaysServed(usual, declared));
        // Other methods than this one are wrong here, and answered alike.
        routes.add(usual.get(
                "/v1/ns/**",
                Operation.of(Form.NONE)
                        .needs(Right.open())
                        .answers("object")
                        .says("Answers that the endpoint does not exist"),
                request -> CompletableFuture.completedFuture(errors.noSuchApi(request))));
    }

    public List<HttpRoute> routes() {
        return routes;
    }
}
