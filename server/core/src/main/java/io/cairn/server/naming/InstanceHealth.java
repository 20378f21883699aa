package io.cairn.server.naming;

import org.jspecify.annotations.Nullable;

/**
 * The health of an instance and its cause.
 *
 * @param sinceMillis since when, in epoch milliseconds; 0 if not known
 * @param lastBeatMillis time of its last heartbeat or registration; 0 for an instance without heartbeats
 * @param lastCheck the result of the last health check; null for an instance that is not checked
 * @param reason why it is unhealthy, as a text; null if it is healthy
 */
public record InstanceHealth(
        long sinceMillis,
        long lastBeatMillis,
        @Nullable LastCheck lastCheck,
        @Nullable String reason) {

    /**
     * The result of one health check.
     *
     * @param text in one line, such as {@code TCP 10.0.0.1:80: connection refused}
     */
    public record LastCheck(long atMillis, boolean passed, String text) {}

    static String reason(@Nullable UnhealthyCause cause, @Nullable LastCheck check) {
        if (cause == null) {
            return "set by its client or an operator";
        }
        return switch (cause) {
            case HEARTBEAT -> "heartbeats missing";
            case CHECK -> check == null || check.passed() ? "health check failed" : check.text();
            case OPERATOR -> "set by an operator";
        };
    }
}
