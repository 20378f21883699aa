package io.cairn.server.http.naming;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.naming.view.ServiceTally;

/** A filter of services by the health of their instances. */
public enum HealthFilter {
    ANY,
    /** An instance is unhealthy. */
    ILL,
    /** All instances are unhealthy. */
    DOWN,
    /** Protection applies: consumers get all instances as healthy. */
    PROTECTED;

    /**
     * Reads a filter from a request.
     *
     * @param word {@code any}, {@code ill}, {@code down} or {@code protected}
     * @throws CairnException {@code INVALID_PARAMETER} for other words
     */
    public static HealthFilter of(String word) {
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
