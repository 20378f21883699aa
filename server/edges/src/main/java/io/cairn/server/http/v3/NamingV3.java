package io.cairn.server.http.v3;

import io.cairn.server.http.core.LogLevels;
import io.cairn.server.http.envelope.EnvelopeErrors;
import io.cairn.server.http.naming.ClientEndpoints;
import io.cairn.server.http.naming.ClientReads;
import io.cairn.server.http.naming.OperatorEndpoints;
import io.cairn.server.http.naming.RegistryActions;
import io.cairn.server.http.naming.ResponseWording;
import io.cairn.server.http.route.ContainerErrors;
import io.cairn.server.http.route.Endpoints;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.HttpRoutes;
import io.cairn.server.http.route.Right;
import io.cairn.server.naming.registry.ClientOwnership;
import io.cairn.server.subscription.HttpReaders;
import java.util.ArrayList;
import java.util.List;

public final class NamingV3 implements HttpRoutes {

    static final ResponseWording WORDING = new ResponseWording(V3.OK, V3.ENVELOPE::json, V3.ENVELOPE::written);

    private static final String OPS = "/v3/admin/ns/ops";
    private static final String HEALTH = "/v3/admin/ns/health";
    private static final String CLIENT = "/v3/admin/ns/client";

    private final List<HttpRoute> routes = new ArrayList<>();
    private final List<HttpRoute> consoleRoutes = new ArrayList<>();

    public NamingV3(
            RegistryActions registry,
            ClientReads clients,
            ClientOwnership ownership,
            HttpReaders readers,
            LogLevels logLevels,
            ContainerErrors container) {
        EnvelopeErrors errors = V3.errors(container);
        Endpoints endpoints = new Endpoints(errors);
        Endpoints ofClients = new Endpoints(errors.forSingleParameters("clientId", "ip", "port"));
        Endpoints ofLogs = new Endpoints(errors.forSingleParameters("logName", "logLevel"));
        V3Instances ofInstances = new V3Instances(
                registry.reads(), registry.switches(), registry.instances(), registry.drains(), readers);
        V3Services ofServices = new V3Services(registry.reads(), registry.services());
        OperatorEndpoints shared = registry.operators(WORDING);
        routes.addAll(registry.unlessSwitchedOff(ofInstances.clientRoutes(endpoints)));
        routes.addAll(registry.unlessSwitchedOff(ofInstances.adminRoutes(endpoints)));
        routes.addAll(registry.unlessSwitchedOff(ofServices.adminRoutes(endpoints)));
        routes.add(endpoints.get(OPS + "/switches", OperatorEndpoints.SWITCHES, shared::switches));
        routes.add(endpoints.put(OPS + "/switches", OperatorEndpoints.SET_SWITCH, shared::setSwitch));
        routes.add(endpoints.get(OPS + "/metrics", OperatorEndpoints.metrics(Right.known()), shared.metrics(false)));
        routes.add(ofLogs.put(OPS + "/log", OperatorEndpoints.SET_LOG_LEVEL, shared.setLogLevel(logLevels)));
        routes.add(endpoints.put(HEALTH + "/instance", OperatorEndpoints.SET_HEALTH, shared::setHealth));
        routes.add(endpoints.get(HEALTH + "/checkers", OperatorEndpoints.CHECKERS, shared::checkers));
        routes.addAll(new ClientEndpoints(clients, V3Clients.VIEWS, WORDING).routes(CLIENT, ofClients));
        routes.add(ofClients.get(
                CLIENT + "/distro",
                OperatorEndpoints.RESPONSIBLE,
                request -> WORDING.written(new OperatorEndpoints.ResponsibleServer(
                        ownership.ownerOf(OperatorEndpoints.clientId(request))))));
        consoleRoutes.addAll(registry.unlessSwitchedOff(ofInstances.consoleRoutes(endpoints)));
        consoleRoutes.addAll(registry.unlessSwitchedOff(ofServices.consoleRoutes(endpoints)));
    }

    @Override
    public List<HttpRoute> routes() {
        return routes;
    }

    @Override
    public List<HttpRoute> consoleRoutes() {
        return consoleRoutes;
    }
}
