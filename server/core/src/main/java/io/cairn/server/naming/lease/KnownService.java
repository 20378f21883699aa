package io.cairn.server.naming.lease;

import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.naming.registry.Publication;
import io.cairn.server.naming.registry.Publisher;
import io.cairn.server.naming.view.RegisteredInstance;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A service's unstored instances and health over a restart.
 *
 * @param ofConnections kept by connections
 * @param beating kept by heartbeats
 * @param unhealthy persistent ones
 */
public record KnownService(
        ServiceKey service, List<Connected> ofConnections, List<Instance> beating, List<InstanceKey> unhealthy) {

    /** @param sdk name and version of the registering SDK, or empty */
    public record Connected(Instance instance, String sdk) {}

    public KnownService {
        ofConnections = List.copyOf(ofConnections);
        beating = List.copyOf(beating);
        unhealthy = List.copyOf(unhealthy);
    }

    /** Of the unstored part. */
    public static KnownService of(ServiceKey service, Collection<Publication> publications) {
        Map<InstanceKey, Published> ofConnections = new LinkedHashMap<>();
        List<Instance> beating = new ArrayList<>();
        List<InstanceKey> unhealthy = new ArrayList<>();
        for (Publication publication : publications) {
            Publisher publisher = publication.publisher();
            for (RegisteredInstance registered : publication.registered()) {
                Instance instance = registered.published();
                switch (publisher.kind()) {
                    case PERSISTENT -> {
                        if (!instance.healthy()) {
                            unhealthy.add(instance.key());
                        }
                    }
                    case HTTP -> beating.add(instance);
                    case CONNECTION, RECOVERED ->
                        ofConnections.merge(instance.key(), new Published(registered, publisher), Published::later);
                }
            }
        }
        return new KnownService(
                service, ofConnections.values().stream().map(Published::known).toList(), beating, unhealthy);
    }

    private record Published(RegisteredInstance registered, Publisher by) {

        Published later(Published other) {
            return registered.publishedAt() > other.registered.publishedAt() ? this : other;
        }

        Connected known() {
            return new Connected(registered.published(), by.client().version());
        }
    }

    public boolean isEmpty() {
        return ofConnections.isEmpty() && beating.isEmpty() && unhealthy.isEmpty();
    }

    /** The number of remembered instances. */
    public int size() {
        return ofConnections.size() + beating.size();
    }
}
