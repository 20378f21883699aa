package io.cairn.server.cluster.replication;

import io.cairn.server.node.NodeId;
import java.util.Collection;

/** Distinguishes nodes that are cut off from dead nodes; the view lacks both. */
public interface BeatingNodes {

    /**
     * Nodes whose row is younger than 6 s, in or outside the view; empty when the database is away. Called every second; must
     * return at once.
     */
    Collection<NodeId> now();
}
