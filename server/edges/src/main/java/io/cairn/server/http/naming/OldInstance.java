package io.cairn.server.http.naming;

import io.cairn.api.naming.Instance;
import io.cairn.api.wire.naming.NamingWire;
import java.util.Map;

/** The members of an instance in versions 1 and 2, beside its service name. */
public record OldInstance(
        String ip,
        int port,
        String clusterName,
        double weight,
        boolean healthy,
        String instanceId,
        Map<String, String> metadata) {

    /** @param groupedName group and name of the service */
    public static OldInstance of(Instance instance, String groupedName) {
        return new OldInstance(
                instance.key().ip(),
                instance.key().port(),
                instance.key().cluster(),
                instance.weight(),
                instance.healthy(),
                NamingWire.instanceId(instance, groupedName),
                instance.metadata());
    }
}
