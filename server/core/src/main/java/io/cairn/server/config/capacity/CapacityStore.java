package io.cairn.server.config.capacity;

import io.cairn.server.auth.Caller;
import io.cairn.server.config.CapacityScope;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** Stores capacity limits durably. */
public interface CapacityStore {

    /** Blocks. */
    Optional<Capacity> find(CapacityScope scope);

    /** By namespace id. Blocks. */
    Map<String, Integer> namespaceQuotas();

    /** Sets the values, and creates an absent row. Completes and fails as other writes. */
    CompletionStage<Capacity> set(CapacityScope scope, CapacityChange change, Caller by);
}
