package io.cairn.client.balance;

import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Selects the instance with the fewest calls in progress, among all candidates or a random sample. */
final class Outstanding implements Balancer {

    private final int compared;
    private final RandomGenerator random;
    private final Balancer any;
    private final Map<InstanceKey, Integer> underway = new ConcurrentHashMap<>();

    /** @param compared the sample size */
    Outstanding(int compared, RandomGenerator random) {
        this.compared = compared;
        this.random = random;
        any = new Weighted(random);
    }

    @Override
    public Optional<Instance> choose(List<Instance> candidates, @Nullable String key) {
        if (candidates.isEmpty()) {
            return Optional.empty();
        }
        // The random start distributes calls among equally loaded instances.
        List<Instance> few = new ArrayList<>();
        if (compared >= candidates.size()) {
            int start = random.nextInt(candidates.size());
            few.addAll(candidates.subList(start, candidates.size()));
            few.addAll(candidates.subList(0, start));
        } else {
            List<Instance> left = new ArrayList<>(candidates);
            while (few.size() < compared) {
                any.choose(left, null).ifPresent(one -> {
                    few.add(one);
                    left.remove(one);
                });
            }
        }
        Instance best = few.get(0);
        for (Instance instance : few) {
            if (load(instance) < load(best)) {
                best = instance;
            }
        }
        return Optional.of(best);
    }

    private double load(Instance instance) {
        return (underway.getOrDefault(instance.key(), 0) + 1) / instance.weight();
    }

    @Override
    public void begin(Instance instance) {
        underway.merge(instance.key(), 1, Integer::sum);
    }

    @Override
    public void end(Instance instance) {
        underway.computeIfPresent(instance.key(), (key, calls) -> calls == 1 ? null : calls - 1);
    }
}
