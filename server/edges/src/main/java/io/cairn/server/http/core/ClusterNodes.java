package io.cairn.server.http.core;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.wire.JsonOutput;
import java.time.Clock;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

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

    /** This node, as JSON. */
    public byte[] selfJson() {
        JsonOutput out = new JsonOutput(512);
        write(self.get(), out);
        return out.toBytes();
    }

    /**
     * The nodes as a JSON array.
     *
     * @param address a part of their address; null or blank for any
     * @param state the state they are in; null or blank for any
     * @throws CairnException {@code INVALID_PARAMETER} for a state that there is not
     */
    public byte[] json(@Nullable String address, @Nullable String state) {
        boolean asked = state == null
                || state.isBlank()
                || switch (state.trim().toUpperCase(java.util.Locale.ROOT)) {
                    case "UP" -> true;
                    case "STARTING", "SUSPICIOUS", "DOWN", "ISOLATION" -> false;
                    default -> throw new CairnException(ErrorCode.INVALID_PARAMETER, "Illegal state: " + state);
                };
        Address here = self.get();
        boolean found = asked && (address == null || here.toString().contains(address.trim()));
        return JsonOutput.array(found ? List.of(here) : List.of(), ClusterNodes.this::write);
    }

    private void write(Address node, JsonOutput out) {
        out.text("ip", node.ip())
                .number("port", node.port())
                .text("state", "UP")
                .json(
                        "extendInfo",
                        new JsonOutput(192)
                                .number("lastRefreshTime", clock.millis())
                                // Nothing here is agreed upon by Raft; consoles look for the field.
                                .json("raftMetaData", "{\"metaDataMap\":{}}")
                                .text("raftPort", Integer.toString(node.port() + CONSENSUS_PORT_OFFSET))
                                .flag("readyToUpgrade", true)
                                .flag("supportGrayModel", true)
                                .text("version", version)
                                .toBytes())
                .text("address", node.toString())
                .number("failAccessCnt", 0)
                .json(
                        "abilities",
                        "{\"remoteAbility\":{\"supportRemoteConnection\":true,\"grpcReportEnabled\":true},"
                                + "\"configAbility\":{\"supportRemoteMetrics\":false},"
                                + "\"namingAbility\":{\"supportJraft\":false}}")
                .flag("grpcReportEnabled", true);
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
