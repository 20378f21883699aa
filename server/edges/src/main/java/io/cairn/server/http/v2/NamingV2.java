package io.cairn.server.http.v2;

import io.cairn.server.http.naming.BeatEndpoint;
import io.cairn.server.http.naming.InstanceActions;
import io.cairn.server.http.naming.MaintenanceMode;
import io.cairn.server.http.naming.NamingClients;
import io.cairn.server.http.naming.RegistryMetrics;
import io.cairn.server.http.naming.ServiceActions;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.naming.NamingService;
import io.cairn.server.naming.StoredNaming;
import io.cairn.server.subscription.udp.UdpSubscribers;
import java.util.ArrayList;
import java.util.List;

/** The registry in version 2. */
public final class NamingV2 {

    private final List<HttpRoute> routes = new ArrayList<>();

    public NamingV2(
            NamingService naming,
            StoredNaming stored,
            InstanceActions instances,
            ServiceActions services,
            NamingClients clients,
            RegistryMetrics metrics,
            UdpSubscribers udp,
            MaintenanceMode gate) {
        BeatEndpoint beat = new BeatEndpoint(instances, naming.switches());
        routes.addAll(gate.before(new InstanceEndpoints(naming, instances, services, beat, udp).routes()));
        routes.addAll(gate.before(new ServiceEndpoints(services).routes()));
        routes.addAll(new OperatorEndpoints(naming, stored, services, metrics).routes());
        routes.addAll(new ClientEndpoints(clients).routes());
    }

    public List<HttpRoute> routes() {
        return routes;
    }
}
