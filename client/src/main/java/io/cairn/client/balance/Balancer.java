package io.cairn.client.balance;

import io.cairn.api.naming.Instance;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Selects an instance for a call. */
public interface Balancer {

    /**
     * Selects an instance; empty without candidates.
     *
     * @param candidates healthy, enabled instances with a weight above 0
     * @param key of the call, for balancers that map equal keys to the same instance
     */
    Optional<Instance> choose(List<Instance> candidates, @Nullable String key);

    default void begin(Instance instance) {}

    default void end(Instance instance) {}
}
