package io.cairn.server.config.changeset;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Changes of several configurations that are stored in one transaction, with consecutive revisions.
 *
 * @param edits at most {@link #MAX_EDITS}, of different configurations, {@link #MAX_BYTES} in all
 */
public record ChangeSet(List<ConfigEdit> edits, Mode mode) {

    public static final int MAX_EDITS = 1_000;
    /** Of contents, and a little for each edit; beyond it other writers would wait for too long. */
    public static final int MAX_BYTES = 16 << 20;

    /** What becomes of the others when the condition of an edit is not met. */
    public enum Mode {
        /** None is made. */
        ALL_OR_NOTHING,
        /** Those before it are made, those after it are not. */
        UNTIL_CONFLICT,
        /** All others are made. */
        EACH
    }

    /** @throws CairnException {@code INVALID_PARAMETER} or {@code LIMIT_EXCEEDED} naming the limit */
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
        // A single content is limited where it is published; it may be larger than this.
        if (bytes > MAX_BYTES && edits.size() > 1) {
            throw new CairnException(
                    ErrorCode.LIMIT_EXCEEDED, "changes: " + bytes + " bytes (expected: at most " + MAX_BYTES + ")");
        }
    }
}
