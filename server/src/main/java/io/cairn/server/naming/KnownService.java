package io.cairn.server.naming;

import io.cairn.api.naming.Instance;
import io.cairn.api.naming.ServiceKey;
import java.util.List;

/**
 * The ephemeral instances of a service, as remembered over a restart.
 *
 * @param ofConnections those that long connections keep alive
 * @param beating those that beat
 */
public record KnownService(ServiceKey service, List<Connected> ofConnections, List<Instance> beating) {

    /** @param sdk name and version of the SDK that registered the instance; empty when not known */
    public record Connected(Instance instance, String sdk) {}

    public KnownService {
        ofConnections = List.copyOf(ofConnections);
        beating = List.copyOf(beating);
    }

    public boolean isEmpty() {
        return ofConnections.isEmpty() && beating.isEmpty();
    }

    public int size() {
        return ofConnections.size() + beating.size();
    }
}
