package io.cairn.client.balance;

import io.cairn.api.naming.Instance;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** See {@link Balancers#zoneAware}. */
final class ZoneAware implements Balancer {

    private final String zoneMetadata;
    private final String ownZone;
    private final double enough;
    private final Balancer within;
    private final RandomGenerator random;

    ZoneAware(String zoneMetadata, String ownZone, double enough, Balancer within, RandomGenerator random) {
        if (!(enough >= 0 && enough <= 1)) {
            throw new IllegalArgumentException("enough: " + enough + " (expected: 0-1)");
        }
        this.zoneMetadata = zoneMetadata;
        this.ownZone = ownZone;
        this.enough = enough;
        this.within = within;
        this.random = random;
    }

    @Override
    public Optional<Instance> choose(List<Instance> candidates, @Nullable String key) {
        List<Instance> near = new ArrayList<>();
        List<Instance> far = new ArrayList<>();
        Map<String, Double> zones = new HashMap<>();
        for (Instance instance : candidates) {
            String zone = instance.metadata().getOrDefault(zoneMetadata, "");
            zones.merge(zone, instance.weight(), Double::sum);
            (zone.equals(ownZone) ? near : far).add(instance);
        }
        if (near.isEmpty()) {
            return within.choose(far, key);
        }
        if (far.isEmpty() || random.nextDouble() < staying(zones)) {
            return within.choose(near, key);
        }
        return within.choose(far, key);
    }

    /** The share of the traffic that stays in the zone. */
    private double staying(Map<String, Double> zones) {
        double all = zones.values().stream().mapToDouble(weight -> weight).sum();
        double wanted = enough * all / zones.size();
        double own = zones.getOrDefault(ownZone, 0.0);
        return wanted <= own ? 1 : own / wanted;
    }

    @Override
    public void begin(Instance instance) {
        within.begin(instance);
    }

    @Override
    public void end(Instance instance) {
        within.end(instance);
    }
}
