package io.cairn.server.naming;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.api.config.Namespace;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.auth.Caller;
import io.cairn.server.connection.RequestIds;
import io.cairn.server.naming.label.AddressLabels;
import io.cairn.server.naming.label.LabelSelector;
import io.cairn.server.naming.lease.KnownService;
import io.cairn.server.naming.lease.Recovery;
import io.cairn.server.naming.registry.Publisher;
import io.cairn.server.naming.registry.ServiceListener;
import io.cairn.server.naming.stored.RegistryParts;
import io.cairn.server.naming.stored.StoredNaming;
import io.cairn.server.naming.switches.Switches;
import io.cairn.server.naming.view.ServiceSnapshot;
import io.cairn.server.push.PushKind;
import io.cairn.server.push.PushMeters;
import io.cairn.server.push.PushSettings;
import io.cairn.server.subscription.Selection;
import io.cairn.server.subscription.ServicePusher;
import io.cairn.server.subscription.ServiceSubscriptions;
import io.cairn.server.testing.HandDrivenLoop;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random actions of publishers and operators and the passing of time, in any order. The registry always shows the same
 * as a simple model, and so does every subscriber in the end.
 */
class RegistryModelTest {

    private static final int STEPS = 600;
    private static final List<ServiceKey> SERVICES = List.of(
            new ServiceKey(Namespace.DEFAULT, "DEFAULT_GROUP", "crowded"),
            new ServiceKey(Namespace.DEFAULT, "DEFAULT_GROUP", "b"),
            new ServiceKey(Namespace.DEFAULT, "other", "b"),
            new ServiceKey(Namespace.ofNullable("dev"), "DEFAULT_GROUP", "b"));
    private static final List<String> SDKS =
            List.of("", "Nacos-Java-Client:v2.5.1", "Nacos-Python-Client:v3.2.0", "Nacos-Rust-Client:0.8.3");
    private static final List<String> CLUSTERS = List.of("", "DEFAULT", "east", "east,DEFAULT");
    private static final List<String> CONSUMERS = List.of("10.9.0.1", "10.9.0.2", "10.9.0.3", "consumer.example");
    private static final List<LabelSelector> SELECTORS = List.of(
            LabelSelector.NONE,
            LabelSelector.of("CONSUMER.label.site=PROVIDER.label.site"),
            LabelSelector.of("CONSUMER.label.rack=PROVIDER.label.rack & CONSUMER.label.site=PROVIDER.label.site"));
    private static final List<Map<String, String>> METADATA = List.of(
            Map.of(),
            Map.of("version", "1"),
            Map.of("version", "2", "zone", "ü"),
            Map.of(Instance.BEAT_TIMEOUT, "3000", Instance.DELETE_TIMEOUT, "6000", Instance.BEAT_INTERVAL, "1000"),
            Map.of(Instance.BEAT_TIMEOUT, "6000", Instance.DELETE_TIMEOUT, "3000", Instance.BEAT_INTERVAL, "1000"));

    private static String sdk(String connection) {
        return SDKS.get(connection.charAt(connection.length() - 1) % SDKS.size());
    }

    static IntStream seeds() {
        return IntStream.rangeClosed(1, 12);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void registryAndSubscribersAgreeWithTheModel(int seed) throws Exception {
        try (Run run = new Run(seed)) {
            for (int i = 0; i < STEPS; i++) {
                run.step();
            }
            run.end();
        }
    }

    /** A sequence of servers on the same store, and their clients. */
    private static final class Run implements AutoCloseable {

        private final Random random;
        private final HandDrivenLoop loop = new HandDrivenLoop();
        private final RunClock clock = new RunClock(loop);
        private final MapStore store = new MapStore();
        private final RegistryModel model = new RegistryModel(true);
        private final List<String> connections = new ArrayList<>();
        private final List<Listener> listeners = new ArrayList<>();
        private final Map<ServiceKey, ServiceSnapshot> last = new HashMap<>();
        private final Map<ServiceKey, Long> lastRefMillis = new HashMap<>();
        private final Set<ServiceKey> present = new HashSet<>();
        private final String name;
        private String doing = "nothing";
        private int steps;
        private AddressLabels labels = AddressLabels.NONE;
        private Server server = new Server();

        Run(int seed) {
            this.name = "seed " + seed;
            this.random = new Random(seed);
            for (int i = 0; i < 150; i++) {
                subscribe(SERVICES.get(0), "", any(CONSUMERS));
            }
        }

        private final class Server {

            final RegistryParts naming = RegistryParts.of(
                    new NamingSettings(
                            Duration.ofMillis(RegistryModel.EMPTY_SERVICE_MILLIS),
                            Duration.ofDays(100),
                            Duration.ofMillis(RegistryModel.RECOVERY_MILLIS),
                            true),
                    new Switches(),
                    loop,
                    clock,
                    loop::nanoTime);
            final StoredNaming stored = new StoredNaming(naming, store, new StoredNaming.PersistentInstances() {});
            final ServiceSubscriptions subscriptions = new ServiceSubscriptions(new AtomicLong());
            final ServicePusher pusher = new ServicePusher(
                    naming.reads(),
                    naming.switches(),
                    subscriptions,
                    new RequestIds(),
                    new PushKind(
                            new PushSettings(Duration.ofSeconds(3), Duration.ofSeconds(2), Duration.ofMinutes(1), 50),
                            new PushMeters(new SimpleMeterRegistry(), "service")),
                    loop,
                    "127.0.0.1");

            Server() {
                naming.registry().follow(pusher);
                naming.registry().follow((service, presence) -> {
                    if (presence == ServiceListener.Presence.APPEARED) {
                        assertThat(present.add(service))
                                .as(what("%s is added once", service))
                                .isTrue();
                    } else if (presence == ServiceListener.Presence.EMPTIED) {
                        assertThat(present.remove(service))
                                .as(what("%s is emptied once", service))
                                .isTrue();
                    }
                });
                pusher.start();
            }
        }

        void step() throws Exception {
            steps++;
            clock.later();
            ServiceKey service = any(SERVICES);
            switch (random.nextInt(27)) {
                case 0, 1, 2, 3 -> register(service, List.of(instance(true)));
                case 4, 5 ->
                    register(
                            service,
                            IntStream.range(0, random.nextInt(4))
                                    .mapToObj(i -> instance(true))
                                    .toList());
                case 6, 7 -> deregister(service);
                case 8 -> closeConnection();
                case 9, 10, 11 -> registerOverHttp(service);
                case 12 -> deregisterOverHttp(service);
                case 13, 14, 15 -> beat(service);
                case 16, 17 -> pass(random.nextInt(12) == 0 ? 200 : random.nextInt(9));
                case 18 -> registerPersistent(service);
                case 19 -> deregisterPersistent(service);
                case 20 -> changeSettings(service);
                case 21 -> removeService(service);
                case 22 -> override(service);
                case 23 -> setHealthy(service);
                case 24 -> changeSubscriptions(service);
                case 25 -> relabel();
                default -> {
                    if (random.nextInt(5) == 0) {
                        restart();
                    }
                }
            }
            check();
            if (steps % 20 == 0) {
                checkListeners();
            }
        }

        private void register(ServiceKey service, List<Instance> instances) {
            if (connections.isEmpty() || random.nextInt(10) == 0) {
                connections.add("connection-" + steps);
            }
            String connection = any(connections);
            doing = connection + " registers " + instances + " of " + service;
            Publisher publisher = server.naming
                    .registry()
                    .connection(connection, new Publisher.Client("10.0.0.1", 0, "", sdk(connection)));
            expect(model.register(connection, service, instances), () -> {
                server.naming.registrations().register(publisher, service, instances);
                return null;
            });
        }

        private void deregister(ServiceKey service) {
            if (connections.isEmpty()) {
                return;
            }
            String connection = any(connections);
            doing = connection + " deregisters " + service;
            Publisher publisher = server.naming.reads().publisher(connection);
            if (publisher != null) {
                server.naming.registrations().deregister(publisher, service);
            }
            model.deregister(connection, service);
            Instance instance = instance(true);
            server.naming.recovery().forgetRecovered(service, instance.key());
            model.forgetRecovered(service, instance.key());
        }

        private void closeConnection() {
            if (connections.isEmpty()) {
                return;
            }
            String connection = connections.remove(random.nextInt(connections.size()));
            doing = connection + " closes";
            server.naming.recovery().connectionClosed(connection, false);
            model.close(connection, sdk(connection));
        }

        private void registerOverHttp(ServiceKey service) {
            Instance instance = instance(true);
            doing = instance + " registers itself over HTTP for " + service;
            expect(model.registerOverHttp(service, instance), () -> {
                server.naming.leases().register(service, instance);
                return null;
            });
        }

        private void deregisterOverHttp(ServiceKey service) {
            Instance instance = instance(true);
            doing = instance.key() + " is deregistered over HTTP from " + service;
            server.naming.recovery().deregisterOverHttp(service, instance.key(), LossCause.DEREGISTERED);
            model.deregister(RegistryModel.beating(instance.key()), service);
            model.forgetRecovered(service, instance.key());
        }

        private void beat(ServiceKey service) {
            Instance instance = instance(true);
            boolean described = random.nextBoolean();
            doing = instance + " beats for " + service + (described ? " with a description" : "");
            boolean known = model.knowsBeating(service, instance.key());
            ErrorCode failure = null;
            if (known) {
                model.beat(service, instance.key());
            } else if (described) {
                failure = model.registerOverHttp(service, instance);
            }
            expect(failure, () -> {
                BeatResult result = server.naming.leases().beat(service, instance.key(), described ? instance : null);
                assertThat(result.known()).as(what("known")).isEqualTo(known || described);
                return null;
            });
        }

        private void pass(int seconds) throws Exception {
            doing = seconds + " s pass";
            loop.pass(Duration.ofSeconds(seconds));
            model.pass(seconds * 1_000L);
        }

        private void registerPersistent(ServiceKey service) {
            Instance instance = instance(false);
            boolean stored = storeWorks();
            doing = instance + " is registered as persistent for " + service + (stored ? "" : ", but not stored");
            expect(
                    model.registerPersistent(service, instance, stored),
                    () -> server.stored.register(Caller.SERVER, service, instance));
            store.refuse(false);
        }

        private void deregisterPersistent(ServiceKey service) {
            Instance instance = instance(false);
            String publisher = RegistryModel.persistent(instance.key());
            RegistryModel.Service known = model.services.get(service);
            boolean isThere = known != null && known.publications.containsKey(publisher);
            boolean stored = storeWorks();
            doing = "persistent " + instance.key() + " is deregistered from " + service;
            expect(
                    isThere && !stored ? ErrorCode.UNAVAILABLE : null,
                    () -> server.stored.deregister(Caller.SERVER, service, instance.key()));
            if (stored) {
                model.deregister(publisher, service);
            }
            store.refuse(false);
        }

        private void changeSettings(ServiceKey service) {
            RegistryModel.Service known = model.services.get(service);
            boolean stored = storeWorks();
            double threshold = any(List.of(0.0, 0.5, 1.0));
            if (known == null) {
                ServiceSettings settings = new ServiceSettings(
                        random.nextBoolean(), threshold, Map.of("owner", "a"), any(SELECTORS), Map.of());
                doing = service + " is created with " + settings;
                expect(
                        stored ? null : ErrorCode.UNAVAILABLE,
                        () -> server.stored.createService(Caller.SERVER, service, settings));
                if (stored) {
                    model.settings(service, settings);
                }
            } else {
                ServiceSettings before =
                        known.settings != null ? known.settings : ServiceSettings.ofKind(known.ephemeral);
                ServiceSettings settings = new ServiceSettings(
                        before.ephemeral(), threshold, before.metadata(), any(SELECTORS), before.clusters());
                doing = service + " is changed to " + settings;
                expect(ErrorCode.CONFLICT, () -> server.stored.createService(Caller.SERVER, service, settings));
                expect(
                        stored ? null : ErrorCode.UNAVAILABLE,
                        () -> server.stored.updateService(Caller.SERVER, service, was -> {
                            assertThat(was).as(what("settings")).isEqualTo(before);
                            return settings;
                        }));
                if (stored) {
                    model.settings(service, settings);
                }
            }
            store.refuse(false);
        }

        private void relabel() {
            doing = "addresses have other labels";
            List<String> addresses = new ArrayList<>(CONSUMERS);
            IntStream.range(0, 3).forEach(i -> addresses.add("10.0.0." + i));
            model.labels.clear();
            StringBuilder json = new StringBuilder("{");
            for (String address : addresses) {
                String site = any(List.of("north", "south"));
                String rack = any(List.of("r1", "r2"));
                boolean hasRack = random.nextInt(3) > 0;
                if (random.nextInt(8) > 0) {
                    model.labels.put(address, hasRack ? Map.of("site", site, "rack", rack) : Map.of("site", site));
                    json.append(json.length() > 1 ? "," : "")
                            .append("\"%s\":{\"site\":\"%s\"%s}"
                                    .formatted(address, site, hasRack ? ",\"rack\":\"" + rack + "\"" : ""));
                }
            }
            labels = AddressLabels.read(json.append('}').toString());
            server.naming.registry().relabel(labels);
        }

        private void removeService(ServiceKey service) {
            RegistryModel.Service known = model.services.get(service);
            doing = service + " is removed";
            ErrorCode failure = known == null ? ErrorCode.NOT_FOUND : known.instances() > 0 ? ErrorCode.CONFLICT : null;
            expect(failure, () -> server.stored.removeService(Caller.SERVER, service));
            if (failure == null) {
                model.remove(service);
            }
        }

        private void override(ServiceKey service) {
            InstanceKey instance = instance(true).key();
            boolean stored = storeWorks();
            InstanceOverride before = model.override(service, instance);
            InstanceOverride after =
                    switch (random.nextInt(5)) {
                        case 0 -> new InstanceOverride(7.0, before.enabled(), before.metadata());
                        case 1 -> new InstanceOverride(before.weight(), false, before.metadata());
                        case 2 -> before.withMetadata(Map.of("version", "set"));
                        case 3 -> before.withoutMetadata(List.of("version"));
                        default -> InstanceOverride.NONE;
                    };
            doing = instance + " of " + service + " is overridden: " + before + " -> " + after;
            boolean writes = !after.equals(before);
            expect(
                    writes && !stored ? ErrorCode.UNAVAILABLE : null,
                    () -> server.stored.override(Caller.SERVER, service, instance, was -> {
                        assertThat(was).as(what("override before")).isEqualTo(before);
                        return after;
                    }));
            if (writes && stored) {
                model.override(service, instance, after);
            }
            store.refuse(false);
        }

        private void setHealthy(ServiceKey service) {
            RegistryModel.Service known = model.services.get(service);
            if (known == null || known.ephemeral || known.instances() == 0) {
                return;
            }
            InstanceKey instance = any(List.copyOf(model.shown(service).keySet()));
            boolean healthy = random.nextBoolean();
            doing = instance + " of " + service + (healthy ? " is" : " is not") + " healthy";
            server.naming.health().setHealthy(service, instance, healthy);
            model.setHealthy(service, instance, healthy);
        }

        private void changeSubscriptions(ServiceKey service) {
            if (random.nextInt(3) > 0 || listeners.isEmpty()) {
                subscribe(service, any(CLUSTERS), any(CONSUMERS));
            } else {
                Listener listener = listeners.remove(random.nextInt(listeners.size()));
                listener.end(server.subscriptions, random.nextBoolean());
            }
        }

        private void subscribe(ServiceKey service, String clusters, String address) {
            doing = "a client subscribes to " + service + " " + clusters;
            Listener listener = new Listener(new Selection(service, clusters), address, Runnable::run);
            listener.subscribe(server.naming, server.subscriptions, server.pusher, () -> {});
            listeners.add(listener);
        }

        private void restart() {
            doing = "restart";
            Map<ServiceKey, Set<InstanceKey>> before = new HashMap<>();
            SERVICES.forEach(
                    service -> before.put(service, keys(server.naming.reads().snapshot(service))));
            List<KnownService> known = SERVICES.stream()
                    .map(server.naming.recovery()::known)
                    .filter(each -> !each.isEmpty())
                    .toList();
            assertThat(known.stream().flatMap(each -> each.ofConnections().stream()
                            .map(connected ->
                                    each.service() + " " + connected.instance().key() + " " + connected.sdk())))
                    .as(what("SDKs of instances"))
                    .containsExactlyInAnyOrderElementsOf(model.registeredBy(RegistryModelTest::sdk));
            server.naming.registry().freeze();
            server.pusher.close();
            loop.stop().forEach(io.netty.util.Timeout::cancel);
            connections.clear();
            present.clear();
            last.clear();

            server = new Server();
            server.naming.registry().relabel(labels);
            server.stored.load();
            known.forEach(server.stored::recover);
            server.naming.recovery().startRecoveryWindow();
            model.restart(known, store.rows());

            SERVICES.forEach(service -> assertThat(keys(server.naming.reads().snapshot(service)))
                    .as(what("nothing of %s is missing", service))
                    .isEqualTo(before.get(service)));
            List<Listener> again = new ArrayList<>(listeners);
            listeners.clear();
            again.forEach(listener ->
                    subscribe(listener.selection.service(), listener.selection.clusters(), listener.address()));
        }

        private void check() {
            for (ServiceKey service : SERVICES) {
                ServiceSnapshot found = server.naming.reads().find(service);
                assertThat(found != null).as(what("%s exists", service)).isEqualTo(model.services.containsKey(service));
                ServiceSnapshot snapshot = server.naming.reads().snapshot(service);
                assertThat(byKey(snapshot.instances()))
                        .as(what("instances of %s", service))
                        .isEqualTo(model.shown(service));
                for (String clusters : CLUSTERS) {
                    for (boolean healthyOnly : new boolean[] {true, false}) {
                        String consumer = any(CONSUMERS);
                        assertThat(byKey(server.naming
                                        .reads()
                                        .view(service, clusters, healthyOnly)
                                        .seenFrom(consumer)
                                        .hosts()))
                                .as(what(
                                        "view of %s from %s, clusters '%s', healthy only: %s",
                                        service, consumer, clusters, healthyOnly))
                                .isEqualTo(model.view(service, clusters, healthyOnly, consumer));
                    }
                }
                RegistryModel.Service expected = model.services.get(service);
                assertThat(server.naming.reads().hasInstances(service))
                        .isEqualTo(expected != null && expected.instances() > 0)
                        .isEqualTo(present.contains(service));
                if (found != null && expected != null) {
                    checkVersion(service, found);
                    assertThat(server.naming.reads().publishersOf(service).keySet().stream()
                                    .map(Publisher::id))
                            .as(what("publishers of %s", service))
                            .containsExactlyInAnyOrderElementsOf(expected.publications.keySet());
                    assertThat(found.isEphemeral())
                            .as(what("kind of %s", service))
                            .isEqualTo(expected.ephemeral);
                } else {
                    last.remove(service);
                }
            }
            assertThat(server.naming.reads().serviceCount())
                    .as(what("services"))
                    .isEqualTo(model.services.size());
            assertThat(server.naming.reads().instanceCount())
                    .as(what("instances"))
                    .isEqualTo(model.instanceCount());
            assertThat(server.naming.reads().publishers().stream().map(Publisher::id))
                    .as(what("publishers"))
                    .containsExactlyInAnyOrderElementsOf(model.publishers());
            for (String sdk : SDKS) {
                String recovered = Recovery.recoveredId(sdk);
                assertThat(server.naming.reads().publisher(recovered) != null)
                        .as(what("instances of '%s' are remembered", sdk))
                        .isEqualTo(model.remembered().contains(recovered));
            }
            assertThat(server.naming.reads().serviceNames(Namespace.DEFAULT, "DEFAULT_GROUP"))
                    .as(what("names"))
                    .containsExactlyElementsOf(model.services.keySet().stream()
                            .filter(service -> service.namespace().equals(Namespace.DEFAULT)
                                    && service.group().equals("DEFAULT_GROUP"))
                            .map(ServiceKey::name)
                            .collect(Collectors.toCollection(TreeSet::new)));
            assertThat(new HashSet<>(store.rows())).as(what("stored")).isEqualTo(model.stored());
        }

        private void checkVersion(ServiceKey service, ServiceSnapshot now) {
            ServiceSnapshot before = last.put(service, now);
            if (before != null) {
                boolean same = before.instances().equals(now.instances())
                        && before.settings().equals(now.settings());
                if (same) {
                    assertThat(now.version())
                            .as(what("version of unchanged %s", service))
                            .isBetween(before.version(), before.version() + 1);
                } else {
                    assertThat(now.version()).as(what("version of %s", service)).isGreaterThan(before.version());
                    assertThat(now.refMillis()).as(what("time of %s", service)).isGreaterThan(before.refMillis());
                }
            }
            Long refMillis = lastRefMillis.put(service, now.refMillis());
            assertThat(now.refMillis())
                    .as(what("time of %s", service))
                    .isGreaterThanOrEqualTo(refMillis == null ? 0 : refMillis);
        }

        private void checkListeners() {
            if (listeners.stream().allMatch(this::seesTheModel)) {
                return;
            }
            // A service with many subscribers is pushed by another thread.
            await(what("views of subscribers").get()).untilAsserted(() -> {
                for (Listener listener : listeners) {
                    assertThat(byKey(listener.last().hosts()))
                            .as(what("view of a subscriber of %s", listener.selection))
                            .isEqualTo(expected(listener));
                }
            });
        }

        private boolean seesTheModel(Listener listener) {
            return byKey(listener.last().hosts()).equals(expected(listener));
        }

        private Map<InstanceKey, Instance> expected(Listener listener) {
            return model.view(listener.selection.service(), listener.selection.clusters(), false, listener.address());
        }

        /** All publishers leave; then nothing may be left. */
        void end() throws Exception {
            pass(91);
            check();
            checkListeners();
            doing = "all publishers leave";
            model.publishers().forEach(publisher -> model.close(publisher, sdk(publisher)));
            for (Publisher publisher : List.copyOf(server.naming.reads().publishers())) {
                for (ServiceKey service : publisher.services()) {
                    if (publisher.kind() == Publisher.Kind.PERSISTENT) {
                        for (Instance instance : List.copyOf(
                                server.naming.reads().snapshot(service).published())) {
                            expect(null, () -> server.stored.deregister(Caller.SERVER, service, instance.key()));
                        }
                    } else {
                        server.naming.registrations().deregister(publisher, service);
                    }
                }
                server.naming.recovery().connectionClosed(publisher.id(), false);
            }
            for (ServiceKey service : List.copyOf(model.services.keySet())) {
                expect(null, () -> server.stored.removeService(Caller.SERVER, service));
            }
            checkGone();
            loop.pass(Duration.ofDays(300));
            assertThat(loop.waits()).as(what("time-outs")).isEmpty();
            checkGone();
            checkListeners();
            listeners.forEach(listener -> listener.end(server.subscriptions, random.nextBoolean()));
            assertThat(server.subscriptions.pairs()).isZero();
            assertThat(server.subscriptions.services()).isEmpty();
        }

        private void checkGone() {
            assertThat(server.naming.reads().publishers())
                    .as(what("publishers"))
                    .isEmpty();
            assertThat(server.naming.reads().serviceCount())
                    .as(what("services"))
                    .isZero();
            assertThat(server.naming.reads().instanceCount())
                    .as(what("instances"))
                    .isZero();
            assertThat(store.rows()).as(what("stored")).isEmpty();
        }

        private interface Action {
            CompletionStage<Void> run();
        }

        private void expect(ErrorCode expected, Action action) {
            ErrorCode seen = null;
            try {
                CompletionStage<Void> stage = action.run();
                if (stage != null) {
                    stage.toCompletableFuture().join();
                }
            } catch (CairnException e) {
                seen = e.code();
            } catch (CompletionException e) {
                seen = ((CairnException) e.getCause()).code();
            }
            assertThat(seen).as(what("its error")).isEqualTo(expected);
        }

        private boolean storeWorks() {
            boolean works = random.nextInt(6) > 0;
            store.refuse(!works);
            return works;
        }

        private Instance instance(boolean ephemeral) {
            return new Instance(
                    new InstanceKey(
                            "10.0.0." + random.nextInt(3), 80 + random.nextInt(2), any(List.of("DEFAULT", "east"))),
                    any(List.of(1.0, 2.0)),
                    random.nextInt(5) > 0,
                    random.nextInt(5) > 0,
                    ephemeral,
                    any(METADATA),
                    null);
        }

        private <T> T any(List<T> some) {
            return some.get(random.nextInt(some.size()));
        }

        /** Built only when a check fails, because there are hundreds of thousands of checks. */
        private Supplier<String> what(String text, Object... values) {
            return () -> name + ", step " + steps + " (" + doing + "): " + text.formatted(values);
        }

        private static Map<InstanceKey, Instance> byKey(List<Instance> instances) {
            return instances.stream().collect(Collectors.toMap(Instance::key, Function.identity()));
        }

        private static Set<InstanceKey> keys(ServiceSnapshot snapshot) {
            return snapshot.instances().stream().map(Instance::key).collect(Collectors.toSet());
        }

        @Override
        public void close() {
            server.pusher.close();
        }
    }

    /** Follows the time of the loop, plus a few milliseconds more at each step. */
    private static final class RunClock extends Clock {

        private final HandDrivenLoop loop;
        private final long startNanos;
        private volatile long laterMillis;

        RunClock(HandDrivenLoop loop) {
            this.loop = loop;
            this.startNanos = loop.nanoTime();
        }

        void later() {
            laterMillis += 5;
        }

        @Override
        public long millis() {
            return 1_700_000_000_000L + (loop.nanoTime() - startNanos) / 1_000_000 + laterMillis;
        }

        @Override
        public Instant instant() {
            return Instant.ofEpochMilli(millis());
        }

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }
    }
}
