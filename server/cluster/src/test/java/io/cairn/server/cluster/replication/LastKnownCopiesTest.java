package io.cairn.server.cluster.replication;

import static io.cairn.server.cluster.replication.Samples.A;
import static io.cairn.server.cluster.replication.Samples.B;
import static io.cairn.server.cluster.replication.Samples.C;
import static io.cairn.server.cluster.replication.Samples.SERVICE;
import static io.cairn.server.cluster.replication.Samples.delta;
import static io.cairn.server.cluster.replication.Samples.gone;
import static io.cairn.server.cluster.replication.Samples.hello;
import static io.cairn.server.cluster.replication.Samples.moved;
import static io.cairn.server.cluster.replication.Samples.published;
import static io.cairn.server.cluster.replication.Samples.snapshot;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.api.naming.Instance;
import io.cairn.server.cluster.wire.ClusterCodec;
import io.cairn.server.cluster.wire.ClusterMessage;
import io.cairn.server.naming.group.CopyMemory;
import io.cairn.server.naming.registry.Publisher;
import io.cairn.server.naming.stored.RegistryParts;
import io.cairn.server.node.NodeId;
import io.cairn.server.testing.SettableClock;
import io.netty.util.HashedWheelTimer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The node B, which is restarted with what it has kept of the node A. */
class LastKnownCopiesTest {

    private static final Instance ONE = Instance.of("10.1.0.1", 1);
    private static final Instance TWO = Instance.of("10.1.0.1", 2);
    private static final Instance THREE = Instance.of("10.1.0.1", 3);
    private static final NodeId RESTARTED = new NodeId(B.address(), B.incarnation() + 1);

    private final HashedWheelTimer timer = new HashedWheelTimer();
    private final ClusterCodec codec = new ClusterCodec();
    private final AtomicLong nanos = new AtomicLong();
    private final MapMemory memory = new MapMemory();
    private Run run = new Run(B);

    @AfterEach
    void stop() {
        run.close();
        timer.stop();
    }

    /** One run of the node, to which the test is the group. */
    private final class Run implements AutoCloseable {

        private final RegistryParts naming;
        private final RegistryReplication replication;
        private final LastKnownCopies copies;

        Run(NodeId id) {
            SettableClock time = new SettableClock();
            ClusterClock clock = new ClusterClock(time);
            naming = Samples.registry(timer, time);
            replication = new RegistryReplication(
                    id,
                    Samples.READY_NODE,
                    naming.mirrored(),
                    naming.registrations(),
                    clock,
                    (peer, lane) -> new LaneDriver.Driven() {
                        @Override
                        public void wake() {}

                        @Override
                        public void stop() {}
                    },
                    List::of,
                    sdk -> Duration.ofSeconds(15),
                    (from, message) -> {},
                    nanos::get);
            naming.registry().joinGroup(id.address(), clock::stamp, replication.changes());
            copies = new LastKnownCopies(replication, memory);
        }

        void receives(ClusterMessage message) {
            replication.message(A, codec.encode(message));
        }

        List<Instance> listed() {
            return naming.reads().snapshot(SERVICE).instances();
        }

        void passSeconds(int seconds) {
            for (int i = 0; i < seconds; i++) {
                nanos.addAndGet(Duration.ofSeconds(1).toNanos());
                replication.everySecond();
            }
        }

        @Override
        public void close() {
            copies.close();
            replication.close();
        }
    }

    /** The node has what A owns, and is stopped. */
    private void knowsThreeOfA() {
        run.copies.recover(false);
        run.replication.view(List.of(A, B), false);
        run.receives(hello(A, 3, 3, 1));
        run.receives(snapshot(
                3, 0, true, 3, 0, published(1, "a", 1), published(2, "b", 2), published(3, "10.1.0.1:3#true", 3)));
        assertThat(run.listed()).containsExactlyInAnyOrder(ONE, TWO, THREE);
        run.close();
    }

    private void restart(boolean isKnownElsewhere) {
        run = new Run(RESTARTED);
        run.copies.recover(isKnownElsewhere);
    }

    @Test
    void listsAtOnceWhatOtherNodesOwnedUntilTheWindowEnds() {
        knowsThreeOfA();

        restart(false);
        assertThat(run.listed()).containsExactlyInAnyOrder(ONE, TWO, THREE);
        run.passSeconds(15);
        assertThat(run.listed()).containsExactlyInAnyOrder(ONE, TWO, THREE);
        run.passSeconds(2);
        assertThat(run.listed()).isEmpty();

        await().until(memory.saved::isEmpty);
    }

    @Test
    void endsCopiesThatAreRegisteredAgainOrDeregistered() {
        knowsThreeOfA();
        restart(false);

        Instance later = ONE.withWeight(7);
        Publisher back =
                run.naming.registry().connection("new", Samples.publisher("new").client());
        run.naming.registrations().register(back, SERVICE, List.of(later));
        assertThat(run.listed()).containsExactlyInAnyOrder(later, TWO, THREE);
        run.naming.registrations().deregister(back, SERVICE);
        assertThat(run.listed()).containsExactlyInAnyOrder(TWO, THREE);

        run.naming.recovery().forgetRecovered(SERVICE, TWO.key());
        assertThat(run.listed()).containsExactly(THREE);
    }

    /** The first of the nodes that start hands it on. */
    @Test
    void nodeThatJoinsGetsWhatIsKnown() {
        knowsThreeOfA();
        restart(false);

        assertThat(run.replication.orphans()).isEqualTo(3);
        run.replication.view(List.of(RESTARTED, C), false);
        assertThat(run.listed()).containsExactlyInAnyOrder(ONE, TWO, THREE);
        assertThat(run.replication.orphans()).isEqualTo(3);
    }

    @Test
    void presentOwnerReplacesTheLastKnownCopy() {
        knowsThreeOfA();
        run = new Run(RESTARTED);
        run.replication.view(List.of(A, RESTARTED), false);
        run.receives(hello(A, 4, 4, 1));
        run.receives(snapshot(4, 0, true, 4, 0, published(1, "a", 1)));

        run.copies.recover(false);

        assertThat(run.listed()).containsExactly(ONE);
        await().untilAsserted(() -> assertThat(memory.saved.keySet())
                .extracting(CopyMemory.Key::publisherId)
                .containsExactly("a"));
    }

    @Test
    void remembersNothingThatOthersKnowBetter() {
        knowsThreeOfA();

        restart(true);

        assertThat(run.listed()).isEmpty();
        assertThat(memory.saved).isEmpty();
    }

    @Test
    void keepsMovedEntriesAndDropsRemovedOnes() {
        run.copies.recover(false);
        run.replication.view(List.of(A, B), false);
        run.receives(hello(A, 3, 2, 1));
        run.receives(snapshot(3, 0, true, 2, 0, published(1, "a", 1), published(2, "b", 2)));
        run.receives(delta(3, 2, 4, gone(3, "a"), moved(4, "b")));
        run.close();

        restart(false);

        assertThat(run.listed()).containsExactly(TWO);
    }

    @Test
    void leavesOutAndRemovesWhatCannotBeRead() {
        knowsThreeOfA();
        memory.saved.replaceAll(
                (key, bytes) -> key.publisherId().equals("a") ? "unreadable".getBytes(StandardCharsets.UTF_8) : bytes);

        restart(false);

        assertThat(run.listed()).containsExactlyInAnyOrder(TWO, THREE);
        await().until(() -> memory.saved.size() == 2);
    }

    private static final class MapMemory implements CopyMemory {

        private final Map<Key, byte[]> saved = new ConcurrentHashMap<>();

        @Override
        public void forEach(Consumer<Entry> consumer) {
            saved.forEach((key, bytes) -> consumer.accept(new Entry(key, bytes)));
        }

        @Override
        public void save(Collection<Entry> entries) {
            for (Entry entry : entries) {
                byte[] encoded = entry.encoded();
                if (encoded == null) {
                    saved.remove(entry.key());
                } else {
                    saved.put(entry.key(), encoded);
                }
            }
        }

        @Override
        public void clear() {
            saved.clear();
        }

        @Override
        public void close() {}
    }
}
