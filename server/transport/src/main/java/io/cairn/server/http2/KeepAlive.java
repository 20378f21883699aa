package io.cairn.server.http2;

import java.util.concurrent.TimeUnit;

/**
 * Pings in both directions, by the rules of gRPC (its proposal A8): a client may ping so often and no oftener, and a client that
 * is silent is pinged and must answer. Has no clock and no timer of its own. Used on one event loop.
 */
final class KeepAlive {

    private static final int MAX_STRIKES = 2;

    private final long permitNanos;
    private final long afterNanos;
    private final long timeoutNanos;
    private long lastPermittedNanos;
    private boolean anyPermitted;
    private int strikes;
    private long heardNanos;
    private long pingedNanos;
    private boolean pinged;

    /** The action that is due. */
    enum Due {
        NOTHING,
        PING,
        HANG_UP
    }

    /**
     * @param permitMillis between two pings of the client, at least
     * @param afterMillis of silence the client is pinged
     * @param timeoutMillis within which it must be heard of then
     */
    KeepAlive(long permitMillis, long afterMillis, long timeoutMillis, long nowNanos) {
        this.permitNanos = TimeUnit.MILLISECONDS.toNanos(permitMillis);
        this.afterNanos = TimeUnit.MILLISECONDS.toNanos(afterMillis);
        this.timeoutNanos = TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
        this.heardNanos = nowNanos;
    }

    /** Something was received. */
    void heard(long nowNanos) {
        heardNanos = nowNanos;
    }

    /** Something of a call was sent: a client may ask how long that took. */
    void sent() {
        anyPermitted = false;
        strikes = 0;
    }

    /** The client pings; false when it does so too often. */
    boolean permits(long nowNanos) {
        if (!anyPermitted || nowNanos - lastPermittedNanos >= permitNanos) {
            anyPermitted = true;
            lastPermittedNanos = nowNanos;
            return true;
        }
        strikes++;
        return strikes <= MAX_STRIKES;
    }

    /** How long it is until {@link #due} may say something else. */
    long waitNanos(long nowNanos) {
        return pinged ? pingedNanos + timeoutNanos - nowNanos : heardNanos + afterNanos - nowNanos;
    }

    Due due(long nowNanos) {
        if (pinged && heardNanos - pingedNanos > 0) {
            pinged = false;
        }
        if (waitNanos(nowNanos) > 0) {
            return Due.NOTHING;
        }
        if (pinged) {
            return Due.HANG_UP;
        }
        pinged = true;
        pingedNanos = nowNanos;
        return Due.PING;
    }
}
