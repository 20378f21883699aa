package io.cairn.server.config.history;

import io.cairn.server.change.ConfigChanged;
import java.util.Optional;

/**
 * What became of a return to an earlier state.
 *
 * @param entry what was returned to
 * @param change empty when there was nothing to remove any more
 */
public record RolledBack(HistoryEntry entry, Optional<ConfigChanged> change) {}
