package io.cairn.server.cluster;

import io.cairn.server.node.NodeId;
import java.time.Duration;

/**
 * The facts of a node of the cluster that stay the same while it runs.
 *
 * @param joinTimeout after which it is in service without complete copies of the others
 */
public record NodeSettings(NodeId self, int groupPort, int grpcPort, String version, Duration joinTimeout) {}
