package io.cairn.client.internal;

import java.time.Duration;

/**
 * @param request for an operation, including all attempts and reconnects
 * @param health the time without traffic before a health check
 */
public record Timings(Duration request, Duration health) {

    public Timings {
        if (request.isNegative() || request.isZero() || health.isNegative() || health.isZero()) {
            throw new IllegalArgumentException(
                    "request timeout: " + request + ", health check: " + health + " (expected: more than 0)");
        }
    }
}
