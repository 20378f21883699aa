package io.cairn.server.wiring.settings;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of a node of a cluster, beyond Nacos. A single server ignores them.
 *
 * @param port for other nodes; 0 for the HTTP port + 1001
 * @param bindAddress of that port; empty for the node's own address
 * @param dns a name whose addresses are the nodes; may be empty
 * @param key of the messages between nodes, 32 bytes in Base64; empty for the key that the first node generates
 * @param failureTimeout silence after which a node counts as dead
 * @param joinTimeout after which a starting node is in service without living others, or without all of their instances
 * @param visible whether a publish is answered when all nodes show it, or when its own node does
 * @param visibleWithin the longest wait for the other nodes
 * @param drainRate gRPC clients asked to move in a second when this node stops, is drained, or is cut off from nodes and database
 * @param drainTimeout wait of a stop for clients to reach other nodes, in place of cairn.shutdown.drain; 0 for no wait
 * @param rebalance whether surplus gRPC clients move to nodes with fewer
 * @param rebalanceAfter time without a change of members before
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
