package io.cairn.client.naming;

import io.cairn.api.naming.Instance;
import io.cairn.api.naming.ServiceKey;
import io.cairn.client.Origin;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * The instances of a service at one moment. Immutable and thread-safe.
 *
 * @param instances those that consumers may see, healthy or not
 * @param origin whether a server has said so, or a file from an earlier time
 * @param fetchedAt when the server said so
 * @param heldBack whether the server has since sent an empty list that is not believed yet
 */
public record ServiceView(
        ServiceKey service, List<Instance> instances, Origin origin, Instant fetchedAt, boolean heldBack) {

    public ServiceView {
        instances = List.copyOf(instances);
    }

    static ServiceView nothing(ServiceKey service, Instant now) {
        return new ServiceView(service, List.of(), Origin.SERVER, now, false);
    }

    /** Those that are healthy and want traffic. */
    public List<Instance> healthy() {
        return instances.stream()
                .filter(instance -> instance.healthy() && instance.enabled() && instance.weight() > 0)
                .toList();
    }

    /** How long ago the server said so. */
    public Duration age() {
        Duration age = Duration.between(fetchedAt, Instant.now());
        return age.isNegative() ? Duration.ZERO : age;
    }

    ServiceView holdingBack() {
        return new ServiceView(service, instances, origin, fetchedAt, true);
    }
}
