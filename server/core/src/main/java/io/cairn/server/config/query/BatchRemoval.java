package io.cairn.server.config.query;

import io.cairn.server.config.Author;
import io.cairn.server.config.ConfigService;
import io.cairn.server.config.RemoveConfig;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Deletes several configurations that are named by the ids of their rows. Thread-safe; nothing here blocks. */
public final class BatchRemoval {

    private final ConfigQueries queries;
    private final ConfigService configs;

    public BatchRemoval(ConfigQueries queries, ConfigService configs) {
        this.queries = queries;
        this.configs = configs;
    }

    /**
     * Deletes each of them as by itself, or none when the caller may not delete one; ids without a configuration are passed
     * over.
     *
     * @return the configurations that were deleted, when the last one is; fails with the first failure
     */
    public CompletionStage<List<StoredConfig>> remove(Collection<Long> ids, Author by) {
        return queries.byIds(ids, false).thenCompose(found -> {
            found.forEach(config -> by.mustMayWrite(config.key()));
            CompletableFuture<?>[] removals = found.stream()
                    .map(config -> configs.remove(new RemoveConfig(config.key(), null, by))
                            .toCompletableFuture())
                    .toArray(CompletableFuture<?>[]::new);
            return CompletableFuture.allOf(removals).thenApply(all -> found);
        });
    }
}
