package io.cairn.server.http.core;

import java.util.Map;

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
     */
    public record ExtendInfo(
            long lastRefreshTime,
            RaftMetaData raftMetaData,
            String raftPort,
            boolean readyToUpgrade,
            boolean supportGrayModel,
            String version) {}

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
