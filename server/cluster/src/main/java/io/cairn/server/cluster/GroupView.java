package io.cairn.server.cluster;

import io.cairn.server.node.NodeId;
import java.util.HashSet;
import java.util.List;

/**
 * The members of the group at one time. All members of one part of the group see the same views in the same order.
 *
 * @param number grows with each view. Two parts of a split group count on separately; the view of their merge has a larger
 *     number than both
 * @param members in the order in which they joined; never empty
 * @param merged whether the view joins parts of a split group
 */
public record GroupView(long number, List<NodeId> members, boolean merged) {

    public GroupView {
        members = List.copyOf(members);
        if (members.isEmpty() || new HashSet<>(members).size() != members.size()) {
            throw new IllegalArgumentException("members: " + members + " (expected: at least one, each once)");
        }
    }

    /** The member that does the work for which one node of the group suffices. */
    public NodeId first() {
        return members.get(0);
    }
}
