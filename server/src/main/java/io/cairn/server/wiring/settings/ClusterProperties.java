package io.cairn.server.wiring.settings;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of a node of a cluster, that Nacos does not have. A single server reads none of them.
 *
 * @param port for other nodes; 0 for that of HTTP + 1001
 * @param bindAddress where that port listens; empty for the address by which the node names itself
 * @param dns a name whose addresses are the nodes; empty for none
 * @param key of the messages between the nodes, 32 bytes in Base64; empty for one that the first node makes
 * @param failureTimeout silence after which a node is taken for dead
 * @param joinTimeout after which a node that starts is in service without all instances of the others
 * @param visible whether a publish is answered when all nodes show it, or when the node that took it does
 * @param visibleWithin after which a publish is answered at the latest, although a node does not show it yet
 * @param drainRate clients over gRPC that are asked to move in a second when this node stops, is drained, or is cut off from the others
 *     and from the database
 * @param drainTimeout for which a node that stops waits for its clients to be at others, in place of cairn.shutdown.drain; 0 for not at all
 * @param rebalance whether this node lets its surplus of clients over gRPC move to nodes that have fewer
 * @param rebalanceAfter for how long the members must have been the same before
 */
@ConfigurationProperties("cairn.cluster")
public record ClusterProperties(
        @DefaultValue("0") int port,
        @DefaultValue("") String bindAddress,
        @DefaultValue("") String dns,
        @DefaultValue("") String key,
        @DefaultValue("6s") Duration failureTimeout,
        @DefaultValue("30s") Duration joinTimeout,
        @DefaultValue("everywhere") Visible visible,
        @DefaultValue("200ms") Duration visibleWithin,
        @DefaultValue("2000") int drainRate,
        @DefaultValue("30s") Duration drainTimeout,
        @DefaultValue("true") boolean rebalance,
        @DefaultValue("30s") Duration rebalanceAfter) {

    /** Where a publish can be read when it is answered. */
    public enum Visible {
        EVERYWHERE,
        HERE
    }

    public ClusterProperties {
        CairnProperties.inRange("cluster.port", port, 0, 65_535);
        CairnProperties.atLeast("cluster.failure-timeout", failureTimeout, Duration.ofSeconds(2));
        CairnProperties.atLeast("cluster.join-timeout", joinTimeout, Duration.ofSeconds(1));
        CairnProperties.atLeast("cluster.visible-within", visibleWithin, Duration.ofMillis(1));
        CairnProperties.inRange("cluster.drain-rate", drainRate, 1, 1_000_000);
        CairnProperties.atLeast("cluster.drain-timeout", drainTimeout, Duration.ZERO);
        CairnProperties.atLeast("cluster.rebalance-after", rebalanceAfter, Duration.ofSeconds(1));
    }

    /** Without the key, which is a secret. */
    @Override
    public String toString() {
        return "ClusterProperties[port=" + port + ", bindAddress=" + bindAddress + ", dns=" + dns + ']';
    }
}
