package io.cairn.server.change;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** The revision up to which this node shows stored changes: every read shows all changes up to it, of all nodes. */
public interface RevisionFollower {

    /** Before the first comparison with the store. */
    long NONE = -1;

    long NO_COMMIT = 0;

    /** Notes the store's revision, so that changes up to it are read at once. Never blocks. Simultaneous notices are one read. */
    void wake(long revision);

    /** The last shown revision, or {@link #NONE}. */
    long appliedRevision();

    /**
     * The random number of the last seen commit. A store that lost commits issues the same revisions for other changes, with other
     * numbers. {@link #NO_COMMIT} before a comparison with the store, or without a seen commit.
     */
    default long lastCommit() {
        return NO_COMMIT;
    }

    /**
     * Whether this node has seen that {@linkplain #lastCommit commit} in the present state of the store, among the last thousands.
     * Never for {@link #NO_COMMIT}.
     */
    default boolean hasSeen(long commit) {
        return false;
    }

    /**
     * Reads the store as soon as possible. Requests before the read share one stage. Never blocks.
     *
     * @return completes on the applying thread: with true when this node shows everything stored at the call, with false after a
     *     failure. Already true without other writers
     */
    default CompletionStage<Boolean> check() {
        return CompletableFuture.completedFuture(true);
    }

    /** Calls the listener for each later advance, in order, by one thread at a time. Quick advances are one call with the last. */
    void follow(Listener listener);

    /** On the applying thread: must return at once. */
    @FunctionalInterface
    interface Listener {

        /** Everything up to this revision is shown; it has grown. */
        void applied(long revision);

        /**
         * The store lost its last commits and continues from an earlier state, which this node shows. The revision may be smaller.
         */
        default void wentBack(long revision) {
            applied(revision);
        }
    }
}
