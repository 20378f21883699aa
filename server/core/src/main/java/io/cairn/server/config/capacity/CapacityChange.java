package io.cairn.server.config.capacity;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import org.jspecify.annotations.Nullable;

/**
 * New limits; null keeps the current one, 0 restores the default.
 *
 * @param maxSizeBytes of one content in UTF-8
 */
public record CapacityChange(
        @Nullable Integer quota,
        @Nullable Integer maxSizeBytes,
        @Nullable Integer maxAggrCount,
        @Nullable Integer maxAggrSize) {

    public static final CapacityChange NONE = new CapacityChange(null, null, null, null);

    public boolean isEmpty() {
        return equals(NONE);
    }

    /** @throws CairnException {@code INVALID_PARAMETER} for a negative number */
    public CapacityChange {
        check("quota", quota);
        check("maxSize", maxSizeBytes);
        check("maxAggrCount", maxAggrCount);
        check("maxAggrSize", maxAggrSize);
    }

    private static void check(String name, @Nullable Integer value) {
        if (value != null && value < 0) {
            throw new CairnException(ErrorCode.INVALID_PARAMETER, name + ": " + value + " (expected: 0 or more)");
        }
    }
}
