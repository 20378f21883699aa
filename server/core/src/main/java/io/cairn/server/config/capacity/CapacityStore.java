package io.cairn.server.config.capacity;

import io.cairn.server.auth.Caller;
import io.cairn.server.config.CapacityScope;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** Stores capacity limits durably. Thread-safe. */
public interface CapacityStore {

    /** The limits that are set for that scope. Blocks. */
    Optional<Capacity> find(CapacityScope scope);

    /** The quotas that are set for namespaces, by their ids. Blocks. */
    Map<String, Integer> namespaceQuotas();

    /** Sets the given values, and creates the row if there is none. Completes and fails as other writes do. */
    CompletionStage<Capacity> set(CapacityScope scope, CapacityChange change, Caller by);
}
