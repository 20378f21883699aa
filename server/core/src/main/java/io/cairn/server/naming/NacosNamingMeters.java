package io.cairn.server.naming;

import io.cairn.server.metrics.nacos.NacosMeters;
import java.util.List;

/** Shows services and instances to dashboards made for Nacos. */
public final class NacosNamingMeters {

    public NacosNamingMeters(NacosMeters meters, NamingService naming) {
        meters.monitor("naming", "serviceCount", naming::serviceCount);
        meters.monitor("naming", "ipCount", naming::instanceCount);
        for (String type : List.of("http", "tcp", "mysql")) {
            meters.monitor("naming", type + "HealthCheck", () -> meters.healthChecks(type));
        }
        meters.publishers("v1", () -> publications(naming, false));
        meters.publishers("v2", () -> publications(naming, true));
    }

    /** Pairs of a client and a service that it publishes instances of. */
    private static long publications(NamingService naming, boolean ofConnections) {
        long sum = 0;
        for (Publisher publisher : naming.publishers()) {
            if (publisher.kind() == Publisher.Kind.CONNECTION == ofConnections) {
                sum += publisher.services().size();
            }
        }
        return sum;
    }
}
