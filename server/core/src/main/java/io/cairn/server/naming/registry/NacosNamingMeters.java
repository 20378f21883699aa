package io.cairn.server.naming.registry;

import io.cairn.server.metrics.nacos.NacosMeters;
import java.util.List;

/** Services and instances for dashboards for Nacos. */
public final class NacosNamingMeters {

    public NacosNamingMeters(NacosMeters meters, RegistryView reads) {
        meters.monitor("naming", "serviceCount", reads::serviceCount);
        meters.monitor("naming", "ipCount", reads::instanceCount);
        for (String type : List.of("http", "tcp", "mysql")) {
            meters.monitor("naming", type + "HealthCheck", () -> meters.healthChecks(type));
        }
        meters.publishers("v1", () -> publications(reads, false));
        meters.publishers("v2", () -> publications(reads, true));
    }

    /** Pairs of a client and a service with its instances. */
    private static long publications(RegistryView reads, boolean ofConnections) {
        long sum = 0;
        for (Publisher publisher : reads.publishers()) {
            if (publisher.kind() == Publisher.Kind.CONNECTION == ofConnections) {
                sum += publisher.services().size();
            }
        }
        return sum;
    }
}
