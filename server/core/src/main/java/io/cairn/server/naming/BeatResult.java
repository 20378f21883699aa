package io.cairn.server.naming;

import io.cairn.api.naming.Instance;

/**
 * The answer to a beat.
 *
 * @param known false when there is no such instance and the beat did not say enough to register it
 * @param intervalMillis the interval that its publisher has asked for; 0 for the usual one
 */
public record BeatResult(boolean known, long intervalMillis) {

    public static final BeatResult UNKNOWN = new BeatResult(false, 0);
    static final BeatResult USUAL = new BeatResult(true, 0);

    /** The answer to a beat of a known instance. */
    public static BeatResult of(Instance known) {
        return of(
                known.metadata().containsKey(Instance.BEAT_INTERVAL)
                        ? known.beatInterval().toMillis()
                        : 0);
    }

    static BeatResult of(long intervalMillis) {
        return intervalMillis == 0 ? USUAL : new BeatResult(true, intervalMillis);
    }
}
