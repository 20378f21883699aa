package io.cairn.server.config.query;

import io.cairn.server.change.ConfigChanged;
import io.cairn.server.config.Author;
import io.cairn.server.config.ConfigService;
import io.cairn.server.config.RemoveConfig;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Deletes several configurations that are named by the ids of their rows. Thread-safe; nothing here blocks. */
public final class BatchRemoval {

    /**
     * The outcome of a deletion.
     *
     * @param configs those that were deleted
     * @param lastRevision the revision of the last deletion; 0 when there was nothing to delete
     */
    public record Removed(List<StoredConfig> configs, long lastRevision) {}

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
     * @return when the last one is deleted; fails with the first failure
     */
    public CompletionStage<Removed> remove(Collection<Long> ids, Author by) {
        return queries.byIds(ids, false).thenCompose(found -> {
            found.forEach(config -> by.mustMayWrite(config.key()));
            List<CompletableFuture<Optional<ConfigChanged>>> removals = found.stream()
                    .map(config -> configs.remove(new RemoveConfig(config.key(), null, by))
                            .toCompletableFuture())
                    .toList();
            return CompletableFuture.allOf(removals.toArray(CompletableFuture<?>[]::new))
                    .thenApply(all -> new Removed(found, lastRevision(removals)));
        });
    }

    private static long lastRevision(List<CompletableFuture<Optional<ConfigChanged>>> removals) {
        long last = 0;
        for (CompletableFuture<Optional<ConfigChanged>> removal : removals) {
            last = Math.max(last, removal.join().map(ConfigChanged::revision).orElse(0L));
        }
        return last;
    }
}
