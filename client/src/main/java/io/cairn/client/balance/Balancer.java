package io.cairn.client.balance;

import io.cairn.api.naming.Instance;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Chooses one of several instances for a call. Thread-safe. */
public interface Balancer {

    /**
     * An instance for a call; empty when there is none.
     *
     * @param candidates healthy ones of weight above 0
     * @param key of the call, for balancers that give equal keys to the same instance; null for none
     */
    Optional<Instance> choose(List<Instance> candidates, @Nullable String key);

    /** A call to that instance begins. */
    default void begin(Instance instance) {}

    /** A call to that instance has ended. */
    default void end(Instance instance) {}
}
