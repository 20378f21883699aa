package io.cairn.server.cluster.replication;

import io.cairn.server.node.NodeId;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

final class LaneThreads implements LaneDriver {

    private static final Logger log = LoggerFactory.getLogger(LaneThreads.class);
    private static final long LONGEST_WAIT_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long PAUSE_AFTER_DEFECT_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final PeerTransport transport;

    LaneThreads(PeerTransport transport) {
        this.transport = transport;
    }

    @Override
    public Driven drive(NodeId peer, PeerLane lane) {
        LaneThread driven = new LaneThread(peer, lane);
        driven.thread.start();
        return driven;
    }

    private final class LaneThread implements Driven {

        private final NodeId peer;
        private final PeerLane lane;
        private final Thread thread;
        private volatile boolean stopped;

        LaneThread(NodeId peer, PeerLane lane) {
            this.peer = peer;
            this.lane = lane;
            this.thread = new Thread(this::run, "cairn-lane-" + peer.address());
            this.thread.setDaemon(true);
        }

        private void run() {
            while (!stopped) {
                try {
                    byte[] message = lane.next();
                    if (message != null) {
                        transport.send(peer, message);
                    } else {
                        LockSupport.parkNanos(this, Math.min(lane.nanosUntilDue(), LONGEST_WAIT_NANOS));
                    }
                } catch (RuntimeException e) {
                    // The peer detects the gap at its next message or heartbeat, and requests a snapshot.
                    if (!stopped) {
                        log.error("A message to {} is left out on a defect of the server", peer, e);
                        LockSupport.parkNanos(this, PAUSE_AFTER_DEFECT_NANOS);
                    }
                }
            }
        }

        @Override
        public void wake() {
            LockSupport.unpark(thread);
        }

        /** Interrupts the thread, because the transport may wait for a blocked peer. */
        @Override
        public void stop() {
            stopped = true;
            thread.interrupt();
        }
    }
}
