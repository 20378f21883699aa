package io.cairn.server.cluster;

import io.cairn.server.node.NodeId;
import io.cairn.server.node.NodeState;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs the nodes that left the group, with the known cause. For one thread. */
final class LostMembers {

    /** Heartbeats come every second: a node with one so recent was not silent, so its connection has ended. */
    private static final Duration LATELY = Duration.ofSeconds(4);

    private static final Logger log = LoggerFactory.getLogger(LostMembers.class);

    private final NodeId self;
    private final MemberStates members;
    private final LongSupplier nanoTime;
    private List<NodeId> view = List.of();

    LostMembers(NodeId self, MemberStates members, LongSupplier nanoTime) {
        this.self = self;
        this.members = members;
        this.nanoTime = nanoTime;
    }

    /** Applies a view, before the states of its former members are removed. */
    void view(GroupView next) {
        List<NodeId> before = view;
        view = next.members();
        for (NodeId member : before) {
            if (!view.contains(member) && !member.equals(self)) {
                log(member);
            }
        }
    }

    private void log(NodeId member) {
        if (members.isLeaving(member)) {
            log.info("{} has stopped and left the group", member.address());
            return;
        }
        if (view.stream().anyMatch(each -> each.address().equals(member.address()))) {
            log.info("{} is a member of the group with a later start", member.address());
            return;
        }
        MemberStates.Followed known = members.followed(member);
        String state = known == null ? NodeState.JOINING.name() : known.state().name();
        log.warn(
                "Lost {} ({}), which has not said that it stops: {}. Its instances are kept until their clients are at other"
                        + " nodes",
                member.address(),
                state,
                why(known));
    }

    private String why(MemberStates.@Nullable Followed known) {
        if (known == null || known.heartbeat() == null) {
            return "no heartbeat of it has come";
        }
        long silentNanos = nanoTime.getAsLong() - known.heardNanos();
        long millis = TimeUnit.NANOSECONDS.toMillis(silentNanos);
        return silentNanos < LATELY.toNanos()
                ? "the connection to it has ended " + millis
                        + " ms after its last heartbeat; its process has ended, or cannot be reached"
                : "it was silent for " + millis + " ms; its process hangs, or cannot be reached";
    }
}
