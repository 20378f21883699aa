package io.cairn.server.config;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;

/**
 * Which part of a longer list is asked for.
 *
 * @param number of the page, from 1 on
 * @param size entries on a page, from 1 to {@link #MAX_SIZE}
 */
public record PageRequest(int number, int size) {

    /** Entries that one answer may carry. */
    public static final int MAX_SIZE = 10_000;

    /** @throws CairnException {@code INVALID_PARAMETER} naming the parameter and the limit */
    public PageRequest {
        if (number < 1) {
            throw new CairnException(ErrorCode.INVALID_PARAMETER, "pageNo: " + number + " (expected: 1 or more)");
        }
        if (size < 1 || size > MAX_SIZE) {
            throw new CairnException(
                    ErrorCode.INVALID_PARAMETER, "pageSize: " + size + " (expected: 1-" + MAX_SIZE + ")");
        }
    }

    /** The same page with at most that many entries. */
    public PageRequest atMost(int maxSize) {
        return size <= maxSize ? this : new PageRequest(number, maxSize);
    }

    /** Entries before this page. */
    public long offset() {
        return (number - 1L) * size;
    }
}
