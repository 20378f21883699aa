package io.cairn.server.config.query;

import io.cairn.api.config.ConfigKey;
import io.cairn.server.change.ConfigChanged;
import io.cairn.server.config.Author;
import io.cairn.server.config.ConfigService;
import io.cairn.server.config.RemoveConfig;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Deletes configurations by row ids. Does not block. */
public final class BatchRemoval {

    /** @param lastRevision of the last deletion, or 0 */
    public record Removed(List<ConfigKey> configs, long lastRevision) {}

    private final ConfigQueries queries;
    private final ConfigService configs;

    public BatchRemoval(ConfigQueries queries, ConfigService configs) {
        this.queries = queries;
        this.configs = configs;
    }

    /**
     * Deletes each configuration by itself, if the caller has the right to all. Ignores unknown ids.
     *
     * @return completes after the last deletion; fails with the first failure
     */
    public CompletionStage<Removed> remove(Collection<Long> ids, Author by) {
        return queries.keysOf(ids).thenCompose(found -> {
            found.forEach(by::mustMayWrite);
            List<CompletableFuture<Optional<ConfigChanged>>> removals = found.stream()
                    .map(key -> configs.remove(new RemoveConfig(key, null, by)).toCompletableFuture())
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
