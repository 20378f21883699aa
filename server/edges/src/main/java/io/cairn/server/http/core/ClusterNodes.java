package io.cairn.server.http.core;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.node.ClusterMembers;
import io.cairn.server.node.NodeState;
import io.cairn.server.node.NodeStatus;
import java.time.Clock;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The nodes of the cluster in the words of Nacos. */
public final class ClusterNodes {

    private static final List<String> LOOKUPS = List.of("file", "address-server");

    private static final int CONSENSUS_PORT_OFFSET = -1000;

    private final ClusterMembers members;
    private final Clock clock;

    public record Address(String ip, int port) {

        @Override
        public String toString() {
            return ip + ':' + port;
        }
    }

    private enum State {
        UP,
        STARTING,
        SUSPICIOUS,
        DOWN,
        ISOLATION;

        static State of(NodeStatus node) {
            return switch (node.presence()) {
                case ABSENT, INCOMPATIBLE -> DOWN;
                case SUSPECTED -> SUSPICIOUS;
                case PRESENT -> of(node.state());
            };
        }

        private static State of(NodeState state) {
            return switch (state) {
                case READY -> UP;
                case JOINING -> STARTING;
                case DRAINING -> SUSPICIOUS;
                case ISOLATED -> ISOLATION;
            };
        }

        /** Null for a blank text, which means any. */
        static @Nullable State asked(@Nullable String text) {
            if (text == null || text.isBlank()) {
                return null;
            }
            try {
                return valueOf(text.trim().toUpperCase(Locale.ROOT));
            } catch (IllegalArgumentException e) {
                throw new CairnException(ErrorCode.INVALID_PARAMETER, "Illegal state: " + text, e);
            }
        }
    }

    public ClusterNodes(ClusterMembers members, Clock clock) {
        this.members = members;
        this.clock = clock;
    }

    boolean isCluster() {
        return members.isCluster();
    }

    public Address self() {
        NodeStatus self = members.self();
        return new Address(self.host(), self.httpPort());
    }

    public Member selfAsMember() {
        return member(members.self());
    }

    public String state() {
        return State.of(members.self()).name();
    }

    public List<String> addresses() {
        return members.all().stream().map(NodeStatus::address).toList();
    }

    public List<String> inService() {
        return members.inService();
    }

    /** @throws CairnException {@code INVALID_PARAMETER} for an unknown state */
    public List<Member> find(NodeQuery query) {
        State state = State.asked(query.state());
        String address = query.address();
        return members.all().stream()
                .filter(node -> state == null || State.of(node) == state)
                .filter(node -> address == null || node.address().contains(address.trim()))
                .map(this::member)
                .toList();
    }

    private Member member(NodeStatus node) {
        boolean isAbsent = node.presence() == NodeStatus.Presence.ABSENT;
        return new Member(
                node.host(),
                node.httpPort(),
                State.of(node).name(),
                new Member.ExtendInfo(
                        isAbsent ? node.seenAt() : clock.millis(),
                        new Member.RaftMetaData(Map.of()),
                        Integer.toString(node.httpPort() + CONSENSUS_PORT_OFFSET),
                        true,
                        true,
                        node.version(),
                        members.isCluster() ? Member.InCluster.of(node) : null),
                node.address(),
                0,
                Member.Abilities.OF_CAIRN,
                true);
    }

    /**
     * Checks a kind of lookup; settings decide the used one.
     *
     * @throws CairnException {@code INVALID_PARAMETER} for an unknown kind
     */
    public void checkLookup(String type) {
        if (!LOOKUPS.contains(type.trim())) {
            throw new CairnException(
                    ErrorCode.INVALID_PARAMETER, "type: '" + type + "' (expected: one of " + LOOKUPS + ")");
        }
    }
}
