package io.cairn.server.config.history;

import io.cairn.api.config.ConfigKey;
import io.cairn.server.config.Page;
import io.cairn.server.config.PageRequest;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** Stores the history of configurations durably. Thread-safe; methods that return no stage block. */
public interface HistoryStore {

    /** The changes of that configuration and of its gray releases, the newest first, without contents. */
    Page<HistoryEntry> list(ConfigKey key, PageRequest page);

    /** The entry of that id with its content. */
    Optional<HistoryEntry> find(long id);

    /**
     * The newest entry of the configuration with that name, as long as it had that row, with its content.
     *
     * @param configId of the configuration's row
     */
    Optional<HistoryEntry> newest(ConfigKey key, long configId);

    /** The newest entry, with its content, of the configuration that has that row now. */
    Optional<HistoryEntry> newestOfRow(long configId);

    /** The oldest entry of the version for all clients after that time, with its content. */
    Optional<HistoryEntry> oldestAfter(ConfigKey key, Instant time);

    /** The entry of the version for all clients that follows the one with that id, with its content. */
    Optional<HistoryEntry> next(ConfigKey key, long id);

    /**
     * Forgets the oldest entries from before that time, in a write of its own.
     *
     * @param limit entries to forget at most
     * @return completes after the commit with the number of entries forgotten; fails as writes do
     */
    CompletionStage<Integer> forget(Instant before, int limit);
}
