package io.cairn.benchmark;

/** Keeps every run bounded. */
final class Limits {
    /** A process may open 20,000 files on the reference machine. */
    static final int CONNECTIONS = 19_000;

    static final int CONFIGS = 100_000;
    static final int CONTENT_BYTES = 1 << 20;

    static final int INSTANCES = 100_000;

    private Limits() {}

    static void within(String name, double value, double min, double max) {
        if (!(value >= min && value <= max)) {
            throw new BenchmarkException(
                    "%s: %s (expected: %s-%s)".formatted(name, plain(value), plain(min), plain(max)));
        }
    }

    private static String plain(double value) {
        return value == Math.rint(value) ? Long.toString((long) value) : Double.toString(value);
    }
}
