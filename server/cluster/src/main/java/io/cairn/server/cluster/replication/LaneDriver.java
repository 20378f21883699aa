package io.cairn.server.cluster.replication;

import io.cairn.server.node.NodeId;

/** Takes the messages of lanes and sends them. */
interface LaneDriver {

    /** Begins to drive the lane. */
    Driven drive(NodeId peer, PeerLane lane);

    /** A lane that is driven. */
    interface Driven {

        /** The lane may have something to send. Called with locks held; returns at once. */
        void wake();

        /** Sends nothing more. Returns at once. */
        void stop();
    }
}
