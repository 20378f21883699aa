package io.cairn.cli;

import java.math.BigDecimal;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Converters of numbers given to options and arguments: each refuses with what was given and the range that is expected. */
final class Numbers {

    private Numbers() {}

    /** A refusal whose message begins with the value; the command puts the name of the option before it. */
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

    /** Seconds to wait for one answer. */
    static final class Seconds implements ITypeConverter<Integer> {
        @Override
        public Integer convert(String given) {
            return (int) between(given, 1, 86_400, "a whole number of seconds, 1-86400");
        }
    }

    /** Seconds for which a command runs; 0 for no end. */
    static final class RunTime implements ITypeConverter<Long> {
        @Override
        public Long convert(String given) {
            return between(given, 0, Integer.MAX_VALUE, "a whole number of seconds, 0-" + Integer.MAX_VALUE);
        }
    }

    /** How often something is printed; 0 for no end. */
    static final class Count implements ITypeConverter<Integer> {
        @Override
        public Integer convert(String given) {
            return (int) between(given, 0, Integer.MAX_VALUE, "a whole number, at least 0");
        }
    }

    /** How many items are printed; {@link Limit} refuses those below 1. */
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

    /** The id of a change in the history, as it was given. */
    static final class ChangeId implements ITypeConverter<String> {
        @Override
        public String convert(String given) {
            between(given, 1, Long.MAX_VALUE, "the number of a change, at least 1, as config history lists it");
            return given;
        }
    }

    /** The id of a change, or the stored version. */
    static final class Version implements ITypeConverter<String> {
        @Override
        public String convert(String given) {
            if (!given.equals("present")) {
                between(given, 1, Long.MAX_VALUE, "the number of a change, at least 1, or present");
            }
            return given;
        }
    }

    /** The weight of an instance, as it was given. */
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
