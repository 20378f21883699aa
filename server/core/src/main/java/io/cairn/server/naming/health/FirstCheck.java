package io.cairn.server.naming.health;

import java.time.Duration;

/**
 * When a subject is checked for the first time: at random between the two, so that not all are checked at once.
 *
 * @param min from the beginning of the watch
 * @param max from the beginning of the watch, not below {@code min}
 */
public record FirstCheck(Duration min, Duration max) {

    /** The one in production. */
    public static final FirstCheck USUAL = new FirstCheck(Duration.ofSeconds(2), Duration.ofSeconds(7));

    Duration next(HealthChecks.Random random) {
        return min.plusNanos(random.below(max.minus(min).toNanos() + 1));
    }
}
