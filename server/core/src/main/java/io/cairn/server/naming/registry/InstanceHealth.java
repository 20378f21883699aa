package io.cairn.server.naming.registry;

import io.cairn.server.naming.UnhealthyCause;
import org.jspecify.annotations.Nullable;

/**
 * The health of an instance and its cause.
 *
 * @param sinceMillis epoch milliseconds; 0 if unknown
 * @param lastBeatMillis of its last heartbeat or registration; 0 without heartbeats
 * @param lastCheck null for an unchecked instance
 * @param reason of an unhealthy one, or null
 * @param drainEndMillis the end of its drain; 0 without one
 */
public record InstanceHealth(
        long sinceMillis,
        long lastBeatMillis,
        @Nullable LastCheck lastCheck,
        @Nullable String reason,
        long drainEndMillis) {

    /** Without a drain. */
    public InstanceHealth(
            long sinceMillis, long lastBeatMillis, @Nullable LastCheck lastCheck, @Nullable String reason) {
        this(sinceMillis, lastBeatMillis, lastCheck, reason, 0);
    }

    /** @param text in one line, such as {@code TCP 10.0.0.1:80: connection refused} */
    public record LastCheck(long atMillis, boolean passed, String text) {}

    public static String reason(@Nullable UnhealthyCause cause, @Nullable LastCheck check) {
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
