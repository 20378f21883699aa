package io.cairn.server.cluster.replication;

import org.jspecify.annotations.Nullable;

/**
 * @param digestsEqual the result of the last comparison; null before the first
 * @param behindNanos for how long the copy lacks announced changes
 * @param nanosSinceDiffered null without a difference
 */
record CopyComparison(
        @Nullable Boolean digestsEqual,
        long behindNanos,
        @Nullable Long nanosSinceDiffered) {

    /** Notes the comparisons of one copy. Not thread-safe. */
    static final class History {

        private @Nullable Boolean digestsEqual;
        /** The last time without a lag; at first the time of creation. */
        private long inStepNanos;

        private @Nullable Long differedNanos;
        private boolean isBehind;

        History(long now) {
            inStepNanos = now;
        }

        void position(boolean isBehindNow, long now) {
            isBehind = isBehindNow;
            if (!isBehindNow) {
                inStepNanos = now;
            }
        }

        void digests(boolean areEqual, long now) {
            digestsEqual = areEqual;
            if (!areEqual) {
                differedNanos = now;
            }
        }

        CopyComparison at(long now) {
            return new CopyComparison(
                    digestsEqual,
                    isBehind ? now - inStepNanos : 0,
                    differedNanos == null ? null : Long.valueOf(now - differedNanos));
        }
    }
}
