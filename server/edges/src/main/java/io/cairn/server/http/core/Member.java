package io.cairn.server.http.core;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.cairn.server.node.NodeStatus;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A node of the cluster, in all versions.
 *
 * @param address ip and port
 */
public record Member(
        String ip,
        int port,
        String state,
        ExtendInfo extendInfo,
        String address,
        int failAccessCnt,
        Abilities abilities,
        boolean grpcReportEnabled) {

    /**
     * @param lastRefreshTime in epoch milliseconds
     * @param cluster left out by a single server
     */
    public record ExtendInfo(
            long lastRefreshTime,
            RaftMetaData raftMetaData,
            String raftPort,
            boolean readyToUpgrade,
            boolean supportGrayModel,
            String version,

            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable
            InCluster cluster) {}

    /**
     * A node as a member of a cluster. Unknown figures are 0.
     *
     * @param state {@code JOINING}, {@code READY}, {@code DRAINING} or {@code ISOLATED}, by its last heartbeat
     * @param presence {@code PRESENT}, {@code SUSPECTED}, {@code ABSENT} or {@code INCOMPATIBLE}
     * @param since epoch milliseconds of the state's begin
     * @param startedAt epoch milliseconds
     * @param connections clients over gRPC
     * @param revision the last shown
     * @param owned its own publications
     * @param mirrored publications of other nodes; for another node, the copies of the answering node
     * @param behind its changes that the answering node lacks
     * @param reason why it is not in service; else left out
     */
    public record InCluster(
            String state,
            String presence,
            long since,
            long startedAt,
            int grpcPort,
            int groupPort,
            long connections,
            long revision,
            long owned,
            long mirrored,
            long behind,

            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable
            String reason) {

        static InCluster of(NodeStatus node) {
            return new InCluster(
                    node.state().name(),
                    node.presence().name(),
                    node.since(),
                    node.startedAt(),
                    node.grpcPort(),
                    node.groupPort(),
                    node.connections(),
                    node.revision(),
                    node.owned(),
                    node.mirrored(),
                    node.behind(),
                    node.reason());
        }
    }

    /** Empty, because Cairn has no Raft; consoles expect the member. */
    public record RaftMetaData(Map<String, String> metaDataMap) {}

    public record Abilities(RemoteAbility remoteAbility, ConfigAbility configAbility, NamingAbility namingAbility) {

        static final Abilities OF_CAIRN =
                new Abilities(new RemoteAbility(true, true), new ConfigAbility(false), new NamingAbility(false));
    }

    public record RemoteAbility(boolean supportRemoteConnection, boolean grpcReportEnabled) {}

    public record ConfigAbility(boolean supportRemoteMetrics) {}

    public record NamingAbility(boolean supportJraft) {}
}
