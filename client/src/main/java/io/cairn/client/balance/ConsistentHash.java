package io.cairn.client.balance;

import io.cairn.api.config.ContentDigest;
import io.cairn.api.naming.Instance;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Rendezvous hashing: the instance with the highest weighted hash of its name and the key is selected. */
final class ConsistentHash implements Balancer {

    private final Balancer withoutKey;

    ConsistentHash(Balancer withoutKey) {
        this.withoutKey = withoutKey;
    }

    @Override
    public Optional<Instance> choose(List<Instance> candidates, @Nullable String key) {
        if (key == null) {
            return withoutKey.choose(candidates, null);
        }
        Instance winner = null;
        double highest = Double.NEGATIVE_INFINITY;
        for (Instance instance : candidates) {
            double bid = score(instance, key);
            if (bid > highest) {
                highest = bid;
                winner = instance;
            }
        }
        return Optional.ofNullable(winner);
    }

    private static double score(Instance instance, String key) {
        long hash = ContentDigest.of(instance.key() + "|" + key).high();
        // In (0, 1): a double holds 53 bits exactly.
        double uniform = ((hash >>> 11) + 0.5) / (1L << 53);
        return -instance.weight() / Math.log(uniform);
    }
}
