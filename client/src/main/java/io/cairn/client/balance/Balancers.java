package io.cairn.client.balance;

import io.cairn.api.naming.Instance;
import java.util.random.RandomGenerator;

/** The balancers that come with the client. Each call makes a new one; one is meant for one service. */
public final class Balancers {

    private Balancers() {}

    /** At random, each instance in proportion to its weight; as Nacos clients do. */
    public static Balancer weighted() {
        return weighted(ThreadRandom.INSTANCE);
    }

    static Balancer weighted(RandomGenerator random) {
        return new Weighted(random);
    }

    /** One after the other, those of more weight more often, and as evenly spread as possible. */
    public static Balancer roundRobin() {
        return new RoundRobin();
    }

    /** The instance with the fewest calls under way in proportion to its weight. Needs choices to be closed. */
    public static Balancer leastOutstanding() {
        return new Outstanding(Integer.MAX_VALUE, ThreadRandom.INSTANCE);
    }

    /**
     * Two at random by weight, of them the one with fewer calls under way: nearly as even as {@link #leastOutstanding},
     * but many clients that know nothing of each other do not all run to the same instance.
     */
    public static Balancer powerOfTwoChoices() {
        return new Outstanding(2, ThreadRandom.INSTANCE);
    }

    /**
     * The same instance for the same key, while the instances stay; when one comes or goes, only its share of the keys
     * moves. Weights count. Calls without a key go anywhere by weight.
     */
    public static Balancer consistentHash() {
        return new ConsistentHash(weighted());
    }

    /**
     * Instances of the own zone, as long as there are enough of them; when their weight falls below {@code enough} times
     * the zone's fair share, the rest of the traffic spills over to the other zones.
     *
     * @param zoneMetadata the metadata that names an instance's zone, such as {@code zone}
     * @param enough 0–1; 0 keeps all traffic in the zone until its last instance is gone
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
