package io.cairn.server.gray;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ContentDigest;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import java.math.BigDecimal;

/**
 * A share of the clients of a configuration, in steps of 0.01 %. A client is always in the same of 10,000 buckets, so a larger share
 * contains each smaller one.
 *
 * @param hundredths 1 to 10,000
 */
public record Percentage(int hundredths) {

    private static final int BUCKETS = 10_000;
    private static final BigDecimal HUNDRED = BigDecimal.valueOf(100);
    private static final char SEPARATOR = '\u0002';

    /**
     * @param parameter its name in the error
     * @throws CairnException {@code INVALID_PARAMETER} unless the text is a number above 0, at most 100, with at most two decimals
     */
    public static Percentage parse(String parameter, String text) {
        String number = text.trim();
        if (number.endsWith("%")) {
            number = number.substring(0, number.length() - 1).trim();
        }
        try {
            if (number.length() <= 6) {
                int hundredths = new BigDecimal(number).multiply(HUNDRED).intValueExact();
                if (hundredths >= 1 && hundredths <= BUCKETS) {
                    return new Percentage(hundredths);
                }
            }
        } catch (ArithmeticException | NumberFormatException e) {
            // As for a number out of range
        }
        throw new CairnException(
                ErrorCode.INVALID_PARAMETER,
                parameter + ": '" + (text.length() > 20 ? text.substring(0, 20) + "…" : text)
                        + "' (expected: a percentage from 0.01 to 100)");
    }

    /**
     * @param salt lets releases of one configuration choose different clients
     * @param identity as {@link GrayIdentity} tells clients apart
     */
    public boolean contains(ConfigKey config, String salt, String identity) {
        return bucket(config, salt, identity) < hundredths;
    }

    /** From 0 to 9,999. */
    static int bucket(ConfigKey config, String salt, String identity) {
        String text = config.namespace().id()
                + SEPARATOR
                + config.group()
                + SEPARATOR
                + config.dataId()
                + SEPARATOR
                + salt
                + SEPARATOR
                + identity;
        // The first four bytes
        return (int) (Long.parseLong(ContentDigest.of(text).toString().substring(0, 8), 16) % BUCKETS);
    }

    @Override
    public String toString() {
        return BigDecimal.valueOf(hundredths, 2).stripTrailingZeros().toPlainString() + " %";
    }
}
