package io.cairn.server.cluster;

import io.cairn.server.cluster.replication.ClusterClock;
import io.cairn.server.cluster.replication.PeerStatus;
import io.cairn.server.cluster.wire.ClusterMessage;
import io.cairn.server.node.NodeFinding;
import io.cairn.server.node.NodeStatus;
import io.cairn.server.node.NodeStatus.Presence;
import io.cairn.server.node.NodeTable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

final class ClusterFindings {

    /** A repaired difference stays a finding for this long. */
    private static final Duration DIFFERENCE_IS_NEWS = Duration.ofHours(1);

    private final NodeSettings settings;
    private final LocalServer server;
    private final NodeStates states;
    private final MemberStates members;
    private final NamedMembers named;

    ClusterFindings(
            NodeSettings settings, LocalServer server, NodeStates states, MemberStates members, NamedMembers named) {
        this.settings = settings;
        this.server = server;
        this.states = states;
        this.members = members;
        this.named = named;
    }

    /**
     * @param unseen rows of nodes outside the view with living heartbeats
     * @param otherKeys addresses of nodes that encrypt with another key
     */
    List<NodeFinding> find(
            List<NodeStatus> nodes, List<NodeTable.Row> unseen, Set<String> otherKeys, Collection<PeerStatus> peers) {
        List<NodeFinding> findings = new ArrayList<>();
        Set<String> beating = new HashSet<>();
        unseen.forEach(row -> beating.add(row.node().address()));
        for (NodeStatus node : nodes) {
            if (node.presence() == Presence.ABSENT) {
                findings.add(
                        !beating.contains(node.address())
                                ? notRunning(node)
                                : otherKeys.contains(node.address()) ? otherKey(node) : unreached(node));
            }
        }
        if (states.present().isIncomplete()) {
            long seconds = settings.joinTimeout().toSeconds();
            findings.add(new NodeFinding(
                    NodeFinding.Kind.NODE_BEHIND,
                    settings.self().address(),
                    "It went into service after " + seconds
                            + " s without all instances of the other nodes (cairn.cluster.join-timeout)",
                    NodeFinding.Cause.INSTANCES_INCOMPLETE,
                    seconds));
        }
        peers.forEach(peer -> addFindings(findings, peer));
        return findings;
    }

    private static NodeFinding unreached(NodeStatus node) {
        return new NodeFinding(
                NodeFinding.Kind.NODE_AWAY,
                node.address(),
                "Its heartbeat in the database goes on, and this node does not reach its group port " + node.groupPort()
                        + ": open that port between the nodes",
                NodeFinding.Cause.GROUP_PORT_UNREACHED,
                node.groupPort());
    }

    private static NodeFinding otherKey(NodeStatus node) {
        return new NodeFinding(
                NodeFinding.Kind.NODE_AWAY,
                node.address(),
                "Its heartbeat in the database goes on, and its messages are encrypted with another key than those of this node: set"
                        + " cairn.cluster.key to the same value on all nodes, or on none, and restart those that had another one",
                NodeFinding.Cause.GROUP_KEY_DIFFERS,
                0);
    }

    private NodeFinding notRunning(NodeStatus node) {
        return new NodeFinding(
                NodeFinding.Kind.NODE_AWAY,
                node.address(),
                named.source() + " names it, and it does not run: start it, or take it off",
                NodeFinding.Cause.NOT_RUNNING,
                0);
    }

    private void addFindings(List<NodeFinding> findings, PeerStatus peer) {
        String address = peer.id().address();
        ClusterMessage.Hello hello = peer.hello();
        MemberStates.Followed known = members.followed(peer.id());
        if (known != null && known.isBehind()) {
            long seconds = RevisionLag.AGE.toSeconds();
            findings.add(new NodeFinding(
                    NodeFinding.Kind.NODE_BEHIND,
                    address,
                    "It shows contents that are more than " + seconds
                            + " s old: look at its log and at its connection to the database",
                    NodeFinding.Cause.CONTENTS_OLD,
                    seconds));
        }
        Long differed = peer.millisSinceDiffered();
        if (differed != null && differed < DIFFERENCE_IS_NEWS.toMillis()) {
            findings.add(new NodeFinding(
                    NodeFinding.Kind.COPIES_DIFFER,
                    address,
                    "The copy of what it owns differed on " + settings.self().address() + " "
                            + TimeUnit.MILLISECONDS.toSeconds(differed)
                            + " s ago, and it has sent all of it again: report this with the logs of both nodes"));
        }
        if (peer.clockIsOff()) {
            findings.add(new NodeFinding(
                    NodeFinding.Kind.CLOCK_OFF,
                    address,
                    "Its clock is more than " + ClusterClock.MAX_AHEAD.toSeconds()
                            + " s ahead of this node's: set the clocks of both"));
        }
        if (hello == null) {
            return;
        }
        String fingerprint = server.keysFingerprint();
        if (!fingerprint.isEmpty()
                && !hello.keysFingerprint().isEmpty()
                && !fingerprint.equals(hello.keysFingerprint())) {
            findings.add(new NodeFinding(
                    NodeFinding.Kind.KEYS_DIFFER,
                    address,
                    "It signs tokens with other keys than this node, so a token of one is refused by the other: set the"
                            + " same key on all nodes, or none"));
        }
        if (hello.settingsDigest() != server.settingsDigest()) {
            findings.add(
                    new NodeFinding(
                            NodeFinding.Kind.SETTINGS_DIFFER,
                            address,
                            "Settings that must agree on all nodes differ from this node's: compare conf/application.properties"));
        }
    }
}
