package io.cairn.server.config.changeset;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Changes of several configurations in one transaction, with consecutive revisions.
 *
 * @param edits at most {@link #MAX_EDITS}, of different configurations, {@link #MAX_BYTES} in all
 */
public record ChangeSet(List<ConfigEdit> edits, Mode mode) {

    public static final int MAX_EDITS = 1_000;
    /** Of contents, with a small overhead for each edit. A larger transaction would delay other writers. */
    public static final int MAX_BYTES = 16 << 20;

    /** The effect of an unmet condition on other edits. */
    public enum Mode {
        ALL_OR_NOTHING,
        /** Only the edits before it are made. */
        UNTIL_CONFLICT,
        EACH
    }

    /** @throws CairnException {@code INVALID_PARAMETER} or {@code LIMIT_EXCEEDED} with the limit */
    public ChangeSet {
        edits = List.copyOf(edits);
        if (edits.isEmpty()) {
            throw new CairnException(ErrorCode.INVALID_PARAMETER, "changes: none (expected: at least 1)");
        }
        if (edits.size() > MAX_EDITS) {
            throw new CairnException(
                    ErrorCode.LIMIT_EXCEEDED, "changes: " + edits.size() + " (expected: at most " + MAX_EDITS + ")");
        }
        Set<ConfigKey> keys = new HashSet<>();
        long bytes = 0;
        for (ConfigEdit edit : edits) {
            if (!keys.add(edit.key())) {
                throw new CairnException(
                        ErrorCode.INVALID_PARAMETER, "changes: " + edit.key() + " twice (expected: each once)");
            }
            bytes += edit.weightBytes();
        }
        // A publish checks the size of a single content, by a limit that may be higher.
        if (bytes > MAX_BYTES && edits.size() > 1) {
            throw new CairnException(
                    ErrorCode.LIMIT_EXCEEDED, "changes: " + bytes + " bytes (expected: at most " + MAX_BYTES + ")");
        }
    }
}
