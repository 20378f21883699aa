package io.cairn.server.naming.health;

import java.time.Duration;

/**
 * The delay of the first check, random between the two, so that not all run at once.
 *
 * @param min from the begin of the watch
 * @param max not below {@code min}
 */
public record FirstCheck(Duration min, Duration max) {

    /** In production. */
    public static final FirstCheck USUAL = new FirstCheck(Duration.ofSeconds(2), Duration.ofSeconds(7));

    public Duration next(HealthChecks.Random random) {
        return min.plusNanos(random.below(max.minus(min).toNanos() + 1));
    }
}
