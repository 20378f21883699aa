package io.cairn.server.cluster;

import io.cairn.server.cluster.replication.PeerStatus;
import io.cairn.server.cluster.replication.RegistryReplication;
import io.cairn.server.cluster.wire.ClusterMessage;
import io.cairn.server.node.CopyStatus;
import io.cairn.server.node.NodeState;
import io.cairn.server.node.NodeStatus;
import io.cairn.server.node.NodeStatus.Presence;
import io.cairn.server.node.NodeTable;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

final class NodeStatuses {

    /** A member that has sent no heartbeat for this time is suspected. */
    private static final Duration SILENCE = Duration.ofSeconds(3);

    private final NodeSettings settings;
    private final LocalServer server;
    private final NodeStates states;
    private final MemberStates members;
    private final RegistryReplication replication;
    private final RowWitness witness;
    private final NamedMembers named;
    private final Supplier<GroupView> view;
    private final LongSupplier nanoTime;
    private final Clock clock;

    NodeStatuses(
            NodeSettings settings,
            LocalServer server,
            NodeStates states,
            MemberStates members,
            RegistryReplication replication,
            RowWitness witness,
            NamedMembers named,
            Supplier<GroupView> view,
            LongSupplier nanoTime,
            Clock clock) {
        this.settings = settings;
        this.server = server;
        this.states = states;
        this.members = members;
        this.replication = replication;
        this.witness = witness;
        this.named = named;
        this.view = view;
        this.nanoTime = nanoTime;
        this.clock = clock;
    }

    NodeStatus self() {
        NodeStates.Present now = states.present();
        long mirrored = 0;
        for (PeerStatus peer : replication.peers()) {
            mirrored += peer.copyCount();
        }
        return new NodeStatus(
                settings.self().address(),
                Presence.PRESENT,
                now.state(),
                settings.version(),
                settings.grpcPort(),
                settings.groupPort(),
                settings.self().incarnation(),
                now.since(),
                clock.millis(),
                server.connections(),
                server.revision(),
                replication.summary().count(),
                mirrored,
                0,
                now.state() == NodeState.READY ? null : now.reason());
    }

    List<NodeStatus> all() {
        Map<String, NodeStatus> all = new TreeMap<>();
        all.put(settings.self().address(), self());
        for (PeerStatus peer : replication.peers()) {
            all.put(peer.id().address(), status(peer));
        }
        for (NodeTable.Heartbeat each : witness.rows()) {
            String address = each.row().node().address();
            all.putIfAbsent(address, absent(address, each));
        }
        for (MemberAddress member : named.all()) {
            if (named.nameInView(member, view.get().members()).isEmpty()) {
                all.putIfAbsent(member.toString(), absent(member.toString(), null));
            }
        }
        return List.copyOf(all.values());
    }

    List<CopyStatus> copies() {
        return replication.peers().stream()
                .map(peer -> new CopyStatus(
                        peer.id().address(),
                        peer.copyCount(),
                        peer.missing(),
                        peer.behindMillis(),
                        peer.digestsEqual(),
                        peer.clockOffsetMillis()))
                .toList();
    }

    private NodeStatus status(PeerStatus peer) {
        ClusterMessage.Heartbeat heartbeat = peer.heartbeat();
        ClusterMessage.Hello hello = peer.hello();
        MemberStates.Followed known = members.followed(peer.id());
        NodeState state = members.state(peer);
        long silentNanos = known == null ? 0 : nanoTime.getAsLong() - known.heardNanos();
        boolean isSilent = heartbeat != null && silentNanos >= SILENCE.toNanos();
        Presence presence =
                peer.incompatible() ? Presence.INCOMPATIBLE : isSilent ? Presence.SUSPECTED : Presence.PRESENT;
        return new NodeStatus(
                peer.id().address(),
                presence,
                state,
                hello == null ? "" : hello.version(),
                hello == null ? 0 : hello.grpcPort(),
                hello == null ? 0 : hello.groupPort(),
                peer.id().incarnation(),
                known == null ? 0 : known.since(),
                heartbeat == null ? 0 : clock.millis() - TimeUnit.NANOSECONDS.toMillis(silentNanos),
                heartbeat == null ? 0 : heartbeat.connections(),
                heartbeat == null ? 0 : heartbeat.revision(),
                heartbeat == null ? 0 : heartbeat.count(),
                peer.copyCount(),
                peer.missing(),
                reason(presence, state));
    }

    private static @Nullable String reason(Presence presence, NodeState state) {
        return switch (presence) {
            case INCOMPATIBLE -> "it speaks no protocol that this node speaks; upgrade one of them";
            case SUSPECTED -> "it has sent no heartbeat for some seconds";
            case ABSENT -> "it is no member of the group";
            case PRESENT -> state == NodeState.READY ? null : "it says that it is " + state;
        };
    }

    private NodeStatus absent(String address, NodeTable.@Nullable Heartbeat known) {
        String reason = reason(Presence.ABSENT, NodeState.JOINING);
        if (known == null) {
            return new NodeStatus(
                    address, Presence.ABSENT, NodeState.JOINING, "", 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, reason);
        }
        NodeTable.Row row = known.row();
        return new NodeStatus(
                address,
                Presence.ABSENT,
                RowWitness.state(row),
                row.version(),
                row.grpcPort(),
                row.groupPort(),
                row.startedAtMillis(),
                0,
                clock.millis() - known.age().toMillis(),
                row.connections(),
                row.revision(),
                0,
                0,
                0,
                reason);
    }
}
