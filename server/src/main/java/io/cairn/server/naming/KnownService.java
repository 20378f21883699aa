package io.cairn.server.naming;

import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import java.util.List;

/**
 * What is known of the instances of a service and not stored, as remembered over a restart.
 *
 * @param ofConnections those that long connections keep alive
 * @param beating those that beat
 * @param unhealthy persistent ones that are not healthy
 */
public record KnownService(
        ServiceKey service, List<Connected> ofConnections, List<Instance> beating, List<InstanceKey> unhealthy) {

    /** @param sdk name and version of the SDK that registered the instance; empty when not known */
    public record Connected(Instance instance, String sdk) {}

    public KnownService {
        ofConnections = List.copyOf(ofConnections);
        beating = List.copyOf(beating);
        unhealthy = List.copyOf(unhealthy);
    }

    public boolean isEmpty() {
        return ofConnections.isEmpty() && beating.isEmpty() && unhealthy.isEmpty();
    }

    /** How many instances are there only because they are remembered. */
    public int size() {
        return ofConnections.size() + beating.size();
    }
}
