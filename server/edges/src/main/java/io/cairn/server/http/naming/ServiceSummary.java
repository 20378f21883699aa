package io.cairn.server.http.naming;

import io.cairn.api.naming.Instance;
import io.cairn.server.naming.NamingService;
import io.cairn.server.naming.ServiceSnapshot;

/**
 * A service in a list.
 *
 * @param triggerFlag {@code true} when so few instances are healthy that consumers get all
 */
public record ServiceSummary(
        String name, String groupName, int clusterCount, int ipCount, int healthyInstanceCount, String triggerFlag) {

    public static ServiceSummary of(NamingService naming, ServiceSnapshot service) {
        int healthy = 0;
        for (Instance instance : service.instances()) {
            healthy += instance.healthy() ? 1 : 0;
        }
        return new ServiceSummary(
                service.service().name(),
                service.service().group(),
                NamingJson.clusters(service).size(),
                service.size(),
                healthy,
                Boolean.toString(naming.view(service.service(), "", false).isProtected()));
    }
}
