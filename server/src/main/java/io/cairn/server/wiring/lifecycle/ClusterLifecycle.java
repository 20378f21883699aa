package io.cairn.server.wiring.lifecycle;

import io.cairn.server.cluster.ClusterNode;
import io.cairn.server.cluster.replication.LastKnownCopies;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Starts and stops this server as a node of a cluster. Does nothing for a single server. */
public final class ClusterLifecycle {

    /** A node that has run for this long knows what the clients of another one registered before that one was restarted. */
    private static final Duration KNOWS_OTHERS = Duration.ofMinutes(1);

    private final @Nullable ClusterNode node;
    private final @Nullable LastKnownCopies copies;

    private ClusterLifecycle(@Nullable ClusterNode node, @Nullable LastKnownCopies copies) {
        this.node = node;
        this.copies = copies;
    }

    public static ClusterLifecycle ofNode(ClusterNode node, LastKnownCopies copies) {
        return new ClusterLifecycle(node, copies);
    }

    public static ClusterLifecycle ofSingleServer() {
        return new ClusterLifecycle(null, null);
    }

    /** Whether this server is a node of a cluster. */
    public boolean isNode() {
        return node != null;
    }

    /** Joins the group, and waits until what the other nodes own is here. */
    void join() {
        if (node != null) {
            node.join();
            node.awaitCopies();
        }
    }

    /** Whether another node knows the instances of this one's clients better than the file of this node does. */
    boolean isKnownToOthers() {
        return node != null && node.isKnownToOthers(KNOWS_OTHERS);
    }

    /** Adds what the other nodes owned before this node was restarted, unless they know it better; see {@link #isKnownToOthers}. */
    void recover(boolean isKnownToOthers) {
        if (copies != null) {
            copies.recover(isKnownToOthers);
        }
    }

    /** Keeps the present copies of the other nodes' publications from now on. */
    void freeze() {
        if (copies != null) {
            copies.close();
        }
    }

    /** The ports for clients are open. */
    void opened() {
        if (node != null) {
            node.open();
        }
    }

    /** The server is about to stop; the other nodes are told so. */
    void drain() {
        if (node != null) {
            node.drain();
        }
    }

    /** Whether other nodes are in service, to which clients can move. */
    boolean hasOthers() {
        return node != null && !node.clientsOfOthers().isEmpty();
    }

    /** How many publications and checks this node has not handed over yet. */
    long owned() {
        return node == null ? 0 : node.owned();
    }

    void leave() {
        if (node != null) {
            node.close();
        }
    }

    /** Why the cluster keeps this node from serving, in words; null when it does not. */
    @Nullable
    String notReadyBecause() {
        return node == null ? null : node.notReadyBecause();
    }
}
