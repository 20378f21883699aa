package io.cairn.server.http.v2;

import io.cairn.server.http.naming.ClientEndpoints;
import io.cairn.server.http.naming.ClientReads;
import io.cairn.server.http.naming.OperatorEndpoints;
import io.cairn.server.http.naming.RegistryActions;
import io.cairn.server.http.naming.ResponseWording;
import io.cairn.server.http.naming.ServiceActions;
import io.cairn.server.http.route.Endpoints;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.HttpRoutes;
import io.cairn.server.http.route.Right;
import io.cairn.server.subscription.udp.UdpSubscribers;
import java.util.ArrayList;
import java.util.List;

public final class NamingV2 implements HttpRoutes {

    static final ResponseWording WORDING = new ResponseWording(V2.OK, V2.ENVELOPE::json, V2.ENVELOPE::written);

    private final List<HttpRoute> routes = new ArrayList<>();

    public NamingV2(RegistryActions registry, ClientReads clients, UdpSubscribers udp) {
        Endpoints usual = new Endpoints(V2.ERRORS);
        Endpoints single = new Endpoints(V2.SINGLE_PARAMETERS);
        ServiceActions services = registry.services();
        routes.addAll(registry.unlessSwitchedOff(
                new V2Instances(registry.switches(), registry.instances(), services, udp).routes(usual, single)));
        routes.addAll(registry.unlessSwitchedOff(new V2Services(services).routes(usual, single)));
        routes.addAll(operator(registry.operators(WORDING), usual));
        routes.addAll(new ClientEndpoints(clients, V2Clients.VIEWS, WORDING).routes("/v2/ns/client", single));
    }

    private static List<HttpRoute> operator(OperatorEndpoints shared, Endpoints endpoints) {
        List<HttpRoute> routes = new ArrayList<>();
        for (String path : List.of("/v2/ns/operator", "/v2/ns/ops")) {
            routes.add(endpoints.get(path + "/switches", OperatorEndpoints.SWITCHES, shared::switches));
            routes.add(endpoints.put(path + "/switches", OperatorEndpoints.SET_SWITCH, shared::setSwitch));
            routes.add(
                    endpoints.get(path + "/metrics", OperatorEndpoints.metrics(Right.known()), shared.metrics(true)));
        }
        for (String path : List.of("/v2/ns/health", "/v2/ns/health/instance")) {
            routes.add(endpoints.put(path, OperatorEndpoints.SET_HEALTH, shared::setHealth));
        }
        return routes;
    }

    @Override
    public List<HttpRoute> routes() {
        return routes;
    }
}
