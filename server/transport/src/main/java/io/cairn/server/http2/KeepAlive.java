package io.cairn.server.http2;

import java.util.concurrent.TimeUnit;

/**
 * Pings in both directions, by the rules of gRPC (proposal A8): a client may ping at a limited rate, and a silent client
 * receives a ping and must respond. Needs no clock and no timer.
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

    enum Due {
        NOTHING,
        PING,
        HANG_UP
    }

    /** The limits are those of {@link Http2Connection.Limits}. */
    KeepAlive(long permitMillis, long afterMillis, long timeoutMillis, long nowNanos) {
        this.permitNanos = TimeUnit.MILLISECONDS.toNanos(permitMillis);
        this.afterNanos = TimeUnit.MILLISECONDS.toNanos(afterMillis);
        this.timeoutNanos = TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
        this.heardNanos = nowNanos;
    }

    /** Records received bytes. */
    void heard(long nowNanos) {
        heardNanos = nowNanos;
    }

    /** Records sent bytes of a call, after which the client may ping again. */
    void sent() {
        anyPermitted = false;
        strikes = 0;
    }

    /** Records a ping of the client; false when it pings too often. */
    boolean permits(long nowNanos) {
        if (!anyPermitted || nowNanos - lastPermittedNanos >= permitNanos) {
            anyPermitted = true;
            lastPermittedNanos = nowNanos;
            return true;
        }
        strikes++;
        return strikes <= MAX_STRIKES;
    }

    /** The time until {@link #due} may change. */
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
