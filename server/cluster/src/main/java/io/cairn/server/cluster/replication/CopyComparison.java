package io.cairn.server.cluster.replication;

import org.jspecify.annotations.Nullable;

/**
 * How a copy compares with what its owner has.
 *
 * @param digestsEqual whether owner and copy had the same entries when they were last compared; null before the first time
 * @param behindNanos for how long the copy has not had all that its owner says it has; 0 when it has
 * @param nanosSinceDiffered null when it has never differed
 */
record CopyComparison(
        @Nullable Boolean digestsEqual,
        long behindNanos,
        @Nullable Long nanosSinceDiffered) {

    /** Notes the comparisons of one copy. Not thread-safe. */
    static final class History {

        private @Nullable Boolean digestsEqual;
        /** When the copy last had all that its owner said it has; when it was made, before the first time. */
        private long inStepNanos;

        private @Nullable Long differedNanos;
        /** Whether the copy lacks something that its owner has named. */
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
