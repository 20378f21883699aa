package io.cairn.server.naming.health;

import java.time.Duration;

/**
 * The intervals of health checks, which operators change at run time.
 *
 * @param checkTimes consecutive results that change the health, at least 1
 * @param enabled false for no checks
 */
public record HealthCheckSettings(
        int checkTimes, boolean enabled, Interval tcp, Interval http, Interval mysql, Interval grpc) {

    public HealthCheckSettings {
        if (checkTimes < 1) {
            throw new IllegalArgumentException("checkTimes: " + checkTimes + " (expected: 1 or more)");
        }
    }

    /** The defaults. */
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

    /** Instances without a check use TCP's interval. */
    public Interval interval(HealthCheck.Type type) {
        return switch (type) {
            case TCP, NONE -> tcp;
            case HTTP -> http;
            case MYSQL -> mysql;
            case GRPC -> grpc;
        };
    }

    /**
     * The time to the next check: a moving average of response times in which the past has the weight {@code factor}.
     *
     * @param max not below {@code min}
     * @param min above zero
     * @param factor 0-1; greater values follow more slowly
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

        Duration next(Duration previous, Duration response) {
            double nanos = factor * previous.toNanos() + (1 - factor) * response.toNanos();
            return within(Duration.ofNanos((long) nanos));
        }

        Duration within(Duration interval) {
            return interval.compareTo(min) < 0 ? min : interval.compareTo(max) > 0 ? max : interval;
        }
    }
}
