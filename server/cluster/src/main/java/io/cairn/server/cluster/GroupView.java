package io.cairn.server.cluster;

import io.cairn.server.node.NodeId;
import java.util.HashSet;
import java.util.List;

/**
 * The members of the group at one time. All members of one part see the same views in the same order.
 *
 * @param number grows with each view. Parts of a split count separately; the view of their merge has a higher number than both
 * @param members in the order of joining; never empty
 * @param merged whether it merges parts of a split group
 */
public record GroupView(long number, List<NodeId> members, boolean merged) {

    public GroupView {
        members = List.copyOf(members);
        if (members.isEmpty() || new HashSet<>(members).size() != members.size()) {
            throw new IllegalArgumentException("members: " + members + " (expected: at least one, each once)");
        }
    }

    /** The member that does the work for which one node suffices. */
    public NodeId first() {
        return members.get(0);
    }
}
