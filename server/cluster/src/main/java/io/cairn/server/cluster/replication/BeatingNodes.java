package io.cairn.server.cluster.replication;

import io.cairn.server.node.NodeId;
import java.util.Collection;

/** Tells nodes that are cut off from nodes that have died, for both are missing in the view. */
public interface BeatingNodes {

    /**
     * All nodes whose row in the database is younger than 6 s, in the view or not; none when the database cannot be asked. Called every
     * second; returns at once.
     */
    Collection<NodeId> now();
}
