package io.cairn.server.config.history;

import io.cairn.server.change.ConfigChanged;
import java.util.Optional;

/**
 * @param entry whose change was undone
 * @param change empty if there was nothing to delete
 */
public record RolledBack(HistoryEntry entry, Optional<ConfigChanged> change) {}
