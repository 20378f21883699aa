package io.cairn.server.cluster.replication;

import io.cairn.server.node.NodeId;

interface LaneDriver {

    Driven drive(NodeId peer, PeerLane lane);

    interface Driven {

        /** The lane may have messages. Called with locks held; must return at once. */
        void wake();

        void stop();
    }
}
