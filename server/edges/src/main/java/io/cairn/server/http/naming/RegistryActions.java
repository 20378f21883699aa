package io.cairn.server.http.naming;

import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.naming.NamingService;
import io.cairn.server.naming.StoredNaming;
import java.util.List;

/** The actions of all versions of the API on the registry; the versions differ in their paths, forms and words. */
public record RegistryActions(
        NamingService naming,
        StoredNaming stored,
        InstanceActions instances,
        ServiceActions services,
        RegistryMetrics metrics,
        MaintenanceMode maintenance) {

    /** The endpoints of operators, in the words of one version. */
    public OperatorEndpoints operators(ResponseWording wording) {
        return new OperatorEndpoints(naming.switches(), stored, services, metrics, wording);
    }

    /** The same routes, which are refused while an operator has switched the registry off. */
    public List<HttpRoute> unlessSwitchedOff(List<HttpRoute> routes) {
        return maintenance.before(routes);
    }
}
