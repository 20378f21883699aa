package io.cairn.client.balance;

import io.cairn.api.naming.Instance;
import java.util.random.RandomGenerator;

/** Use a separate balancer for each service. */
public final class Balancers {

    private Balancers() {}

    /** Selects at random, in proportion to the weights, as Nacos clients do. */
    public static Balancer weighted() {
        return weighted(ThreadRandom.INSTANCE);
    }

    static Balancer weighted(RandomGenerator random) {
        return new Weighted(random);
    }

    /** Cycles through the instances in proportion to their weights, interleaved as evenly as possible. */
    public static Balancer roundRobin() {
        return new RoundRobin();
    }

    /** Selects the instance with the fewest calls in progress, relative to its weight. Callers must close their choices. */
    public static Balancer leastOutstanding() {
        return new Outstanding(Integer.MAX_VALUE, ThreadRandom.INSTANCE);
    }

    /**
     * Draws two instances at random by weight and selects the less loaded one. Nearly as even as {@link #leastOutstanding},
     * and independent clients do not all select the same instance. Callers must close their choices.
     */
    public static Balancer powerOfTwoChoices() {
        return new Outstanding(2, ThreadRandom.INSTANCE);
    }

    /**
     * Maps each key to the same instance. An added or removed instance moves only its share of the keys, in proportion to
     * its weight. Calls without a key are distributed at random by weight.
     */
    public static Balancer consistentHash() {
        return new ConsistentHash(weighted());
    }

    /**
     * Prefers the instances of the client's own zone. When their weight falls below {@code enough} times the zone's fair
     * share, the excess traffic goes to the other zones.
     *
     * @param zoneMetadata the metadata key of the zone, such as {@code zone}
     * @param enough 0–1; with 0 all traffic stays in the zone
     */
    public static Balancer zoneAware(String zoneMetadata, String ownZone, double enough, Balancer within) {
        return new ZoneAware(zoneMetadata, ownZone, enough, within, ThreadRandom.INSTANCE);
    }

    static double sum(Iterable<Instance> instances) {
        double sum = 0;
        for (Instance instance : instances) {
            sum += instance.weight();
        }
        return sum;
    }
}
