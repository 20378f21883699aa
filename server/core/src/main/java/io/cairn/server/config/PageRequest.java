package io.cairn.server.config;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;

/**
 * Which part of a longer list is asked for.
 *
 * @param number of the page, from 1 on
 * @param size entries on a page at most, from 1 on; some clients ask for as many as there can be
 */
public record PageRequest(int number, int size) {

    /** @throws CairnException {@code INVALID_PARAMETER} naming the parameter */
    public PageRequest {
        positive("pageNo", number);
        positive("pageSize", size);
    }

    /**
     * Refuses a value below 1, with the text of Nacos.
     *
     * @throws CairnException {@code INVALID_PARAMETER} naming the parameter
     */
    public static void positive(String parameter, int value) {
        if (value < 1) {
            throw new CairnException(
                    ErrorCode.INVALID_PARAMETER,
                    "Required parameter '" + parameter + "' should be positive integer, current is " + value);
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
