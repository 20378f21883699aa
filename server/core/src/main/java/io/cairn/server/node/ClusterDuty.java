package io.cairn.server.node;

/**
 * Whether this node does the work of one node for all: history and audit retention, the expiry of overrides. Two nodes may briefly
 * do it at once, while they see different members; the work must allow that.
 */
@FunctionalInterface
public interface ClusterDuty {

    /** For a single server. */
    ClusterDuty ALONE = () -> true;

    /** Must not block. */
    boolean isMine();
}
