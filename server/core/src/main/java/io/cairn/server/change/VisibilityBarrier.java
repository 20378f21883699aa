package io.cairn.server.change;

import org.jspecify.annotations.Nullable;

/**
 * Decides when the callers of committed writes are answered: at once on a single server, in a cluster when the other nodes show the
 * writes, or after a limit.
 */
public interface VisibilityBarrier {

    /**
     * A group of writes begins, and no other node can commit until it ends. On the writer's thread; returns at once.
     *
     * @param lastRevision the last committed one
     */
    default void begun(long lastRevision) {}

    /**
     * A group is committed and shown here. On the writer's thread, with rising revisions; returns at once.
     *
     * @param lastRevision of the group
     * @param completion answers the callers; run once, on any thread, after all earlier groups. Does not block
     */
    void committed(long lastRevision, Runnable completion);

    /** How many nodes show all changes up to the revision; null on a single server. */
    @Nullable
    Visibility visibility(long revision);

    /** Answers at once, on the writer's thread. */
    static VisibilityBarrier ofSingleServer() {
        return SingleServerBarrier.INSTANCE;
    }
}
