package io.cairn.server.http.naming;

import io.cairn.api.naming.Instance;
import io.cairn.server.naming.registry.RegistryView;
import io.cairn.server.naming.view.ServiceSnapshot;

/**
 * A service in a list.
 *
 * @param triggerFlag {@code true} when protection applies: consumers get all instances
 */
public record ServiceSummary(
        String name, String groupName, int clusterCount, int ipCount, int healthyInstanceCount, String triggerFlag) {

    public static ServiceSummary of(RegistryView reads, ServiceSnapshot service) {
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
                Boolean.toString(reads.view(service.service(), "", false).isProtected()));
    }
}
