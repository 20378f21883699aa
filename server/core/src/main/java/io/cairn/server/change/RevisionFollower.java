package io.cairn.server.change;

/**
 * The revision up to which this node shows the stored changes. A revision is applied when every read on this node shows
 * all changes up to it, those of this node and those of other nodes. Thread-safe.
 */
public interface RevisionFollower {

    /** The applied revision of a node that has not compared itself with the store yet. */
    long NONE = -1;

    /**
     * Notes that the store has come to this revision, so that the changes up to it are read at once. Never blocks. Several
     * notices that arrive together are one read.
     */
    void wake(long revision);

    /** The last revision that this node shows, or {@link #NONE}. */
    long appliedRevision();

    /**
     * Calls the listener for each later advance, in order and by one thread at a time. Revisions that follow each other
     * quickly are one call with the last of them.
     */
    void follow(Listener listener);

    /** Is called on the thread that has applied the changes: it must return at once. */
    @FunctionalInterface
    interface Listener {

        /** Everything up to this revision is shown; greater than at the call before. */
        void applied(long revision);

        /**
         * The store has lost its last commits: it went on from an earlier state, which this node shows now. The revision may
         * be smaller than at the call before.
         */
        default void wentBack(long revision) {
            applied(revision);
        }
    }
}
