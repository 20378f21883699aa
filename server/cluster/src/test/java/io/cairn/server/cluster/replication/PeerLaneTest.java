package io.cairn.server.cluster.replication;

import static io.cairn.server.cluster.replication.Samples.A;
import static io.cairn.server.cluster.replication.Samples.SERVICE;
import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.api.naming.Instance;
import io.cairn.server.cluster.wire.ClusterCodec;
import io.cairn.server.cluster.wire.ClusterMessage;
import io.cairn.server.cluster.wire.FragmentAssembly;
import io.cairn.server.cluster.wire.RegistryEntry;
import io.cairn.server.node.NodeState;
import io.cairn.server.testing.SettableClock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class PeerLaneTest {

    private final AtomicLong nanos = new AtomicLong();
    private final AtomicInteger woken = new AtomicInteger();
    private final OwnLog log =
            new OwnLog(new ClusterClock(new SettableClock()), nanos::get, new RecentDeregistrations(nanos::get));
    private final RecordingRegistry registry = new RecordingRegistry();
    private final ClusterCodec codec = new ClusterCodec();
    private final PeerLane lane = new PeerLane(A.incarnation(), log, registry, codec, nanos::get);

    @BeforeEach
    void opensStream() {
        lane.wakeWith(woken::incrementAndGet);
        log.follow(lane::changed);
        lane.open(7);
    }

    private void publish(String id, int port) {
        registry.publishes(log, id, SERVICE, Instance.of("10.1.0.1", port));
    }

    private void withdraw(String id) {
        registry.own.remove(id);
        log.withdrawn(id, SERVICE);
    }

    private void goOnFrom(long sequence) {
        assertThat(lane.position(new ClusterMessage.StreamPosition(7, A.incarnation(), sequence)))
                .isTrue();
    }

    /** The next message, after the time of gathering. */
    private ClusterMessage next() {
        if (lane.nanosUntilDue() == Long.MAX_VALUE) {
            byte[] now = lane.next();
            if (now != null) {
                return Objects.requireNonNull(codec.decode(now));
            }
        }
        nanos.addAndGet(PeerLane.GATHERING.toNanos());
        return Objects.requireNonNull(codec.decode(Objects.requireNonNull(lane.next())));
    }

    private static List<String> entries(List<RegistryEntry> entries) {
        List<String> all = new ArrayList<>();
        for (RegistryEntry entry : entries) {
            all.add(entry.sequence() + " "
                    + (entry instanceof RegistryEntry.Published set
                            ? set.publication().publisher().id() + ":"
                                    + set.publication()
                                            .instances()
                                            .decode()
                                            .get(0)
                                            .key()
                                            .port()
                            : entry.getClass().getSimpleName()));
        }
        return all;
    }

    @Test
    void sendsNothingOfTheRegistryBeforeThePositionIsKnown() {
        publish("a", 1);
        assertThat(lane.next()).isNull();
        assertThat(lane.position(new ClusterMessage.StreamPosition(6, A.incarnation(), 0)))
                .isFalse();
        assertThat(lane.next()).isNull();
        goOnFrom(0);
        ClusterMessage.Delta delta = (ClusterMessage.Delta) next();
        assertThat(delta.stream()).isEqualTo(7);
        assertThat(entries(delta.entries())).containsExactly("1 a:1");
    }

    @Test
    void gathersBurstAndSendsLatestState() {
        goOnFrom(0);
        publish("a", 1);
        assertThat(lane.next()).isNull();
        assertThat(lane.nanosUntilDue()).isEqualTo(PeerLane.GATHERING.toNanos());
        publish("b", 1);
        publish("a", 2);
        nanos.addAndGet(PeerLane.GATHERING.toNanos());
        ClusterMessage.Delta delta = (ClusterMessage.Delta) codec.decode(lane.next());
        assertThat(delta.from()).isZero();
        assertThat(delta.to()).isEqualTo(3);
        assertThat(entries(delta.entries())).containsExactly("2 b:1", "3 a:2");
        assertThat(lane.next()).isNull();
        assertThat(lane.nanosUntilDue()).isEqualTo(Long.MAX_VALUE);
        assertThat(lane.cursor()).isEqualTo(3);
    }

    @Test
    void wakesItsThreadOncePerBurst() {
        goOnFrom(0);
        assertThat(lane.next()).isNull();
        int before = woken.get();
        publish("a", 1);
        publish("b", 1);
        publish("c", 1);
        assertThat(woken).hasValue(before + 1);
    }

    @Test
    void urgentMessagesGoFirstAndTheNewestWins() {
        goOnFrom(0);
        publish("a", 1);
        lane.offer(new ClusterMessage.RevisionNotice(1));
        lane.offer(heartbeat(1));
        lane.offer(new ClusterMessage.RevisionApplied(1));
        lane.offer(new ClusterMessage.RevisionNotice(2));
        lane.offer(new ClusterMessage.RevisionApplied(2));
        lane.offer(heartbeat(2));
        assertThat(List.of(next(), next(), next(), next()))
                .containsExactly(
                        new ClusterMessage.RevisionApplied(1),
                        new ClusterMessage.RevisionNotice(2),
                        new ClusterMessage.RevisionApplied(2),
                        heartbeat(2));
        assertThat(next()).isInstanceOf(ClusterMessage.Delta.class);
    }

    private static ClusterMessage.Heartbeat heartbeat(long sequence) {
        return new ClusterMessage.Heartbeat(7, sequence, 0, 0, NodeState.READY, 1, 0, 0, 0);
    }

    @Test
    void refusesUrgentMessagesWhenTheQueueIsFull() {
        for (int i = 0; i < PeerLane.MAX_URGENT; i++) {
            assertThat(lane.offer(new ClusterMessage.RevisionApplied(i))).isTrue();
        }
        assertThat(lane.offer(new ClusterMessage.RevisionApplied(1))).isFalse();
    }

    @Test
    void refusesCopiesOfDepartedNodesWhenTooMuchWaits() {
        List<byte[]> much = List.of(new byte[(int) PeerLane.MAX_BULK_BYTES]);
        assertThat(lane.offerBulk(much)).isTrue();
        assertThat(lane.offerBulk(List.of(new byte[1]))).isFalse();
    }

    @Test
    void sendsCopiesOfDepartedNodesAfterUrgentMessages() {
        goOnFrom(0);
        byte[] leaving = codec.encode(new ClusterMessage.Leaving());
        assertThat(lane.offerBulk(List.of(leaving))).isTrue();
        lane.offer(new ClusterMessage.RevisionApplied(1));
        assertThat(next()).isEqualTo(new ClusterMessage.RevisionApplied(1));
        assertThat(next()).isEqualTo(new ClusterMessage.Leaving());
    }

    @Test
    void sendsAtMostFiveHundredEntriesAtOnce() {
        goOnFrom(0);
        for (int i = 0; i < 620; i++) {
            log.checked(SERVICE, Instance.of("10.1.0.1", i).key(), true);
        }
        // So many that it does not wait for more.
        ClusterMessage.Delta first = (ClusterMessage.Delta) codec.decode(lane.next());
        ClusterMessage.Delta second = (ClusterMessage.Delta) codec.decode(lane.next());
        assertThat(first.entries()).hasSize(PeerLane.MAX_ENTRIES);
        assertThat(first.to()).isEqualTo(PeerLane.MAX_ENTRIES);
        assertThat(second.from()).isEqualTo(PeerLane.MAX_ENTRIES);
        assertThat(second.to()).isEqualTo(620);
    }

    @Test
    void sendsAtMostTwentyFourKilobytesAtOnce() {
        goOnFrom(0);
        String value = "v".repeat(1_000);
        for (int i = 0; i < 60; i++) {
            registry.publishes(log, "p" + i, SERVICE, Instance.of("10.1.0.1", i).withMetadata(Map.of("key", value)));
        }
        nanos.set(1);
        lane.next();
        nanos.addAndGet(PeerLane.GATHERING.toNanos());
        long to = 0;
        int messages = 0;
        for (byte[] message = lane.next(); message != null; message = lane.next()) {
            assertThat(message.length).isLessThanOrEqualTo(ClusterCodec.MAX_BYTES);
            ClusterMessage.Delta delta = (ClusterMessage.Delta) codec.decode(message);
            assertThat(delta.from()).isEqualTo(to);
            to = delta.to();
            messages++;
        }
        assertThat(to).isEqualTo(60);
        assertThat(messages).isEqualTo(3);
    }

    @Test
    void publicationLongerThanMessageTravelsInFragments() {
        goOnFrom(0);
        registry.publishes(
                log, "a", SERVICE, Instance.of("10.1.0.1", 1).withMetadata(Map.of("key", "v".repeat(60_000))));
        assertThat(lane.next()).isNull();
        nanos.addAndGet(PeerLane.GATHERING.toNanos());
        FragmentAssembly assembly = new FragmentAssembly();
        byte[] whole = null;
        int urgent = 0;
        for (byte[] message = lane.next(); message != null; message = lane.next()) {
            assertThat(message.length).isLessThanOrEqualTo(ClusterCodec.MAX_BYTES);
            ClusterMessage decoded = codec.decode(message);
            if (decoded instanceof ClusterMessage.Fragment fragment) {
                byte[] done = assembly.take(fragment);
                whole = done == null ? whole : done;
                if (fragment.index() == 0) {
                    lane.offer(new ClusterMessage.RevisionNotice(1));
                }
            } else {
                urgent++;
            }
        }
        assertThat(urgent).isEqualTo(1);
        assertThat(entries(((ClusterMessage.Delta) Objects.requireNonNull(codec.decode(whole))).entries()))
                .containsExactly("1 a:1");
    }

    @Test
    void snapshotHasPresentAndMovedEntries() {
        publish("a", 1);
        publish("b", 1);
        publish("c", 1);
        withdraw("a");
        registry.own.remove("b");
        log.moved("b", SERVICE, "10.0.0.2:8848");
        goOnFrom(ClusterMessage.StreamPosition.NONE);
        ClusterMessage.Snapshot snapshot = (ClusterMessage.Snapshot) next();
        assertThat(snapshot.last()).isTrue();
        assertThat(snapshot.at()).isEqualTo(5);
        assertThat(entries(snapshot.entries())).containsExactly("3 c:1", "5 Moved");
        publish("d", 1);
        assertThat(((ClusterMessage.Delta) next()).from()).isEqualTo(5);
        assertThat(lane.snapshots()).isEqualTo(1);
    }

    @Test
    void snapshotIncludesChangesDuringItsTransfer() {
        for (int i = 0; i < 600; i++) {
            publish("p" + i, 1);
        }
        goOnFrom(ClusterMessage.StreamPosition.NONE);
        ClusterMessage.Snapshot first = (ClusterMessage.Snapshot) next();
        assertThat(first.last()).isFalse();
        withdraw("p0");
        publish("p599", 2);
        List<String> rest = new ArrayList<>();
        ClusterMessage.Snapshot part;
        do {
            part = (ClusterMessage.Snapshot) next();
            rest.addAll(entries(part.entries()));
        } while (!part.last());
        assertThat(rest).contains("601 Gone", "602 p599:2");
        assertThat(part.at()).isEqualTo(602);
    }

    @Test
    void followerOlderThanTheTombstonesGetsSnapshot() {
        publish("a", 1);
        goOnFrom(0);
        next();
        withdraw("a");
        publish("b", 1);
        nanos.addAndGet(OwnLog.TOMBSTONE_AGE.toNanos() + 1);
        ClusterMessage.Snapshot snapshot = (ClusterMessage.Snapshot) next();
        assertThat(snapshot.endsSince()).isEqualTo(2);
        assertThat(entries(snapshot.entries())).containsExactly("3 b:1");
    }

    @Test
    void requestBeginsSnapshotAgain() {
        publish("a", 1);
        goOnFrom(0);
        next();
        lane.snapshotRequested(new ClusterMessage.SnapshotRequest(6));
        assertThat(lane.next()).isNull();
        lane.snapshotRequested(new ClusterMessage.SnapshotRequest(7));
        assertThat(next()).isInstanceOf(ClusterMessage.Snapshot.class);
    }

    @Test
    void deltaStopsBeforePublicationThatHasJustEnded() {
        goOnFrom(0);
        publish("a", 1);
        publish("b", 1);
        // The registry is ahead of the log for the moment in which it holds the lock of the publisher.
        registry.own.remove("b");
        ClusterMessage.Delta first = (ClusterMessage.Delta) next();
        assertThat(first.to()).isEqualTo(1);
        log.withdrawn("b", SERVICE);
        ClusterMessage.Delta second = (ClusterMessage.Delta) next();
        assertThat(entries(second.entries())).containsExactly("3 Gone");
        assertThat(second.from()).isEqualTo(1);
        assertThat(second.to()).isEqualTo(3);
    }

    @Test
    void publicationThatIsMissingWithoutRecordIsSentAsGone() {
        goOnFrom(0);
        publish("a", 1);
        registry.own.remove("a");
        assertThat(entries(((ClusterMessage.Delta) next()).entries())).containsExactly("1 Gone");
    }
}
