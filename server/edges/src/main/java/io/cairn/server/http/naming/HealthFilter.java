package io.cairn.server.http.naming;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.naming.ServiceTally;
import org.jspecify.annotations.Nullable;

/** Which services are listed, by how their instances are. */
public enum HealthFilter {
    ANY,
    /** Some instance is not healthy. */
    ILL,
    /** There are instances, and none is healthy. */
    DOWN,
    /** So few are healthy that consumers are told that all are. */
    PROTECTED;

    /**
     * Reads a filter from a request.
     *
     * @param word {@code ill}, {@code down} or {@code protected}; null or blank for any
     * @throws CairnException {@code INVALID_PARAMETER} for other words
     */
    public static HealthFilter of(@Nullable String word) {
        if (word == null || word.isBlank()) {
            return ANY;
        }
        for (HealthFilter filter : values()) {
            if (filter.name().equalsIgnoreCase(word.trim())) {
                return filter;
            }
        }
        throw new CairnException(
                ErrorCode.INVALID_PARAMETER, "health: '" + word + "' (expected: ill, down, protected or any)");
    }

    boolean fits(ServiceTally tally) {
        return switch (this) {
            case ANY -> true;
            case ILL -> tally.isIll();
            case DOWN -> tally.isDown();
            case PROTECTED -> tally.isProtected();
        };
    }
}
