package io.cairn.server.cluster.replication;

import io.cairn.server.cluster.wire.ClusterMessage;
import io.cairn.server.node.NodeId;
import io.cairn.server.node.NodeState;

final class SelfDescription {

    private final NodeId self;
    private final LocalNode node;
    private final OwnLog own;
    private final ClusterClock clock;

    SelfDescription(NodeId self, LocalNode node, OwnLog own, ClusterClock clock) {
        this.self = self;
        this.node = node;
        this.own = own;
        this.clock = clock;
    }

    NodeState state() {
        return node.description().state();
    }

    ClusterMessage.Hello hello(long stream) {
        LocalNode.Description now = node.description();
        return new ClusterMessage.Hello(
                self,
                now.grpcPort(),
                now.groupPort(),
                now.version(),
                ClusterMessage.OLDEST_PROTOCOL,
                ClusterMessage.NEWEST_PROTOCOL,
                now.state(),
                stream,
                own.sequence(),
                now.settingsDigest(),
                now.keysFingerprint());
    }

    /** The heartbeats of this moment: for each stream the same, with its number. */
    Heartbeats heartbeats() {
        return new Heartbeats(
                own.summary(), node.load(), state(), clock.millis(), clock.machineMillis(), node.followed());
    }

    record Heartbeats(
            OwnLog.Summary summary,
            LocalNode.Load load,
            NodeState state,
            long clockMillis,
            long machineMillis,
            ClusterMessage.Heartbeat.Followed followed) {

        ClusterMessage.Heartbeat of(long stream) {
            return new ClusterMessage.Heartbeat(
                    stream,
                    summary.sequence(),
                    summary.count(),
                    summary.digest(),
                    state,
                    clockMillis,
                    load.revision(),
                    load.connections(),
                    load.permille(),
                    machineMillis,
                    followed);
        }
    }
}
