package io.cairn.server.change;

import java.util.function.LongConsumer;

/** How far this node shows the changes of the database, by whichever node they were made. Thread-safe. */
public interface RevisionFollower {

    /** Has the changes up to that revision, which another node has committed, read now instead of at the next regular time. */
    void wake(long revision);

    /** The revision up to which this node shows every change; 0 before that is known. */
    long appliedRevision();

    /**
     * Calls the listener with each later {@link #appliedRevision()}, after reads show it. The revision rises, unless the database
     * has gone back to an earlier state.
     *
     * @param listener returns at once and does not throw
     */
    void onApplied(LongConsumer listener);
}
