package io.cairn.server.naming.health;

import java.time.Duration;

/**
 * The intervals of health checks, and the number of results that change the health. Operators change the settings while
 * the server runs.
 *
 * @param checkTimes consecutive results that change the health of an instance, at least 1
 * @param enabled false to check nothing at all
 */
public record HealthCheckSettings(
        int checkTimes, boolean enabled, Interval tcp, Interval http, Interval mysql, Interval grpc) {

    public HealthCheckSettings {
        if (checkTimes < 1) {
            throw new IllegalArgumentException("checkTimes: " + checkTimes + " (expected: 1 or more)");
        }
    }

    /** The settings unless an operator has changed them. */
    public static HealthCheckSettings defaults() {
        Interval answers = new Interval(Duration.ofSeconds(5), Duration.ofMillis(500), 0.85);
        return new HealthCheckSettings(
                3,
                true,
                new Interval(Duration.ofSeconds(5), Duration.ofSeconds(1), 0.75),
                answers,
                new Interval(Duration.ofSeconds(3), Duration.ofSeconds(2), 0.65),
                answers);
    }

    /** The interval of that type. An instance without a check is visited at the interval of TCP. */
    Interval interval(HealthCheck.Type type) {
        return switch (type) {
            case TCP, NONE -> tcp;
            case HTTP -> http;
            case MYSQL -> mysql;
            case GRPC -> grpc;
        };
    }

    /**
     * The time from a result to the next check: a moving average of response times in which the past has the weight
     * {@code factor}.
     *
     * @param max not below {@code min}
     * @param min more than zero
     * @param factor 0-1; a greater value makes the interval follow more slowly
     */
    public record Interval(Duration max, Duration min, double factor) {

        public Interval {
            if (min.isNegative() || min.isZero()) {
                throw new IllegalArgumentException("min: " + min + " (expected: more than zero)");
            }
            if (max.compareTo(min) < 0) {
                throw new IllegalArgumentException("max: " + max + " (expected: " + min + " or more)");
            }
            if (!(factor >= 0 && factor <= 1)) {
                throw new IllegalArgumentException("factor: " + factor + " (expected: 0-1)");
            }
        }

        /** The interval after a response. */
        Duration next(Duration previous, Duration response) {
            double nanos = factor * previous.toNanos() + (1 - factor) * response.toNanos();
            return within(Duration.ofNanos((long) nanos));
        }

        Duration within(Duration interval) {
            return interval.compareTo(min) < 0 ? min : interval.compareTo(max) > 0 ? max : interval;
        }
    }
}
