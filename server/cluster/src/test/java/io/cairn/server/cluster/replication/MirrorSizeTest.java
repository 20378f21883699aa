package io.cairn.server.cluster.replication;

import static io.cairn.server.cluster.replication.Samples.A;
import static io.cairn.server.cluster.replication.Samples.B;
import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.api.config.Namespace;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.cluster.wire.ClusterCodec;
import io.cairn.server.cluster.wire.ClusterMessage;
import io.cairn.server.naming.NamingSettings;
import io.cairn.server.naming.group.MirroredRegistry;
import io.cairn.server.naming.registry.MirroredPublication;
import io.cairn.server.naming.registry.OwnPublication;
import io.cairn.server.naming.registry.Publisher;
import io.cairn.server.naming.registry.PublisherDescription;
import io.cairn.server.naming.stored.RegistryParts;
import io.cairn.server.naming.switches.Switches;
import io.cairn.server.node.NodeId;
import io.cairn.server.testing.HandDrivenLoop;
import io.cairn.server.testing.SettableClock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Measures the cost of a copy of 100,000 entries: a connection with one instance each, and metadata as Spring Cloud sends them. */
class MirrorSizeTest {

    private static final Logger log = LoggerFactory.getLogger(MirrorSizeTest.class);
    private static final int ENTRIES = 100_000;
    private static final int SERVICES = 2_000;

    /** Only counts, so that the copy is measured without the registry. */
    private static final class CountingRegistry implements MirroredRegistry {

        private final AtomicInteger sets = new AtomicInteger();

        @Override
        public void set(NodeId origin, MirroredPublication publication) {
            sets.incrementAndGet();
        }

        @Override
        public void remove(NodeId origin, MirroredPublication publication) {}

        @Override
        public void hold(NodeId origin, MirroredPublication publication) {}

        @Override
        public void release(NodeId origin, MirroredPublication publication) {}

        @Override
        public void lose(NodeId origin, MirroredPublication publication) {}

        @Override
        public long returned() {
            return 0;
        }

        @Override
        public boolean isHeld(NodeId origin, MirroredPublication publication) {
            return false;
        }

        @Override
        public void forget(ServiceKey service, InstanceKey instance, long changedAt) {}

        @Override
        public void check(ServiceKey service, InstanceKey instance, boolean healthy) {}
    }

    private static ServiceKey service(int number) {
        return new ServiceKey(
                Namespace.DEFAULT, ServiceKey.DEFAULT_GROUP, "providers:com.example.shop.Service" + number % SERVICES);
    }

    private static String connection(int number) {
        return "17673230" + (10_000 + number % 89_999) + "_10." + number / 65_536 + '.' + number / 256 % 256 + '.'
                + number % 256 + '_' + (30_000 + number % 30_000) + '_' + number;
    }

    private static OwnPublication publication(String connection) {
        int number = Integer.parseInt(connection.substring(connection.lastIndexOf('_') + 1));
        String ip = "10." + number / 65_536 + '.' + number / 256 % 256 + '.' + number % 256;
        return new OwnPublication(
                new PublisherDescription(
                        connection,
                        Publisher.Kind.CONNECTION,
                        new Publisher.Client(ip, 30_000, "shop", "Nacos-Java-Client:v3.0.3")),
                (1_767_323_045_678L << 20) + number,
                List.of(Instance.of(ip, 8080)
                        .withMetadata(Map.of("preserved.register.source", "SPRING_CLOUD", "version", "1.2.3"))));
    }

    @Test
    void entryThatIsNotReadTakesAtMostSixHundredBytes() {
        CountingRegistry registry = new CountingRegistry();
        long bytes = bytesOfAnEntry(registry, "the copy alone");
        assertThat(registry.sets).hasValue(ENTRIES);
        assertThat(bytes).isBetween(100L, 600L);
    }

    @Test
    void entryThatIsNotReadTakesAtMostSixHundredBytesWithTheRegistry() {
        HandDrivenLoop loop = new HandDrivenLoop();
        RegistryParts naming = RegistryParts.of(
                new NamingSettings(Duration.ofMinutes(1), Duration.ofDays(1), Duration.ofSeconds(15), true),
                new Switches(),
                loop,
                new SettableClock(),
                loop::nanoTime);
        long bytes = bytesOfAnEntry(naming.mirrored(), "the copy and the registry");
        assertThat(naming.reads().instanceCount()).isEqualTo(ENTRIES);
        assertThat(bytes).isBetween(200L, 600L);
    }

    private static long bytesOfAnEntry(MirroredRegistry registry, String measured) {
        RecentDeregistrations deregistrations = new RecentDeregistrations(System::nanoTime);
        ClusterClock clock = new ClusterClock(new SettableClock());
        OwnLog own = new OwnLog(clock, System::nanoTime, deregistrations);
        long before = usedBytes();
        long start = System.nanoTime();
        for (int i = 0; i < ENTRIES; i++) {
            own.published(connection(i), service(i));
        }
        long recorded = System.nanoTime();
        long logBytes = usedBytes() - before;

        ClusterCodec codec = new ClusterCodec();
        PeerLane lane = new PeerLane(B.incarnation(), own, (id, service) -> publication(id), codec, System::nanoTime);
        lane.open(1);
        lane.position(new ClusterMessage.StreamPosition(1, B.incarnation(), ClusterMessage.StreamPosition.NONE));
        PeerCopy copy =
                new PeerCopy(B, registry, clock, deregistrations, sdk -> Duration.ZERO, System::nanoTime, owner -> {});
        copy.arrived();
        copy.opened(Samples.hello(A, 1, ENTRIES, 1));
        long empty = usedBytes();
        long snapshotStart = System.nanoTime();
        long bytes = 0;
        int messages = 0;
        for (byte[] message = lane.next(); message != null; message = lane.next()) {
            bytes += message.length;
            messages++;
            copy.snapshot((ClusterMessage.Snapshot) Objects.requireNonNull(codec.decode(message)));
        }
        long snapshotEnd = System.nanoTime();
        long copyBytes = usedBytes() - empty;

        // Both are still used here, so the collector has left them.
        assertThat(copy.summary()).isEqualTo(own.summary());
        log.info(
                "{} entries: {} bytes each in {}, {} in the log with its ids; recorded in {} ms; snapshot of {}"
                        + " messages and {} KB encoded, decoded and applied in {} ms",
                ENTRIES,
                copyBytes / ENTRIES,
                measured,
                logBytes / ENTRIES,
                (recorded - start) / 1_000_000,
                messages,
                bytes / 1024,
                (snapshotEnd - snapshotStart) / 1_000_000);
        return copyBytes / ENTRIES;
    }

    private static long usedBytes() {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 4; i++) {
            System.gc();
            Runtime runtime = Runtime.getRuntime();
            least = Math.min(least, runtime.totalMemory() - runtime.freeMemory());
        }
        return least;
    }
}
