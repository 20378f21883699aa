package io.cairn.cli;

import java.math.BigDecimal;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Converters of numbers in options and arguments: each refusal has the value and the expected range. */
final class Numbers {

    private Numbers() {}

    /** A refusal that begins with the value; the command prepends the option. */
    static final class Unexpected extends TypeConversionException {

        private static final long serialVersionUID = 1L;

        Unexpected(String given, String expected) {
            super("'" + given + "' (expected: " + expected + ')');
        }
    }

    private static long between(String given, long least, long most, String expected) {
        try {
            long value = Long.parseLong(given);
            if (value >= least && value <= most) {
                return value;
            }
        } catch (NumberFormatException e) {
            throw unexpected(given, expected, e);
        }
        throw new Unexpected(given, expected);
    }

    private static Unexpected unexpected(String given, String expected, NumberFormatException cause) {
        Unexpected refusal = new Unexpected(given, expected);
        refusal.initCause(cause);
        return refusal;
    }

    /** Wait for one answer, in seconds. */
    static final class Seconds implements ITypeConverter<Integer> {
        @Override
        public Integer convert(String given) {
            return (int) between(given, 1, 86_400, "a whole number of seconds, 1-86400");
        }
    }

    /** Run time in seconds; 0 for no end. */
    static final class RunTime implements ITypeConverter<Long> {
        @Override
        public Long convert(String given) {
            return between(given, 0, Integer.MAX_VALUE, "a whole number of seconds, 0-" + Integer.MAX_VALUE);
        }
    }

    /** Number of outputs; 0 for no end. */
    static final class Count implements ITypeConverter<Integer> {
        @Override
        public Integer convert(String given) {
            return (int) between(given, 0, Integer.MAX_VALUE, "a whole number, at least 0");
        }
    }

    /** Number of items; {@link Limit} refuses those below 1. */
    static final class Most implements ITypeConverter<Integer> {
        @Override
        public Integer convert(String given) {
            return (int) between(given, Integer.MIN_VALUE, Integer.MAX_VALUE, "a whole number, at least 1");
        }
    }

    static final class Port implements ITypeConverter<Integer> {
        @Override
        public Integer convert(String given) {
            return (int) between(given, 0, 65_535, "0-65535");
        }
    }

    static final class ChangeId implements ITypeConverter<String> {
        @Override
        public String convert(String given) {
            between(given, 1, Long.MAX_VALUE, "the number of a change, at least 1, as config history lists it");
            return given;
        }
    }

    static final class Version implements ITypeConverter<String> {
        @Override
        public String convert(String given) {
            if (!given.equals("present")) {
                between(given, 1, Long.MAX_VALUE, "the number of a change, at least 1, or present");
            }
            return given;
        }
    }

    static final class Weight implements ITypeConverter<String> {

        private static final BigDecimal MOST = BigDecimal.valueOf(10_000);
        private static final String EXPECTED = "a number, 0-10000";

        @Override
        public String convert(String given) {
            BigDecimal value;
            try {
                value = new BigDecimal(given);
            } catch (NumberFormatException e) {
                throw unexpected(given, EXPECTED, e);
            }
            if (value.signum() < 0 || value.compareTo(MOST) > 0) {
                throw new Unexpected(given, EXPECTED);
            }
            return given;
        }
    }
}
