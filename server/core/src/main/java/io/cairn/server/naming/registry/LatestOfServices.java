package io.cairn.server.naming.registry;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.cairn.api.naming.ServiceKey;
import java.util.ArrayList;
import java.util.List;

/** The latest events of each service in memory, also of a removed one: 10,000 services at most. Thread-safe. */
public final class LatestOfServices<E> {

    private static final int SERVICES_KEPT = 10_000;

    private final int kept;
    private final Cache<ServiceKey, List<E>> events =
            Caffeine.newBuilder().maximumSize(SERVICES_KEPT).build();

    /** @param kept the number of events kept for a service */
    public LatestOfServices(int kept) {
        this.kept = kept;
    }

    public void add(ServiceKey service, E event) {
        events.asMap().compute(service, (key, before) -> {
            List<E> all = new ArrayList<>();
            all.add(event);
            if (before != null) {
                all.addAll(before.subList(0, Math.min(before.size(), kept - 1)));
            }
            return List.copyOf(all);
        });
    }

    /** Newest first. */
    public List<E> of(ServiceKey service) {
        List<E> known = events.getIfPresent(service);
        return known == null ? List.of() : known;
    }
}
