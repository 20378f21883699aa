package io.cairn.server.config.capacity;

import io.cairn.api.config.Namespace;
import io.cairn.api.error.CairnException;
import io.cairn.server.auth.Caller;
import io.cairn.server.config.CapacityScope;
import io.cairn.server.config.ConfigEntry;
import io.cairn.server.config.ConfigView;
import io.cairn.server.config.ReadPool;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ToIntFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The limits of groups, namespaces and the whole server. Counts the usage on demand, so it is always current; Nacos's usage columns
 * are not written. Does not block.
 */
public final class CapacityService {

    private static final Logger log = LoggerFactory.getLogger(CapacityService.class);

    private final CapacityStore store;
    private final CapacityLimits limits;
    private final ConfigView view;
    private final ReadPool reads;

    public CapacityService(CapacityStore store, CapacityLimits limits, ConfigView view, ReadPool reads) {
        this.store = store;
        this.limits = limits;
        this.view = view;
        this.reads = reads;
    }

    /** The scope's capacity; as in Nacos, creates an absent row with defaults. */
    public CompletionStage<CapacityUse> of(CapacityScope scope) {
        return reads.read(() -> store.find(scope))
                .thenCompose((Optional<Capacity> found) -> found.isPresent()
                        ? CompletableFuture.completedFuture(found.get())
                        : store.set(scope, CapacityChange.NONE, Caller.SERVER))
                .thenCompose(capacity -> reads.read(() -> use(scope, capacity)));
    }

    /** The quota by namespace id: the stored one, or the default without access to the store. Blocks. */
    public ToIntFunction<Namespace> namespaceQuotas() {
        Map<String, Integer> set = Map.of();
        try {
            set = store.namespaceQuotas();
        } catch (CairnException e) {
            log.debug("The quotas of namespaces cannot be read; the default is used", e);
        }
        Map<String, Integer> known = set;
        return namespace -> known.getOrDefault(namespace.id(), limits.namespaceQuota());
    }

    public CompletionStage<CapacityUse> set(CapacityScope scope, CapacityChange change, Caller by) {
        return store.set(scope, change, by).thenCompose(capacity -> reads.read(() -> use(scope, capacity)));
    }

    private CapacityUse use(CapacityScope scope, Capacity capacity) {
        AtomicLong used = new AtomicLong();
        view.forEach(entry -> {
            if (counts(entry, scope)) {
                used.incrementAndGet();
            }
        });
        return new CapacityUse(scope, capacity.orDefault(scope.kind(), limits), used.get());
    }

    private static boolean counts(ConfigEntry entry, CapacityScope scope) {
        return switch (scope.kind()) {
            case CLUSTER -> true;
            case GROUP -> CapacityScope.of(entry.key()).equals(scope);
            case NAMESPACE -> entry.key().namespace().id().equals(scope.name());
        };
    }
}
