package io.cairn.server.node;

/**
 * Whether this node does the work that one node of a cluster does for all: history and audit retention, the expiry of
 * overrides. Two nodes may do it at the same time for a moment, while they see different members; such work must allow that.
 */
@FunctionalInterface
public interface ClusterDuty {

    /** The duty of a server that is alone. */
    ClusterDuty ALONE = () -> true;

    /** Whether it is this node's at the moment. Must not block. */
    boolean isMine();
}
