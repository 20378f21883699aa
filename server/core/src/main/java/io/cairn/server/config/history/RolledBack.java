package io.cairn.server.config.history;

import io.cairn.server.change.ConfigChanged;
import java.util.Optional;

/**
 * The result of a rollback.
 *
 * @param entry the entry whose change was undone
 * @param change empty if there was nothing left to delete
 */
public record RolledBack(HistoryEntry entry, Optional<ConfigChanged> change) {}
