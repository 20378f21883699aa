package io.cairn.server.naming;

import io.cairn.api.naming.Instance;

/**
 * The answer to a heartbeat.
 *
 * @param known false for an unknown instance without a description
 * @param intervalMillis requested by its publisher; 0 for the default
 */
public record BeatResult(boolean known, long intervalMillis) {

    public static final BeatResult UNKNOWN = new BeatResult(false, 0);
    public static final BeatResult USUAL = new BeatResult(true, 0);

    public static BeatResult of(Instance known) {
        return of(
                known.metadata().containsKey(Instance.BEAT_INTERVAL)
                        ? known.beatInterval().toMillis()
                        : 0);
    }

    public static BeatResult of(long intervalMillis) {
        return intervalMillis == 0 ? USUAL : new BeatResult(true, intervalMillis);
    }
}
