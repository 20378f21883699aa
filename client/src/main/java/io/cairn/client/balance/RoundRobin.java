package io.cairn.client.balance;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Smooth weighted round robin. Each call adds to the credit of every instance its weight, selects the instance with the
 * highest credit, and subtracts the sum of all weights from that credit.
 */
final class RoundRobin implements Balancer {

    @GuardedBy("this")
    private final Map<InstanceKey, Double> credits = new HashMap<>();

    @Override
    public synchronized Optional<Instance> choose(List<Instance> candidates, @Nullable String key) {
        if (candidates.isEmpty()) {
            return Optional.empty();
        }
        boolean anyNew = false;
        for (Instance instance : candidates) {
            anyNew |= !credits.containsKey(instance.key());
        }
        if (anyNew || credits.size() != candidates.size()) {
            // A returning instance starts without old credit.
            credits.keySet().retainAll(candidates.stream().map(Instance::key).collect(Collectors.toSet()));
        }
        Instance richest = candidates.get(0);
        double most = Double.NEGATIVE_INFINITY;
        double given = 0;
        for (Instance instance : candidates) {
            double credit = credits.merge(instance.key(), instance.weight(), Double::sum);
            given += instance.weight();
            if (credit > most) {
                most = credit;
                richest = instance;
            }
        }
        credits.put(richest.key(), most - given);
        return Optional.of(richest);
    }
}
