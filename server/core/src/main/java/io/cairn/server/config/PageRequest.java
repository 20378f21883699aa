package io.cairn.server.config;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;

/**
 * @param number from 1 on
 * @param size most entries, from 1 on; some clients request as many as possible
 */
public record PageRequest(int number, int size) {

    /** @throws CairnException {@code INVALID_PARAMETER} with the parameter */
    public PageRequest {
        positive("pageNo", number);
        positive("pageSize", size);
    }

    /**
     * Refuses a value below 1 with Nacos's text.
     *
     * @throws CairnException {@code INVALID_PARAMETER} with the parameter
     */
    public static void positive(String parameter, int value) {
        if (value < 1) {
            throw new CairnException(
                    ErrorCode.INVALID_PARAMETER,
                    "Required parameter '" + parameter + "' should be positive integer, current is " + value);
        }
    }

    /**
     * Refuses a page with more entries than a response may have; a shorter one would look complete.
     *
     * @param most entries of a response
     * @param total entries of the list
     * @param entries their noun
     * @throws CairnException {@code INVALID_PARAMETER} with parameter, limit and number of entries
     */
    public void mustFit(int most, long total, String entries) {
        if (Math.min(size, total - offset()) > most) {
            throw new CairnException(
                    ErrorCode.INVALID_PARAMETER,
                    "pageSize: " + size + " (expected: 1-" + most + ", for " + total + ' ' + entries + " match)");
        }
    }

    public int pagesOf(long total) {
        return (int) ((total + size - 1) / size);
    }

    /** Entries before this page. */
    public long offset() {
        return (number - 1L) * size;
    }
}
