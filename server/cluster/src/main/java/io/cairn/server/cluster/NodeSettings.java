package io.cairn.server.cluster;

import io.cairn.server.node.NodeId;
import java.time.Duration;

/**
 * The constant facts of a node.
 *
 * @param joinTimeout after which it is in service without complete copies
 */
public record NodeSettings(NodeId self, int groupPort, int grpcPort, String version, Duration joinTimeout) {}
