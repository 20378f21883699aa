package io.cairn.server.http.core;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.cairn.server.node.NodeStatus;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A node of the cluster, as all versions write it.
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
     * The details of a node beside its address.
     *
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
     * A node as a member of a cluster. Figures are 0 while they are not known.
     *
     * @param state {@code JOINING}, {@code READY}, {@code DRAINING} or {@code ISOLATED}, as the node has said last
     * @param presence {@code PRESENT}, {@code SUSPECTED}, {@code ABSENT} or {@code INCOMPATIBLE}
     * @param since epoch milliseconds from which it is in this state
     * @param startedAt epoch milliseconds
     * @param connections clients over gRPC
     * @param revision the last one of the change log that it shows
     * @param owned publications that it owns
     * @param mirrored publications of other nodes that it has; of another node those that the answering one has
     * @param behind changes of it that the answering node does not have yet
     * @param reason why it is not in service; left out when it is
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

    /** Empty, because nothing here is agreed upon by Raft; consoles look for the member. */
    public record RaftMetaData(Map<String, String> metaDataMap) {}

    public record Abilities(RemoteAbility remoteAbility, ConfigAbility configAbility, NamingAbility namingAbility) {

        /** Those of every Cairn node. */
        static final Abilities OF_CAIRN =
                new Abilities(new RemoteAbility(true, true), new ConfigAbility(false), new NamingAbility(false));
    }

    public record RemoteAbility(boolean supportRemoteConnection, boolean grpcReportEnabled) {}

    public record ConfigAbility(boolean supportRemoteMetrics) {}

    public record NamingAbility(boolean supportJraft) {}
}
