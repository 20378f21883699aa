package io.cairn.client.balance;

import io.cairn.api.naming.Instance;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

final class Weighted implements Balancer {

    private final RandomGenerator random;

    Weighted(RandomGenerator random) {
        this.random = random;
    }

    @Override
    public Optional<Instance> choose(List<Instance> candidates, @Nullable String key) {
        if (candidates.isEmpty()) {
            return Optional.empty();
        }
        double at = random.nextDouble() * Balancers.sum(candidates);
        for (Instance instance : candidates) {
            at -= instance.weight();
            if (at < 0) {
                return Optional.of(instance);
            }
        }
        return Optional.of(candidates.get(candidates.size() - 1));
    }
}
