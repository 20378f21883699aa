package io.cairn.client.naming;

import io.cairn.api.naming.Instance;
import io.cairn.api.naming.ServiceKey;
import io.cairn.client.connection.Origin;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * The instances of a service at one moment.
 *
 * @param instances the enabled instances, healthy or not
 * @param fetchedAt the time of the server's response or push, also for a snapshot
 * @param heldBack whether the client has not yet accepted a later, empty list ({@link EmptyLists})
 */
public record ServiceView(
        ServiceKey service, List<Instance> instances, Origin origin, Instant fetchedAt, boolean heldBack) {

    public ServiceView {
        instances = List.copyOf(instances);
    }

    static ServiceView nothing(ServiceKey service, Instant now) {
        return new ServiceView(service, List.of(), Origin.SERVER, now, false);
    }

    /** The healthy, enabled instances with a weight above 0. */
    public List<Instance> healthy() {
        return instances.stream()
                .filter(instance -> instance.healthy() && instance.enabled() && instance.weight() > 0)
                .toList();
    }

    public Duration age() {
        Duration age = Duration.between(fetchedAt, Instant.now());
        return age.isNegative() ? Duration.ZERO : age;
    }

    ServiceView holdingBack() {
        return new ServiceView(service, instances, origin, fetchedAt, true);
    }
}
