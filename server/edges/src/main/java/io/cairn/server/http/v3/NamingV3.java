package io.cairn.server.http.v3;

import io.cairn.server.http.naming.InstanceActions;
import io.cairn.server.http.naming.LogLevels;
import io.cairn.server.http.naming.MaintenanceMode;
import io.cairn.server.http.naming.NamingClients;
import io.cairn.server.http.naming.RegistryMetrics;
import io.cairn.server.http.naming.ServiceActions;
import io.cairn.server.http.route.ContainerErrors;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.naming.ClientOwnership;
import io.cairn.server.naming.NamingService;
import io.cairn.server.naming.StoredNaming;
import java.util.ArrayList;
import java.util.List;

/** The registry in version 3: for clients, for administration, for consoles. */
public final class NamingV3 {

    private final List<HttpRoute> routes = new ArrayList<>();
    private final List<HttpRoute> consoleRoutes = new ArrayList<>();

    public NamingV3(
            NamingService naming,
            StoredNaming stored,
            InstanceActions instances,
            ServiceActions services,
            NamingClients clients,
            RegistryMetrics metrics,
            MaintenanceMode gate,
            ClientOwnership ownership,
            LogLevels logLevels,
            ContainerErrors errors) {
        InstanceEndpoints instanceEndpoints = new InstanceEndpoints(naming, instances, errors);
        ServiceEndpoints serviceEndpoints = new ServiceEndpoints(naming, services, errors);
        routes.addAll(gate.before(instanceEndpoints.clientRoutes()));
        routes.addAll(gate.before(instanceEndpoints.adminRoutes()));
        routes.addAll(gate.before(serviceEndpoints.adminRoutes()));
        routes.addAll(new OperatorEndpoints(naming, stored, services, metrics, logLevels, errors).routes());
        routes.addAll(new ClientEndpoints(clients, ownership, errors).routes());
        consoleRoutes.addAll(gate.before(instanceEndpoints.consoleRoutes()));
        consoleRoutes.addAll(gate.before(serviceEndpoints.consoleRoutes()));
    }

    /** For clients and administration. */
    public List<HttpRoute> routes() {
        return routes;
    }

    /** For consoles, which Nacos serves on a port of its own without a context path. */
    public List<HttpRoute> consoleRoutes() {
        return consoleRoutes;
    }
}
