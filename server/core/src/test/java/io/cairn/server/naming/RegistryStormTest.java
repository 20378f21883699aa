package io.cairn.server.naming;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.api.config.Namespace;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.auth.Caller;
import io.cairn.server.naming.label.AddressLabels;
import io.cairn.server.naming.label.LabelSelector;
import io.cairn.server.naming.registry.InstanceLosses;
import io.cairn.server.naming.registry.Publisher;
import io.cairn.server.naming.stored.NamingWrite;
import io.cairn.server.naming.stored.RegistryParts;
import io.cairn.server.naming.stored.StoredNaming;
import io.cairn.server.naming.switches.Switches;
import io.cairn.server.subscription.Selection;
import io.cairn.server.subscription.ServicePusher;
import io.cairn.server.subscription.ServiceSubscriptions;
import io.cairn.server.subscription.TestPusher;
import io.cairn.testing.HangLimit;
import io.netty.util.HashedWheelTimer;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Several threads change a few services at the same time, while instances fall silent, services are removed, and
 * subscribers subscribe and unsubscribe. When all threads have finished, the registry is consistent and every
 * subscriber has the current view.
 */
class RegistryStormTest {

    private static final int THREADS = 4;
    private static final int ROUNDS = 6;
    private static final int CHANGES = 1_500;
    private static final List<ServiceKey> SERVICES = List.of(
            new ServiceKey(Namespace.DEFAULT, "DEFAULT_GROUP", "a"),
            new ServiceKey(Namespace.DEFAULT, "DEFAULT_GROUP", "b"));
    private static final ServiceKey PERSISTENT = new ServiceKey(Namespace.DEFAULT, "DEFAULT_GROUP", "persistent");
    private static final List<String> CONSUMERS = List.of("10.9.0.1", "10.9.0.2", "10.9.0.3");
    private static final Publisher.Client NOBODY = new Publisher.Client("", 0, "", "");
    private static final Map<String, String> SHORT_LIVED =
            Map.of(Instance.BEAT_INTERVAL, "10", Instance.BEAT_TIMEOUT, "30", Instance.DELETE_TIMEOUT, "60");
    private static final Map<String, String> LONG_LIVED =
            Map.of(Instance.BEAT_INTERVAL, "10", Instance.BEAT_TIMEOUT, "600000", Instance.DELETE_TIMEOUT, "700000");

    private final HashedWheelTimer timer = new HashedWheelTimer(5, TimeUnit.MILLISECONDS);
    private final MapStore store = new MapStore();
    private final RegistryParts naming = RegistryParts.of(
            new NamingSettings(Duration.ofMillis(5), Duration.ofMillis(200), Duration.ofSeconds(15), true),
            new Switches(),
            timer,
            Clock.systemUTC(),
            System::nanoTime,
            // The test waits until no time-out is pending, so the summary of losses must not take a minute.
            new InstanceLosses(timer, Clock.systemUTC(), 1_000));
    private final StoredNaming stored = new StoredNaming(naming, store, new StoredNaming.PersistentInstances() {});
    private final ServiceSubscriptions subscriptions = new ServiceSubscriptions(new AtomicLong());
    private final ServicePusher pusher = TestPusher.of(naming, subscriptions, timer, "127.0.0.1");
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final ExecutorService loop = Executors.newSingleThreadExecutor();
    private final List<Listener> steady = new ArrayList<>();

    @BeforeEach
    void start() {
        naming.registry().follow(pusher);
        pusher.start();
        for (int i = 0; i < 130; i++) {
            // The first service has so many subscribers that its changes are delayed and coalesced.
            ServiceKey service = i < 120 ? SERVICES.get(0) : i < 125 ? SERVICES.get(1) : PERSISTENT;
            steady.add(subscribe(service, "", CONSUMERS.get(i % CONSUMERS.size()), () -> {}));
        }
    }

    @AfterEach
    void stop() {
        pusher.close();
        timer.stop();
        threads.shutdownNow();
        loop.shutdownNow();
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3})
    @HangLimit
    void registryIsConsistentAfterConcurrentChanges(long seed) throws Exception {
        List<Storm> storms = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            storms.add(new Storm(seed * 100 + i, i));
        }
        for (int round = 0; round < ROUNDS; round++) {
            List<Future<?>> running = new ArrayList<>();
            storms.forEach(storm -> running.add(threads.submit(storm)));
            for (Future<?> each : running) {
                each.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            }
            checkConsistency("seed " + seed + ", round " + round, storms);
        }

        storms.forEach(Storm::end);
        await("nothing is left").untilAsserted(() -> {
            assertThat(naming.reads().publishers()).isEmpty();
            assertThat(naming.reads().serviceCount()).isZero();
            assertThat(naming.reads().instanceCount()).isZero();
            assertThat(store.rows()).isEmpty();
            assertThat(timer.pendingTimeouts()).isZero();
            steady.forEach(listener -> assertThat(listener.last().hosts()).isEmpty());
        });
        steady.forEach(listener -> listener.end(subscriptions, true));
        assertThat(subscriptions.pairs()).isZero();
        assertThat(subscriptions.services()).isEmpty();
    }

    private Listener subscribe(ServiceKey service, String clusters, String address, Runnable onTheWay) {
        Listener listener = new Listener(new Selection(service, clusters), address, loop);
        listener.subscribe(naming, subscriptions, pusher, onTheWay);
        return listener;
    }

    private void checkConsistency(String when, List<Storm> storms) {
        // Silent instances are removed when they expire.
        await(when).untilAsserted(() -> {
            List<Listener> all = new ArrayList<>(steady);
            storms.forEach(storm -> all.addAll(storm.listeners));
            for (Listener listener : all) {
                Selection selection = listener.selection;
                assertThat(byKey(listener.last().hosts()))
                        .as("%s: view of a subscriber of %s", when, selection)
                        .isEqualTo(byKey(naming.reads()
                                .view(selection.service(), selection.clusters(), false)
                                .seenFrom(listener.address())
                                .hosts()));
            }
            assertThat(naming.reads().publishers())
                    .as("%s: instances without heartbeats are removed", when)
                    .noneMatch(publisher -> naming.reads().publishedBy(publisher).values().stream()
                            .anyMatch(instances -> instances.stream()
                                    .anyMatch(instance -> instance.metadata().equals(SHORT_LIVED))));
        });
        long instances = 0;
        Map<ServiceKey, Set<InstanceKey>> published = new HashMap<>();
        for (Publisher publisher : naming.reads().publishers()) {
            for (Map.Entry<ServiceKey, List<Instance>> of :
                    naming.reads().publishedBy(publisher).entrySet()) {
                instances += of.getValue().size();
                of.getValue().forEach(instance -> published
                        .computeIfAbsent(of.getKey(), service -> new HashSet<>())
                        .add(instance.key()));
                assertThat(naming.reads().publishersOf(of.getKey()))
                        .as("%s: %s lists publisher %s", when, of.getKey(), publisher.id())
                        .containsKey(publisher);
            }
        }
        assertThat(naming.reads().instanceCount()).as("%s: instances", when).isEqualTo(instances);
        for (ServiceKey service : List.of(SERVICES.get(0), SERVICES.get(1), PERSISTENT)) {
            assertThat(naming.reads().snapshot(service).instances().stream().map(Instance::key))
                    .as("%s: instances of %s", when, service)
                    .containsExactlyInAnyOrderElementsOf(published.getOrDefault(service, Set.of()));
        }
        assertThat(store.rows().stream()
                        .filter(NamingWrite.SaveInstance.class::isInstance)
                        .map(row -> ((NamingWrite.SaveInstance) row).instance()))
                .as("%s: stored instances", when)
                .containsExactlyInAnyOrderElementsOf(
                        naming.reads().snapshot(PERSISTENT).published());
        storms.forEach(storm -> storm.checkPublished(when));
    }

    private static Map<InstanceKey, Instance> byKey(List<Instance> instances) {
        return instances.stream().collect(Collectors.toMap(Instance::key, Function.identity()));
    }

    /**
     * The changes of one thread. Each thread has its own connections; the instances over HTTP are shared with the
     * others.
     */
    private final class Storm implements Runnable {

        private final Random random;
        private final int number;
        private final Map<String, Map<ServiceKey, List<Instance>>> connections = new HashMap<>();
        private final List<Listener> listeners = new ArrayList<>();
        private int made;

        Storm(long seed, int number) {
            this.random = new Random(seed);
            this.number = number;
        }

        @Override
        public void run() {
            for (int i = 0; i < CHANGES; i++) {
                change();
                if (random.nextInt(200) == 0) {
                    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(random.nextInt(12)));
                }
            }
        }

        private void change() {
            ServiceKey service = SERVICES.get(random.nextInt(SERVICES.size()));
            switch (random.nextInt(14)) {
                case 0, 1, 2 -> register(service);
                case 3 -> {
                    String connection = connection();
                    Publisher publisher = naming.reads().publisher(connection);
                    if (publisher != null) {
                        naming.registrations().deregister(publisher, service);
                    }
                    connections.get(connection).remove(service);
                }
                case 4 -> {
                    String connection = connection();
                    naming.recovery().connectionClosed(connection, false);
                    connections.remove(connection);
                }
                case 5 -> naming.leases().register(service, overHttp());
                case 6 ->
                    naming.recovery().deregisterOverHttp(service, overHttp().key(), LossCause.DEREGISTERED);
                case 7, 8 -> {
                    Instance instance = overHttp();
                    naming.leases().beat(service, instance.key(), random.nextBoolean() ? instance : null);
                }
                case 9 -> changePersistent();
                case 10 -> override(service);
                case 11 -> select(service);
                case 12 -> relabel();
                default -> changeSubscriptions(service);
            }
        }

        private void register(ServiceKey service) {
            String connection = connection();
            List<Instance> instances = new ArrayList<>();
            for (int i = random.nextInt(3); i >= 0; i--) {
                instances.add(new Instance(
                        new InstanceKey("10.1." + number + "." + random.nextInt(3), 80 + i, "DEFAULT"),
                        1 + random.nextInt(2),
                        true,
                        true,
                        true,
                        Map.of(),
                        null));
            }
            naming.registrations().register(naming.registry().connection(connection, NOBODY), service, instances);
            connections.get(connection).put(service, instances);
        }

        private String connection() {
            if (connections.size() < 2) {
                connections.put("connection-" + number + "-" + made++, new HashMap<>());
            }
            List<String> all = List.copyOf(connections.keySet());
            return all.get(random.nextInt(all.size()));
        }

        private Instance overHttp() {
            int port = 80 + random.nextInt(3);
            return Instance.of("10.0.0.1", port).withMetadata(port == 80 ? LONG_LIVED : SHORT_LIVED);
        }

        private void changePersistent() {
            Instance instance = new Instance(
                    new InstanceKey("10.0.0.1", 80 + random.nextInt(3), "DEFAULT"),
                    1 + random.nextInt(3),
                    true,
                    true,
                    false,
                    Map.of(),
                    null);
            (random.nextInt(3) > 0
                            ? stored.register(Caller.SERVER, PERSISTENT, instance)
                            : stored.deregister(Caller.SERVER, PERSISTENT, instance.key()))
                    .toCompletableFuture()
                    .join();
        }

        private void override(ServiceKey service) {
            stored.override(
                            Caller.SERVER,
                            service,
                            overHttp().key(),
                            before -> random.nextBoolean()
                                    ? InstanceOverride.NONE
                                    : new InstanceOverride(5.0, null, Map.of("set", "by hand")))
                    .toCompletableFuture()
                    .join();
        }

        private void select(ServiceKey service) {
            LabelSelector selector = random.nextInt(3) == 0
                    ? LabelSelector.NONE
                    : LabelSelector.of("CONSUMER.label.site=PROVIDER.label.site");
            double threshold = random.nextInt(3) * 0.5;
            try {
                stored.updateService(
                                Caller.SERVER,
                                service,
                                before -> new ServiceSettings(
                                        before.ephemeral(), threshold, before.metadata(), selector, before.clusters()))
                        .toCompletableFuture()
                        .join();
            } catch (NamingException e) {
                isGone(e);
            } catch (CompletionException e) {
                isGone(e.getCause());
            }
        }

        /** Another thread may have removed the service. */
        private static void isGone(Throwable failure) {
            assertThat(failure).isInstanceOfSatisfying(NamingException.class, absent -> assertThat(absent.fault())
                    .isEqualTo(NamingException.Fault.SERVICE_ABSENT));
        }

        private void relabel() {
            StringBuilder json = new StringBuilder("{\"10.0.0.1\":{\"site\":\"north\"}");
            CONSUMERS.forEach(consumer -> json.append(",\"%s\":{\"site\":\"%s\"}".formatted(consumer, site())));
            for (int i = 0; i < 3; i++) {
                json.append(",\"10.1.%d.%d\":{\"site\":\"%s\"}".formatted(number, i, site()));
            }
            naming.registry().relabel(AddressLabels.read(json.append('}').toString()));
        }

        private String site() {
            return random.nextBoolean() ? "north" : "south";
        }

        private void changeSubscriptions(ServiceKey service) {
            if (listeners.size() < 5) {
                listeners.add(subscribe(
                        service,
                        random.nextBoolean() ? "" : "DEFAULT",
                        CONSUMERS.get(random.nextInt(CONSUMERS.size())),
                        () -> LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(random.nextInt(2_000)))));
            } else {
                listeners.remove(random.nextInt(listeners.size())).end(subscriptions, random.nextBoolean());
            }
        }

        void checkPublished(String when) {
            connections.forEach((connection, published) -> {
                Publisher publisher = naming.reads().publisher(connection);
                assertThat(publisher == null ? Map.of() : naming.reads().publishedBy(publisher))
                        .as("%s: instances of %s", when, connection)
                        .isEqualTo(published);
            });
        }

        void end() {
            connections.keySet().forEach(id -> naming.recovery().connectionClosed(id, false));
            for (ServiceKey service : SERVICES) {
                naming.recovery().deregisterOverHttp(service, overLongLived(), LossCause.DEREGISTERED);
            }
            for (Instance instance : naming.reads().snapshot(PERSISTENT).published()) {
                stored.deregister(Caller.SERVER, PERSISTENT, instance.key())
                        .toCompletableFuture()
                        .join();
            }
            listeners.forEach(listener -> listener.end(subscriptions, false));
        }

        private InstanceKey overLongLived() {
            return new InstanceKey("10.0.0.1", 80, "DEFAULT");
        }
    }
}
