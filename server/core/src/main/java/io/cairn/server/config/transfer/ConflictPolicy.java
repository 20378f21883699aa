package io.cairn.server.config.transfer;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import org.jspecify.annotations.Nullable;

/** The treatment of a configuration that exists already. */
public enum ConflictPolicy {
    /** It fails, and all after it are left out; those before it stay stored. */
    ABORT,
    /** It is left out. */
    SKIP,
    /** It is replaced. */
    OVERWRITE;

    /**
     * The policy of that name, ignoring case; {@link #ABORT} if it is absent or blank, as in Nacos.
     *
     * @throws CairnException {@code INVALID_PARAMETER} if there is no policy of that name
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
                ErrorCode.INVALID_PARAMETER, "policy: '" + name + "' (expected: ABORT, SKIP or OVERWRITE)");
    }
}
