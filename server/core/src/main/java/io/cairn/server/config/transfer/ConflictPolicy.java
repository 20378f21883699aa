package io.cairn.server.config.transfer;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import org.jspecify.annotations.Nullable;

/** The treatment of an existing configuration. */
public enum ConflictPolicy {
    /** Fails, and skips all later configurations; earlier ones stay stored. */
    ABORT,
    /** As {@link #ABORT} for another content; skips an equal content. */
    ABORT_IF_DIFFERENT,
    SKIP,
    OVERWRITE;

    /** Whether a failure skips all later configurations. */
    boolean stops() {
        return this == ABORT || this == ABORT_IF_DIFFERENT;
    }

    /**
     * Ignores case; {@link #ABORT} if absent or blank, as in Nacos.
     *
     * @throws CairnException {@code INVALID_PARAMETER} for an unknown policy
     */
    public static ConflictPolicy of(@Nullable String name) {
        if (name == null || name.isBlank()) {
            return ABORT;
        }
        for (ConflictPolicy policy : values()) {
            if (policy.name().equalsIgnoreCase(name.trim())) {
                return policy;
            }
        }
        throw new CairnException(
                ErrorCode.INVALID_PARAMETER,
                "policy: '" + name + "' (expected: ABORT, ABORT_IF_DIFFERENT, SKIP or OVERWRITE)");
    }
}
