package io.cairn.server.naming;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.api.config.Namespace;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.naming.group.ClientHandover;
import io.cairn.server.naming.group.MirroredRegistry;
import io.cairn.server.naming.registry.InstanceLosses;
import io.cairn.server.naming.registry.MirroredPublication;
import io.cairn.server.naming.registry.OwnChanges;
import io.cairn.server.naming.registry.PublishedInstances;
import io.cairn.server.naming.registry.Publisher;
import io.cairn.server.naming.registry.PublisherDescription;
import io.cairn.server.naming.stored.RegistryParts;
import io.cairn.server.naming.switches.Switches;
import io.cairn.server.node.NodeId;
import io.cairn.testing.HangLimit;
import io.netty.util.HashedWheelTimer;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Own clients, the streams of two other nodes and the moves of clients without a connection change the same instances at the same time.
 * When all rest, what is recorded for other nodes is what is published, and when all go, nothing is left.
 */
class RegistryInGroupStormTest {

    private static final int STEPS = 6_000;
    private static final int ADDRESSES = 6;
    private static final List<ServiceKey> SERVICES = List.of(
            new ServiceKey(Namespace.DEFAULT, "DEFAULT_GROUP", "a"),
            new ServiceKey(Namespace.DEFAULT, "DEFAULT_GROUP", "b"));

    private final HashedWheelTimer timer = new HashedWheelTimer(5, TimeUnit.MILLISECONDS);
    private final RegistryParts naming = RegistryParts.of(
            new NamingSettings(Duration.ofMillis(5), Duration.ofMillis(200), Duration.ofMillis(10), true),
            new Switches(),
            timer,
            Clock.systemUTC(),
            System::nanoTime,
            new InstanceLosses(timer, Clock.systemUTC(), 1_000));
    private final MirroredRegistry mirrored = naming.mirrored();
    private final ClientHandover handover = naming.handover();
    private final AtomicLong stamps = new AtomicLong(1_000);
    private final Set<Published> recorded = ConcurrentHashMap.newKeySet();
    private final ExecutorService threads = Executors.newCachedThreadPool();

    private record Published(String publisherId, ServiceKey service) {}

    /** Knows of this node as much as the other nodes would. */
    private final class Recorder implements OwnChanges {

        @Override
        public void published(String publisherId, ServiceKey service) {
            recorded.add(new Published(publisherId, service));
        }

        @Override
        public void withdrawn(String publisherId, ServiceKey service) {
            recorded.remove(new Published(publisherId, service));
        }

        @Override
        public void moved(String publisherId, ServiceKey service, String to) {
            recorded.remove(new Published(publisherId, service));
        }

        @Override
        public void checked(ServiceKey service, InstanceKey instance, boolean healthy) {}

        @Override
        public void unchecked(ServiceKey service, InstanceKey instance) {}

        @Override
        public void forgotten(ServiceKey service, InstanceKey instance) {}

        @Override
        public long deregisteredAt(ServiceKey service, InstanceKey instance) {
            return 0;
        }
    }

    private record Instances(List<Instance> decode) implements PublishedInstances {

        @Override
        public int size() {
            return decode.size();
        }
    }

    @AfterEach
    void stop() {
        threads.shutdownNow();
        timer.stop();
    }

    private static Instance instance(int number) {
        return Instance.of("10.0.0." + number, 80);
    }

    private static ServiceKey service(Random random) {
        return SERVICES.get(random.nextInt(SERVICES.size()));
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3})
    @HangLimit
    void recordsEqualPublicationsAfterConcurrentChanges(long seed) throws Exception {
        naming.registry().joinGroup("10.9.0.1:8848", stamps::incrementAndGet, new Recorder());
        // A consumer reads the service in each change, as the pushes do.
        naming.registry().follow((service, presence) -> naming.reads().snapshot(service));
        List<Peer> peers = List.of(
                new Peer(new NodeId("10.9.0.2:8848", 1), seed * 10),
                new Peer(new NodeId("10.9.0.3:8848", 1), seed * 10 + 1));
        List<Runnable> all = new ArrayList<>(peers);
        all.add(() -> connections(new Random(seed * 10 + 2), "x"));
        all.add(() -> connections(new Random(seed * 10 + 3), "y"));
        all.add(() -> httpClients(new Random(seed * 10 + 4)));
        all.add(() -> moves(new Random(seed * 10 + 5)));
        List<Future<?>> running = new ArrayList<>();
        all.forEach(each -> running.add(threads.submit(each)));
        for (Future<?> each : running) {
            each.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }

        await("windows have ended")
                .untilAsserted(() -> assertThat(naming.registry().publishers())
                        .noneMatch(publisher -> publisher.kind() == Publisher.Kind.RECOVERED));
        Set<Published> published = new HashSet<>();
        for (Publisher publisher : naming.reads().publishers()) {
            naming.reads()
                    .publishedBy(publisher)
                    .keySet()
                    .forEach(service -> published.add(new Published(publisher.id(), service)));
        }
        assertThat(recorded).isEqualTo(published);
        for (Published each : published) {
            assertThat(naming.registrations().publication(each.publisherId(), each.service()))
                    .isNotNull();
        }
        for (ServiceKey service : SERVICES) {
            Set<InstanceKey> expected = new HashSet<>();
            naming.reads()
                    .publishersOf(service)
                    .values()
                    .forEach(instances -> instances.forEach(instance -> expected.add(instance.key())));
            peers.forEach(peer -> expected.addAll(peer.shown(service)));
            assertThat(naming.reads().snapshot(service).instances().stream().map(Instance::key))
                    .as(service.name())
                    .containsExactlyInAnyOrderElementsOf(expected);
        }

        peers.forEach(Peer::end);
        for (Publisher publisher : naming.reads().publishers()) {
            publisher.services().forEach(service -> naming.registrations().deregister(publisher, service));
            naming.recovery().connectionClosed(publisher.id(), false);
        }
        await("nothing is left").untilAsserted(() -> {
            assertThat(recorded).isEmpty();
            assertThat(naming.reads().publishers()).isEmpty();
            assertThat(naming.mirrored().heldInstances()).isZero();
            assertThat(naming.reads().instanceCount()).isZero();
            assertThat(naming.reads().serviceCount()).isZero();
            assertThat(timer.pendingTimeouts()).isZero();
        });
    }

    /** The stream of another node, with a thread of its own as in the group. */
    private final class Peer implements Runnable {

        private final NodeId id;
        private final Random random;
        private final Map<Published, MirroredPublication> present = new HashMap<>();

        Peer(NodeId id, long seed) {
            this.id = id;
            this.random = new Random(seed);
        }

        @Override
        public void run() {
            for (int i = 0; i < STEPS; i++) {
                Publisher.Kind kind = random.nextBoolean() ? Publisher.Kind.CONNECTION : Publisher.Kind.HTTP;
                int number = 1 + random.nextInt(ADDRESSES);
                String client = kind == Publisher.Kind.HTTP ? "10.0.0." + number + ":80#true" : "c" + random.nextInt(4);
                ServiceKey service = service(random);
                Published key = new Published(client, service);
                MirroredPublication known = present.get(key);
                switch (random.nextInt(6)) {
                    case 0, 1, 2 -> {
                        MirroredPublication now = new MirroredPublication(
                                new PublisherDescription(client, kind, new Publisher.Client("", 0, "", "")),
                                service,
                                stamps.incrementAndGet(),
                                new Instances(
                                        kind == Publisher.Kind.HTTP
                                                ? List.of(instance(number))
                                                : List.of(instance(number), instance(number % ADDRESSES + 1))));
                        mirrored.set(id, now);
                        present.put(key, now);
                    }
                    case 3 -> {
                        if (known != null) {
                            mirrored.hold(id, known);
                            mirrored.isHeld(id, known);
                        }
                    }
                    case 4 -> {
                        if (known != null && random.nextBoolean()) {
                            mirrored.release(id, known);
                            mirrored.set(id, known);
                        } else if (known != null) {
                            mirrored.remove(id, known);
                            present.remove(key);
                        }
                    }
                    default -> mirrored.forget(service, instance(number).key(), stamps.incrementAndGet());
                }
            }
        }

        /** The instances that are still held; nobody publishes them. */
        private Set<InstanceKey> shown(ServiceKey service) {
            Set<InstanceKey> keys = new HashSet<>();
            present.forEach((key, publication) -> {
                if (key.service().equals(service) && mirrored.isHeld(id, publication)) {
                    publication.instances().decode().stream()
                            .map(Instance::key)
                            .filter(instance -> naming.reads().instances(service).stream()
                                    .anyMatch(each -> each.key().equals(instance)))
                            .forEach(keys::add);
                }
            });
            return keys;
        }

        void end() {
            present.values().forEach(publication -> mirrored.remove(id, publication));
        }
    }

    private void connections(Random random, String prefix) {
        for (int i = 0; i < STEPS; i++) {
            String id = prefix + i / 10;
            ServiceKey service = service(random);
            Publisher publisher = naming.registry().connection(id, new Publisher.Client("", 0, "", ""));
            int number = 1 + random.nextInt(ADDRESSES);
            if (random.nextInt(4) > 0) {
                naming.registrations()
                        .register(
                                publisher, service, Arrays.asList(instance(number), instance(number % ADDRESSES + 1)));
            } else {
                naming.registrations().deregister(publisher, service);
                naming.recovery().forgetRecovered(service, instance(number).key());
            }
            if (i % 10 == 9 && i + 1 < STEPS) {
                naming.recovery().connectionClosed(id, random.nextBoolean());
            }
        }
    }

    private void httpClients(Random random) {
        for (int i = 0; i < STEPS; i++) {
            ServiceKey service = service(random);
            Instance instance = instance(1 + random.nextInt(ADDRESSES));
            switch (random.nextInt(4)) {
                case 0 -> naming.leases().register(service, instance);
                case 1 -> naming.recovery().deregisterOverHttp(service, instance.key(), LossCause.DEREGISTERED);
                case 2 -> naming.health().setHealthy(service, instance.key(), random.nextBoolean());
                default -> naming.leases().beat(service, instance.key(), null);
            }
        }
    }

    private void moves(Random random) {
        for (int i = 0; i < STEPS / 10; i++) {
            int owned = random.nextInt(1 << ADDRESSES);
            handover.adopt(client -> isOwn(owned, client));
            handover.handOver(client -> isOwn(owned, client));
        }
    }

    private static boolean isOwn(int owned, String client) {
        int number = client.charAt("10.0.0.".length()) - '0';
        if (number < 1 || number > ADDRESSES) {
            throw new CairnException(
                    ErrorCode.INVALID_PARAMETER, "client: " + client + " (expected: 10.0.0.n:80#true)");
        }
        return (owned >> number - 1 & 1) == 1;
    }
}
