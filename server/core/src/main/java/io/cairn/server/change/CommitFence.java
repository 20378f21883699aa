package io.cairn.server.change;

import org.jspecify.annotations.Nullable;

/**
 * Decides when the callers of committed writes are answered: on a single server at once, in a cluster when the other nodes show
 * the writes as well, or after a time limit. Thread-safe.
 */
public interface CommitFence {

    /**
     * A group of writes is committed, and this node shows it. Called on the writer's thread, with rising revisions; returns at once.
     *
     * @param lastRevision the last revision that the group has taken
     * @param completion answers the callers; run once, on any thread, after the completions of all earlier groups. Does not block
     */
    void committed(long lastRevision, Runnable completion);

    /** How many nodes show all changes up to that revision now; null on a server that is no part of a cluster. */
    @Nullable
    Visibility visibility(long revision);

    /** The fence of a server that is no part of a cluster: callers are answered at once, on the thread of the writer. */
    static CommitFence ofSingleServer() {
        return SingleServerFence.INSTANCE;
    }
}
