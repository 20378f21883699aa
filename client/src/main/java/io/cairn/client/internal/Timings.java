package io.cairn.client.internal;

import java.time.Duration;

/**
 * How long a client waits.
 *
 * @param request for an answer, all attempts together, also for a connection to come back
 * @param health how long a connection may be silent before it is asked for a sign of life
 */
public record Timings(Duration request, Duration health) {

    public Timings {
        if (request.isNegative() || request.isZero() || health.isNegative() || health.isZero()) {
            throw new IllegalArgumentException(
                    "request timeout: " + request + ", health check: " + health + " (expected: more than 0)");
        }
    }
}
