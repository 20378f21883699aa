package io.cairn.server.naming;

import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The instances and health of a service that are not in the store; kept over a restart as the last known state.
 *
 * @param ofConnections instances that long connections keep alive
 * @param beating instances that heartbeats keep alive
 * @param unhealthy persistent instances that are unhealthy
 */
public record KnownService(
        ServiceKey service, List<Connected> ofConnections, List<Instance> beating, List<InstanceKey> unhealthy) {

    /** @param sdk name and version of the SDK that registered the instance; empty if not known */
    public record Connected(Instance instance, String sdk) {}

    public KnownService {
        ofConnections = List.copyOf(ofConnections);
        beating = List.copyOf(beating);
        unhealthy = List.copyOf(unhealthy);
    }

    /** The part of the publications that is not in the store. */
    static KnownService of(ServiceKey service, Collection<Publication> publications) {
        Map<InstanceKey, Published> ofConnections = new LinkedHashMap<>();
        List<Instance> beating = new ArrayList<>();
        List<InstanceKey> unhealthy = new ArrayList<>();
        for (Publication publication : publications) {
            Publisher publisher = publication.publisher();
            for (RegisteredInstance hosted : publication.hosted()) {
                Instance instance = hosted.published();
                switch (publisher.kind()) {
                    case PERSISTENT -> {
                        if (!instance.healthy()) {
                            unhealthy.add(instance.key());
                        }
                    }
                    case HTTP -> beating.add(instance);
                    case CONNECTION, RECOVERED ->
                        ofConnections.merge(instance.key(), new Published(hosted, publisher), Published::later);
                }
            }
        }
        return new KnownService(
                service, ofConnections.values().stream().map(Published::known).toList(), beating, unhealthy);
    }

    private record Published(RegisteredInstance hosted, Publisher by) {

        Published later(Published other) {
            return hosted.publishedAt() > other.hosted.publishedAt() ? this : other;
        }

        Connected known() {
            return new Connected(hosted.published(), by.client().version());
        }
    }

    public boolean isEmpty() {
        return ofConnections.isEmpty() && beating.isEmpty() && unhealthy.isEmpty();
    }

    /** The number of instances that exist only because they are remembered. */
    public int size() {
        return ofConnections.size() + beating.size();
    }
}
