package io.cairn.server.http.v3;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.cairn.api.naming.Instance;
import io.cairn.server.http.naming.NamingJson;
import io.cairn.server.http.naming.SelectorView;
import io.cairn.server.naming.ClusterSettings;
import io.cairn.server.naming.ServiceSettings;
import io.cairn.server.naming.registry.InstanceLosses;
import io.cairn.server.naming.view.ServiceSnapshot;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.util.RawValue;

/**
 * A service with its settings.
 *
 * @param instanceCount null unless requested
 * @param healthyInstanceCount as {@code instanceCount}
 * @param losses its latest lost instances, newest first; null without any, and in a list of services
 */
record ServiceDetail(
        String namespaceId,
        String serviceName,
        String groupName,
        Map<String, Cluster> clusterMap,
        Map<String, String> metadata,
        double protectThreshold,
        SelectorView selector,
        boolean ephemeral,
        @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Integer instanceCount,
        @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Integer healthyInstanceCount,
        @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable List<Loss> losses) {

    /** @param hosts its instances in a list of services; null for a single service, which has its own list */
    record Cluster(
            String clusterName,
            RawValue healthChecker,
            int healthyCheckPort,
            boolean useInstancePortForCheck,
            Map<String, String> metadata,
            @Nullable List<RawValue> hosts) {

        static Cluster of(ServiceSnapshot service, String name, boolean withHosts) {
            ClusterSettings settings = service.settings().cluster(name);
            return new Cluster(
                    name,
                    new RawValue(settings.healthChecker()),
                    settings.checkPort(),
                    settings.useInstancePort(),
                    settings.metadata(),
                    withHosts ? hosts(service, name) : null);
        }

        private static List<RawValue> hosts(ServiceSnapshot service, String cluster) {
            List<Instance> hosts = new ArrayList<>();
            for (Instance instance : service.instances()) {
                if (instance.key().cluster().equals(cluster)) {
                    hosts.add(instance);
                }
            }
            return NamingJson.raw(hosts, service.service());
        }
    }

    /** Instances lost at about one time for one cause. */
    record Loss(String cause, String text, long time, int count, String example) {

        static Loss of(InstanceLosses.Loss loss) {
            return new Loss(loss.cause().name(), loss.cause().text(), loss.atMillis(), loss.count(), loss.example());
        }
    }

    static ServiceDetail alone(ServiceSnapshot service, List<InstanceLosses.Loss> losses, boolean withCounts) {
        return of(
                service,
                true,
                withCounts,
                losses.isEmpty() ? null : losses.stream().map(Loss::of).toList());
    }

    static ServiceDetail withHosts(ServiceSnapshot service) {
        return of(service, false, false, null);
    }

    private static int healthy(ServiceSnapshot service) {
        int healthy = 0;
        for (Instance instance : service.instances()) {
            healthy += instance.healthy() ? 1 : 0;
        }
        return healthy;
    }

    private static ServiceDetail of(
            ServiceSnapshot service, boolean isAlone, boolean withCounts, @Nullable List<Loss> losses) {
        ServiceSettings settings = service.settings();
        Map<String, Cluster> clusters = new LinkedHashMap<>();
        for (String name : NamingJson.clustersAndSettings(service)) {
            clusters.put(name, Cluster.of(service, name, !isAlone));
        }
        return new ServiceDetail(
                service.service().namespace().id(),
                service.service().name(),
                service.service().group(),
                clusters,
                settings.metadata(),
                settings.protectThreshold(),
                SelectorView.of(settings.selector()),
                service.isEphemeral(),
                withCounts ? service.size() : null,
                withCounts ? healthy(service) : null,
                losses);
    }
}
