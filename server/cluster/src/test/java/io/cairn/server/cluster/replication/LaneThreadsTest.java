package io.cairn.server.cluster.replication;

import static io.cairn.server.cluster.replication.Samples.A;
import static io.cairn.server.cluster.replication.Samples.B;
import static io.cairn.server.cluster.replication.Samples.C;
import static io.cairn.server.cluster.replication.Samples.SERVICE;
import static io.cairn.testing.Patience.PATIENCE;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.api.naming.Instance;
import io.cairn.server.cluster.wire.ClusterCodec;
import io.cairn.server.cluster.wire.ClusterMessage;
import io.cairn.server.node.NodeId;
import io.cairn.server.testing.SettableClock;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LaneThreadsTest {

    private final Map<NodeId, LinkedBlockingQueue<ClusterMessage>> sent = new ConcurrentHashMap<>();
    private final CountDownLatch blocks = new CountDownLatch(1);
    private final CountDownLatch blocked = new CountDownLatch(1);
    private final CountDownLatch interrupted = new CountDownLatch(1);
    private final ClusterCodec codec = new ClusterCodec();
    private final OwnLog log = new OwnLog(
            new ClusterClock(new SettableClock()), System::nanoTime, new RecentDeregistrations(System::nanoTime));
    private final RecordingRegistry registry = new RecordingRegistry();

    /** Blocks for B, as a transport does whose peer takes nothing; refuses the first message to C. */
    private final LaneThreads threads = new LaneThreads((peer, message) -> {
        if (peer.equals(B)) {
            blocked.countDown();
            try {
                blocks.await();
            } catch (InterruptedException e) {
                interrupted.countDown();
                Thread.currentThread().interrupt();
                return;
            }
        }
        boolean isFirst = sent.putIfAbsent(peer, new LinkedBlockingQueue<>()) == null;
        if (isFirst && peer.equals(C)) {
            throw new IllegalStateException("the transport has a defect");
        }
        sent.get(peer).add(codec.decode(message));
    });

    @AfterEach
    void releasesSenders() {
        blocks.countDown();
    }

    private LaneDriver.Driven drive(NodeId peer, PeerLane lane) {
        LaneDriver.Driven driven = threads.drive(peer, lane);
        lane.wakeWith(driven::wake);
        log.follow(lane::changed);
        lane.open(1);
        lane.position(new ClusterMessage.StreamPosition(1, A.incarnation(), 0));
        return driven;
    }

    private PeerLane lane() {
        return new PeerLane(A.incarnation(), log, registry, codec, System::nanoTime);
    }

    private ClusterMessage next(NodeId peer) throws InterruptedException {
        return sent.computeIfAbsent(peer, absent -> new LinkedBlockingQueue<>()).poll(PATIENCE.toSeconds(), SECONDS);
    }

    @Test
    void sendsChangesAsTheyCome() throws Exception {
        LaneDriver.Driven driven = drive(A, lane());
        for (int i = 1; i <= 20; i++) {
            registry.publishes(log, "p" + i, SERVICE, Instance.of("10.1.0.1", i));
            ClusterMessage.Delta delta = (ClusterMessage.Delta) next(A);
            assertThat(delta.to()).isEqualTo(i);
        }
        driven.stop();
    }

    @Test
    void peerThatReadsNothingDelaysOnlyItsOwnLane() throws Exception {
        LaneDriver.Driven slow = drive(B, lane());
        LaneDriver.Driven other = drive(A, lane());
        registry.publishes(log, "a", SERVICE, Instance.of("10.1.0.1", 1));
        assertThat(blocked.await(PATIENCE.toSeconds(), SECONDS)).isTrue();
        assertThat(next(A)).isInstanceOf(ClusterMessage.Delta.class);
        registry.publishes(log, "b", SERVICE, Instance.of("10.1.0.1", 2));
        assertThat(next(A)).isInstanceOf(ClusterMessage.Delta.class);
        slow.stop();
        assertThat(interrupted.await(PATIENCE.toSeconds(), SECONDS)).isTrue();
        other.stop();
    }

    @Test
    void goesOnAfterDefectOfTheTransport() throws Exception {
        PeerLane lane = lane();
        LaneDriver.Driven driven = drive(C, lane);
        lane.offer(new ClusterMessage.RevisionApplied(1));
        await().until(() -> sent.containsKey(C));
        lane.offer(new ClusterMessage.RevisionApplied(2));
        assertThat(next(C)).isEqualTo(new ClusterMessage.RevisionApplied(2));
        driven.stop();
    }

    @Test
    void stoppedThreadEnds() {
        LaneDriver.Driven driven = drive(A, lane());
        driven.stop();
        await().until(() -> Thread.getAllStackTraces().keySet().stream()
                .noneMatch(thread -> thread.getName().equals("cairn-lane-" + A.address())));
    }
}
