package io.cairn.server.namespace;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.Namespace;
import io.cairn.server.auth.Caller;
import io.cairn.server.auth.Principal;
import io.cairn.server.auth.ReadScope;
import io.cairn.server.auth.ResourceType;
import io.cairn.server.config.ConfigView;
import io.cairn.server.config.ReadPool;
import io.cairn.server.config.capacity.CapacityService;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.ToIntFunction;

/**
 * The namespaces. Contents need no created namespace, and stay after its deletion. Does not block. Fails with {@code BUSY} or
 * {@code UNAVAILABLE}.
 */
public final class NamespaceService {

    private static final StoredNamespace DEFAULT =
            new StoredNamespace(Namespace.DEFAULT, "public", "Default Namespace");

    private final NamespaceStore store;
    private final ConfigView configs;
    private final CapacityService capacities;
    private final ReadPool reads;

    public NamespaceService(NamespaceStore store, ConfigView configs, CapacityService capacities, ReadPool reads) {
        this.store = store;
        this.configs = configs;
        this.capacities = capacities;
        this.reads = reads;
    }

    /** The default one first. */
    public CompletionStage<List<NamespaceInfo>> list() {
        return list(Caller.SERVER.principal());
    }

    /** Namespaces with a right of the reader, with the number of readable configurations. */
    public CompletionStage<List<NamespaceInfo>> list(Principal reader) {
        return reads.read(() -> {
            Map<Namespace, Long> counts = new HashMap<>();
            Map<Namespace, ReadScope> readable = new HashMap<>();
            configs.forEach(entry -> {
                ConfigKey key = entry.key();
                if (readable.computeIfAbsent(key.namespace(), each -> reader.readable(each, ResourceType.CONFIG))
                        .has(key)) {
                    counts.merge(key.namespace(), 1L, Long::sum);
                }
            });
            ToIntFunction<Namespace> quotas = capacities.namespaceQuotas();
            List<StoredNamespace> all = new ArrayList<>();
            all.add(DEFAULT);
            all.addAll(store.created());
            return all.stream()
                    .filter(each -> reader.mayEnter(each.namespace()))
                    .map(each -> info(each, quotas, counts.getOrDefault(each.namespace(), 0L)))
                    .toList();
        });
    }

    /** Empty if it was not created. */
    public CompletionStage<Optional<NamespaceInfo>> find(Namespace namespace) {
        return find(namespace, Caller.SERVER.principal());
    }

    /** As {@link #find(Namespace)}, with the number of readable configurations. */
    public CompletionStage<Optional<NamespaceInfo>> find(Namespace namespace, Principal reader) {
        return reads.read(() -> {
            Optional<StoredNamespace> stored = namespace.isDefault() ? Optional.of(DEFAULT) : store.find(namespace);
            return stored.map(found -> info(found, capacities.namespaceQuotas(), count(namespace, reader)));
        });
    }

    /** The default one always exists. */
    public CompletionStage<Boolean> exists(Namespace namespace) {
        return namespace.isDefault()
                ? CompletableFuture.completedFuture(true)
                : reads.read(() -> store.find(namespace).isPresent());
    }

    /** Creates a {@linkplain NamespaceDraft#check checked} namespace; empty if its id exists. */
    public CompletionStage<Optional<StoredNamespace>> create(StoredNamespace namespace, Caller by) {
        if (namespace.namespace().isDefault()) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        return store.create(namespace, by).thenApply(created -> created ? Optional.of(namespace) : Optional.empty());
    }

    /** Renames and describes it; false if it was not created, as the default one. */
    public CompletionStage<Boolean> edit(StoredNamespace namespace, Caller by) {
        return namespace.namespace().isDefault() ? CompletableFuture.completedFuture(false) : store.edit(namespace, by);
    }

    /** Deletes it without its content; false if it was not created, as the default one. */
    public CompletionStage<Boolean> delete(Namespace namespace, Caller by) {
        return namespace.isDefault() ? CompletableFuture.completedFuture(false) : store.delete(namespace, by);
    }

    private long count(Namespace namespace, Principal reader) {
        ReadScope readable = reader.readable(namespace, ResourceType.CONFIG);
        long[] count = new long[1];
        configs.forEach(entry -> {
            if (entry.key().namespace().equals(namespace) && readable.has(entry.key())) {
                count[0]++;
            }
        });
        return count[0];
    }

    private static NamespaceInfo info(StoredNamespace stored, ToIntFunction<Namespace> quotas, long configCount) {
        return new NamespaceInfo(
                stored.namespace(),
                stored.name(),
                stored.description(),
                quotas.applyAsInt(stored.namespace()),
                configCount);
    }
}
