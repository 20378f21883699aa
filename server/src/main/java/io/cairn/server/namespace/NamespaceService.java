package io.cairn.server.namespace;

import io.cairn.api.config.Namespace;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.config.ConfigView;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/** The namespaces of this server. Thread-safe. */
public final class NamespaceService {

    private final NamespaceStore store;
    private final ConfigView configs;
    private final Executor loader;

    /** @param loader a small bounded pool on which the store is read */
    public NamespaceService(NamespaceStore store, ConfigView configs, Executor loader) {
        this.store = store;
        this.configs = configs;
        this.loader = loader;
    }

    /** All namespaces, the default one first. Fails with {@code BUSY} or {@code UNAVAILABLE}. */
    public CompletionStage<List<NamespaceInfo>> list() {
        try {
            return CompletableFuture.supplyAsync(this::read, loader);
        } catch (RejectedExecutionException e) {
            return CompletableFuture.failedFuture(new CairnException(
                    ErrorCode.BUSY, "Too many reads are waiting for the database; try again shortly", e));
        }
    }

    private List<NamespaceInfo> read() {
        Map<Namespace, Long> counts = new HashMap<>();
        configs.forEach(entry -> counts.merge(entry.key().namespace(), 1L, Long::sum));
        List<NamespaceInfo> all = new ArrayList<>();
        all.add(new NamespaceInfo(
                Namespace.DEFAULT, "public", "Default Namespace", counts.getOrDefault(Namespace.DEFAULT, 0L)));
        for (NamespaceInfo created : store.created()) {
            all.add(new NamespaceInfo(
                    created.namespace(),
                    created.name(),
                    created.description(),
                    counts.getOrDefault(created.namespace(), 0L)));
        }
        return all;
    }
}
