package io.cairn.server.config.history;

import io.cairn.api.config.ConfigKey;
import io.cairn.server.admission.MemoryLease;
import io.cairn.server.admission.NoRoomException;
import io.cairn.server.config.PageRequest;
import io.cairn.server.config.RowSource;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * Stores the history durably. Methods without a stage block. Reads of a content {@linkplain MemoryLease#reserveContent take} the
 * memory of a large one from a lease, and throw a {@link NoRoomException} without it.
 */
public interface HistoryStore {

    /** Of the configuration and its gray releases. */
    long count(ConfigKey key);

    /** A page of changes of the configuration and its gray releases, newest first, without contents. Reads lazily. */
    RowSource<HistoryEntry> list(ConfigKey key, PageRequest page);

    Optional<HistoryEntry> find(long id, MemoryLease lease);

    /**
     * The newest entry of that name with that row, with its content.
     *
     * @param configId of the configuration's row
     */
    Optional<HistoryEntry> newest(ConfigKey key, long configId, MemoryLease lease);

    /** The newest entry, with content, of the row's present configuration. */
    Optional<HistoryEntry> newestOfRow(long configId, MemoryLease lease);

    /** Of the version for all clients. */
    Optional<Instant> oldest(ConfigKey key);

    /** The oldest later entry of the version for all clients, with content. */
    Optional<HistoryEntry> oldestAfter(ConfigKey key, Instant time, MemoryLease lease);

    /** The next entry of the version for all clients, with content. */
    Optional<HistoryEntry> next(ConfigKey key, long id, MemoryLease lease);

    /**
     * Deletes the oldest entries from before that time, in its own write.
     *
     * @param limit of deleted entries
     * @return completes after the commit with their number; fails as writes
     */
    CompletionStage<Integer> forget(Instant before, int limit);
}
