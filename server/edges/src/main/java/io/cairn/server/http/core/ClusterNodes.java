package io.cairn.server.http.core;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import java.time.Clock;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;

/** The nodes of the cluster as operators see them; at the moment this one alone. Thread-safe. */
public final class ClusterNodes {

    /** How nodes can be made known to each other. */
    private static final List<String> LOOKUPS = List.of("file", "address-server");

    private static final int CONSENSUS_PORT_OFFSET = -1000;

    private final Supplier<Address> self;
    private final String version;
    private final Clock clock;

    /** Where a node is reached. */
    public record Address(String ip, int port) {

        @Override
        public String toString() {
            return ip + ':' + port;
        }
    }

    /** @param self where this node is reached; known once it has started */
    public ClusterNodes(Supplier<Address> self, String version, Clock clock) {
        this.self = self;
        this.version = version;
        this.clock = clock;
    }

    /** Where this node is reached. */
    public Address self() {
        return self.get();
    }

    /** This node. */
    public Member selfAsMember() {
        return member(self.get());
    }

    /**
     * The nodes that a request asks for.
     *
     * @throws CairnException {@code INVALID_PARAMETER} for a state that there is not
     */
    public List<Member> find(NodeQuery query) {
        String state = query.state();
        boolean asked = state == null
                || state.isBlank()
                || switch (state.trim().toUpperCase(Locale.ROOT)) {
                    case "UP" -> true;
                    case "STARTING", "SUSPICIOUS", "DOWN", "ISOLATION" -> false;
                    default -> throw new CairnException(ErrorCode.INVALID_PARAMETER, "Illegal state: " + state);
                };
        Address here = self.get();
        String address = query.address();
        boolean found = asked && (address == null || here.toString().contains(address.trim()));
        return found ? List.of(member(here)) : List.of();
    }

    private Member member(Address node) {
        return new Member(
                node.ip(),
                node.port(),
                "UP",
                new Member.ExtendInfo(
                        clock.millis(),
                        new Member.RaftMetaData(Map.of()),
                        Integer.toString(node.port() + CONSENSUS_PORT_OFFSET),
                        true,
                        true,
                        version),
                node.toString(),
                0,
                Member.Abilities.OF_CAIRN,
                true);
    }

    /**
     * Checks a way in which nodes could be made known to each other; a node that is alone has nobody to look for.
     *
     * @throws CairnException {@code INVALID_PARAMETER} for a way that there is not
     */
    public void checkLookup(String type) {
        if (!LOOKUPS.contains(type.trim())) {
            throw new CairnException(
                    ErrorCode.INVALID_PARAMETER, "type: '" + type + "' (expected: one of " + LOOKUPS + ")");
        }
    }
}
