package io.cairn.server.naming.registry;

import io.cairn.server.sdk.Sdk;
import java.time.Duration;

/** How long instances are listed without a client: until no client has returned for a time by SDK, at most {@link #LONGEST}. */
public final class RecoveryWindow {

    /** The limit while clients return; a slower SDK or setting extends it. */
    public static final Duration LONGEST = Duration.ofMinutes(3);

    private RecoveryWindow() {}

    /** @param sdk by its own name, or empty */
    public static Duration of(String sdk, Duration least) {
        Duration usual = Sdk.of(sdk).slowestReturn();
        return usual.compareTo(least) > 0 ? usual : least;
    }

    /**
     * The end of instances without a client.
     *
     * @param beganNanos of this state
     * @param returnedNanos last return of a client
     * @param window of {@link #of}
     */
    public static long endNanos(long beganNanos, long returnedNanos, Duration window) {
        long since = later(beganNanos, returnedNanos);
        return earlier(since + window.toNanos(), beganNanos + longest(window).toNanos());
    }

    /** For clients of that window. */
    public static Duration longest(Duration window) {
        return window.compareTo(LONGEST) > 0 ? window : LONGEST;
    }

    public static long later(long oneNanos, long otherNanos) {
        return oneNanos - otherNanos > 0 ? oneNanos : otherNanos;
    }

    public static long earlier(long oneNanos, long otherNanos) {
        return oneNanos - otherNanos < 0 ? oneNanos : otherNanos;
    }
}
