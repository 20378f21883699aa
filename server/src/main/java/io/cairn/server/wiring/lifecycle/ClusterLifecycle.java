package io.cairn.server.wiring.lifecycle;

import io.cairn.server.cluster.ClusterNode;
import io.cairn.server.cluster.replication.LastKnownCopies;
import io.cairn.server.cluster.visibility.ClusterBarrier;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Starts and stops this server as a node of a cluster; no effect on a single server. */
public final class ClusterLifecycle {

    /** A node with this run time knows the registrations of another node's clients before its restart. */
    private static final Duration KNOWS_OTHERS = Duration.ofMinutes(1);

    private final @Nullable ClusterNode node;
    private final @Nullable LastKnownCopies copies;
    private final @Nullable ClusterBarrier barrier;

    private ClusterLifecycle(
            @Nullable ClusterNode node, @Nullable LastKnownCopies copies, @Nullable ClusterBarrier barrier) {
        this.node = node;
        this.copies = copies;
        this.barrier = barrier;
    }

    public static ClusterLifecycle ofNode(ClusterNode node, LastKnownCopies copies, ClusterBarrier barrier) {
        return new ClusterLifecycle(node, copies, barrier);
    }

    public static ClusterLifecycle ofSingleServer() {
        return new ClusterLifecycle(null, null, null);
    }

    public boolean isNode() {
        return node != null;
    }

    /** Joins the group, and waits for the copies of the other nodes. */
    void join() {
        if (node != null) {
            node.join();
            node.awaitCopies();
        }
    }

    /** Whether another node knows the instances of this node's clients better than its file. */
    boolean isKnownToOthers() {
        return node != null && node.isKnownToOthers(KNOWS_OTHERS);
    }

    /** Restores the other nodes' publications from before the restart, unless {@link #isKnownToOthers they know better}. */
    void recover(boolean isKnownToOthers) {
        if (copies != null) {
            copies.recover(isKnownToOthers);
        }
    }

    void freeze() {
        if (copies != null) {
            copies.close();
        }
    }

    void opened() {
        if (node != null) {
            node.open();
        }
    }

    void drain() {
        if (node != null) {
            node.drain();
        }
    }

    /** Whether clients can move to other nodes in service. */
    boolean hasOthers() {
        return node != null && !node.clientsOfOthers().isEmpty();
    }

    long owned() {
        return node == null ? 0 : node.owned();
    }

    /** Answers the callers of all writes without the other nodes. To be called after the last write. */
    void answerWriters() {
        if (barrier != null) {
            barrier.close();
        }
    }

    void leave() {
        if (node != null) {
            node.close();
        }
    }

    @Nullable
    String notReadyBecause() {
        return node == null ? null : node.notReadyBecause();
    }
}
