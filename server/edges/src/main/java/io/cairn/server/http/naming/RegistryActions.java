package io.cairn.server.http.naming;

import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.naming.registry.RegistryView;
import io.cairn.server.naming.stored.StoredNaming;
import io.cairn.server.naming.switches.Switches;
import java.util.List;

/** The actions of all versions on the registry; versions differ in paths, forms and words. */
public record RegistryActions(
        RegistryView reads,
        Switches switches,
        StoredNaming stored,
        InstanceActions instances,
        DrainActions drains,
        ServiceActions services,
        RegistryMetrics metrics,
        MaintenanceMode maintenance) {

    public OperatorEndpoints operators(ResponseWording wording) {
        return new OperatorEndpoints(switches, stored, services, metrics, wording);
    }

    /** The routes, refused while an operator has switched off the registry. */
    public List<HttpRoute> unlessSwitchedOff(List<HttpRoute> routes) {
        return maintenance.before(routes);
    }
}
