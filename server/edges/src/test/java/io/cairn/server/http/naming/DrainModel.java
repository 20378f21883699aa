package io.cairn.server.http.naming;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.api.config.Namespace;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.auth.Caller;
import io.cairn.server.config.ReadPool;
import io.cairn.server.connection.RequestIds;
import io.cairn.server.http.nodes.Gathered;
import io.cairn.server.naming.InstanceOverride;
import io.cairn.server.naming.NamingSettings;
import io.cairn.server.naming.registry.MirroredPublication;
import io.cairn.server.naming.registry.OwnChanges;
import io.cairn.server.naming.registry.OwnPublication;
import io.cairn.server.naming.registry.PublishedInstances;
import io.cairn.server.naming.registry.Publisher;
import io.cairn.server.naming.stored.Drains;
import io.cairn.server.naming.stored.NamingChange;
import io.cairn.server.naming.stored.NamingStore;
import io.cairn.server.naming.stored.NamingWrite;
import io.cairn.server.naming.stored.RegistryParts;
import io.cairn.server.naming.stored.StoredNaming;
import io.cairn.server.naming.switches.Switches;
import io.cairn.server.naming.view.ServiceView;
import io.cairn.server.node.ClusterReads;
import io.cairn.server.node.NodeId;
import io.cairn.server.push.Push;
import io.cairn.server.push.PushKind;
import io.cairn.server.push.PushMeters;
import io.cairn.server.push.PushSettings;
import io.cairn.server.push.WatchedKey;
import io.cairn.server.push.Watcher;
import io.cairn.server.subscription.ListAcknowledgements;
import io.cairn.server.subscription.Selection;
import io.cairn.server.subscription.ServicePush;
import io.cairn.server.subscription.ServicePusher;
import io.cairn.server.subscription.ServiceSubscriptions;
import io.cairn.server.subscription.Subscriber;
import io.cairn.server.subscription.SubscriberAcknowledgements;
import io.cairn.server.testing.HandDrivenLoop;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Three nodes with the server's registry, overrides, drains and pushes on one store, in the time of the model. A provider is
 * drained while it registers again, moves or stops, consumers move, and a node dies. One thread; the seed decides everything.
 */
final class DrainModel {

    private static final ServiceKey SERVICE = new ServiceKey(Namespace.DEFAULT, ServiceKey.DEFAULT_GROUP, "orders");
    private static final Instance DRAINED = Instance.of("10.0.0.1", 80);
    private static final Instance OTHER = Instance.of("10.0.0.2", 80);
    private static final int NODES = 3;
    private static final int CONSUMERS = 4;
    private static final int EVENTS = 14;
    private static final Duration WAIT = Duration.ofSeconds(60);
    /** Shorter than the time after which a node without a client's return ends its instances. */
    private static final int LONGEST_DELAY_MILLIS = 300;

    private static final MeterRegistry METERS = new SimpleMeterRegistry();
    private static final PushKind PUSHES = new PushKind(
            new PushSettings(Duration.ofSeconds(5), Duration.ofSeconds(1), Duration.ofSeconds(9), 9),
            new PushMeters(METERS, "service"));
    private static final Duration QUIET = Duration.ofSeconds(90);

    private final Random random;
    private final boolean asksAgain;
    private final HandDrivenLoop time = new HandDrivenLoop();
    private final long startNanos = time.nanoTime();
    private final AtomicLong stamps = new AtomicLong();
    private final AtomicLong connections = new AtomicLong();
    private final Map<InstanceKey, InstanceOverride> rows = new HashMap<>();
    private final List<Node> nodes = new ArrayList<>();
    private final List<Application> applications = new ArrayList<>();
    private final Provider drained = new Provider(DRAINED);
    private final Provider other = new Provider(OTHER);
    private final List<String> story = new ArrayList<>();
    /** Counts the ends of drains, by whatever caused them. */
    private int ends;

    private int checked;
    private @Nullable AssertionError violation;
    private boolean closing;

    /** @param asksAgain false for nodes that answer the second question of a drain without a wait */
    DrainModel(long seed, boolean asksAgain) {
        this.random = new Random(seed);
        this.asksAgain = asksAgain;
        for (int i = 0; i < NODES; i++) {
            nodes.add(new Node(i));
        }
    }

    /** The number of acknowledged drains that were in effect when they were answered. */
    int checkedDrains() {
        return checked;
    }

    List<String> story() {
        return story;
    }

    private final Clock clock = new Clock() {
        @Override
        public long millis() {
            return 1_000_000 + TimeUnit.NANOSECONDS.toMillis(time.nanoTime() - startNanos);
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
    };

    private void note(String event) {
        story.add(clock.millis() - 1_000_000 + " ms: " + event);
    }

    private void after(long millis, Runnable task) {
        time.newTimeout(fired -> task.run(), millis, TimeUnit.MILLISECONDS);
    }

    private int delay() {
        return 1 + random.nextInt(LONGEST_DELAY_MILLIS);
    }

    private Node anyNode() {
        List<Node> alive = nodes.stream().filter(node -> node.alive).toList();
        return alive.get(random.nextInt(alive.size()));
    }

    /** The store of all nodes, as one of them sees it. */
    private final class Store implements NamingStore {

        private final int node;

        Store(int node) {
            this.node = node;
        }

        @Override
        public boolean isShared() {
            return true;
        }

        @Override
        public CompletionStage<Void> write(List<NamingWrite> writes, Caller by, Runnable committed) {
            throw new AssertionError("drains only change overrides");
        }

        @Override
        public CompletionStage<Void> change(
                List<NamingChange> changes, Caller by, Consumer<List<NamingWrite>> committed) {
            CompletableFuture<Void> done = new CompletableFuture<>();
            after(1 + random.nextInt(30), () -> {
                List<NamingWrite> writes = new ArrayList<>();
                for (NamingChange each : changes) {
                    NamingChange.ChangeOverride change = (NamingChange.ChangeOverride) each;
                    InstanceOverride before = rows.getOrDefault(change.instance(), InstanceOverride.NONE);
                    InstanceOverride now = change.change().apply(before);
                    if (!now.equals(before)) {
                        if (before.isDraining() && !now.isDraining()) {
                            ends++;
                            note("the end of the drain is stored");
                        }
                        rows.put(change.instance(), now);
                        writes.add(new NamingWrite.SaveOverride(change.service(), change.instance(), now));
                    }
                }
                if (nodes.get(node).alive) {
                    committed.accept(writes);
                    done.complete(null);
                }
                for (Node reader : nodes) {
                    if (reader.number != node && !writes.isEmpty()) {
                        after(delay(), () -> {
                            if (reader.alive) {
                                reader.stored.reload(Set.of(SERVICE));
                            }
                        });
                    }
                }
            });
            return done;
        }

        @Override
        public void forEach(Consumer<NamingWrite> consumer) {
            rows.forEach((instance, override) -> {
                if (!override.isNone()) {
                    consumer.accept(new NamingWrite.SaveOverride(SERVICE, instance, override));
                }
            });
        }

        @Override
        public void forEach(Set<ServiceKey> services, Consumer<NamingWrite> consumer) {
            forEach(consumer);
        }

        @Override
        public void forEachSwitch(Set<String> names, Consumer<NamingWrite> consumer) {}
    }

    private record Decoded(List<Instance> instances) implements PublishedInstances {

        @Override
        public int size() {
            return instances.size();
        }

        @Override
        public List<Instance> decode() {
            return instances;
        }
    }

    /** Knows no consumer that has moved since the first question. */
    private record FirstAnswers(ListAcknowledgements of) implements ListAcknowledgements {

        @Override
        public CompletionStage<Result> await(ServiceKey service, Duration within) {
            return of.await(service, within);
        }

        @Override
        public CompletionStage<Result> late(ServiceKey service) {
            return of.late(service);
        }
    }

    private final class Node implements OwnChanges, ClusterReads {

        private final int number;
        private final NodeId id;
        private final RegistryParts naming;
        private final StoredNaming stored;
        private final Drains drains;
        private final ServiceSubscriptions subscriptions = new ServiceSubscriptions(new AtomicLong());
        private final ServicePusher pusher;
        private final DrainActions actions;
        private final Map<String, MirroredPublication> copied = new HashMap<>();
        /** When the last message to each node arrives. */
        private final long[] lanes = new long[NODES];

        /** When it has asked the nodes the second time. */
        private final List<Long> askedAgain = new ArrayList<>();

        private @Nullable Answering answering;
        private boolean alive = true;

        Node(int number) {
            this.number = number;
            this.id = new NodeId("10.9.0." + number + ":8848", 1);
            this.naming = RegistryParts.of(
                    new NamingSettings(Duration.ofDays(1), Duration.ofDays(1), Duration.ofSeconds(15), true),
                    new Switches(),
                    time,
                    clock,
                    time::nanoTime);
            naming.registry().joinGroup(id.address(), stamps::incrementAndGet, this);
            this.stored = new StoredNaming(
                    naming, new Store(number), new StoredNaming.PersistentInstances() {}, this::isFirst);
            this.drains = new Drains(naming, stored, this::isFirst, time, clock);
            this.pusher = new ServicePusher(
                    naming.reads(), naming.switches(), subscriptions, new RequestIds(), PUSHES, time, "127.0.0.1");
            naming.registry().follow(pusher);
            ListAcknowledgements acknowledgements = new SubscriberAcknowledgements(pusher, subscriptions, time);
            this.actions = new DrainActions(
                    id.address(),
                    naming.reads(),
                    drains,
                    asksAgain ? acknowledgements : new FirstAnswers(acknowledgements),
                    this,
                    new ReadPool(Runnable::run),
                    METERS);
        }

        private boolean isFirst() {
            return nodes.stream().filter(node -> node.alive).findFirst().orElseThrow() == this;
        }

        @Override
        public void published(String publisherId, ServiceKey service) {
            OwnPublication own = naming.registrations().publication(publisherId, service);
            if (own != null) {
                MirroredPublication copy = new MirroredPublication(
                        own.publisher(), service, own.publishedAt(), new Decoded(own.instances()));
                send(node -> {
                    node.naming.mirrored().set(id, copy);
                    node.copied.put(publisherId, copy);
                });
            }
        }

        @Override
        public void withdrawn(String publisherId, ServiceKey service) {
            send(node -> {
                MirroredPublication copy = node.copied.remove(publisherId);
                if (copy != null) {
                    node.naming.mirrored().remove(id, copy);
                }
            });
        }

        @Override
        public void moved(String publisherId, ServiceKey service, String to) {
            send(node -> {
                MirroredPublication copy = node.copied.remove(publisherId);
                if (copy != null) {
                    node.naming.mirrored().hold(id, copy);
                    after(10_000, () -> node.naming.mirrored().release(id, copy));
                }
            });
        }

        @Override
        public void checked(ServiceKey service, InstanceKey instance, boolean healthy) {}

        @Override
        public void unchecked(ServiceKey service, InstanceKey instance) {}

        @Override
        public void forgotten(ServiceKey service, InstanceKey instance) {
            long at = stamps.incrementAndGet();
            send(node -> node.naming.mirrored().forget(service, instance, at));
        }

        @Override
        public long deregisteredAt(ServiceKey service, InstanceKey instance) {
            return 0;
        }

        /** In order for each receiver. */
        private void send(Consumer<Node> message) {
            for (Node to : nodes) {
                if (to != this) {
                    long now = clock.millis();
                    long arrives = Math.max(lanes[to.number], now + delay());
                    lanes[to.number] = arrives;
                    after(arrives - now, () -> {
                        if (to.alive) {
                            message.accept(to);
                        }
                    });
                }
            }
        }

        @Override
        public void answer(String question, Answering with) {
            answering = with;
        }

        @Override
        public CompletionStage<Others> askOthers(String question, Map<String, String> parameters, Duration within) {
            if (Boolean.parseBoolean(parameters.get("again"))) {
                askedAgain.add(clock.millis());
            }
            Map<String, String> answers = new HashMap<>();
            Set<String> silent = new LinkedHashSet<>();
            CompletableFuture<Others> all = new CompletableFuture<>();
            for (Node to : nodes) {
                if (to != this && to.alive) {
                    silent.add(to.id.address());
                    after(
                            delay(),
                            () -> to.ask(parameters, json -> {
                                silent.remove(to.id.address());
                                answers.put(to.id.address(), json);
                                if (silent.isEmpty()) {
                                    all.complete(new Others(answers, List.of()));
                                }
                            }));
                }
            }
            if (silent.isEmpty()) {
                all.complete(Others.NONE);
            }
            after(within.toMillis(), () -> all.complete(new Others(answers, List.copyOf(silent))));
            return all;
        }

        private void ask(Map<String, String> parameters, Consumer<String> answer) {
            if (alive && answering != null) {
                answering
                        .json(parameters)
                        .thenAccept(json -> after(delay(), () -> {
                            if (alive) {
                                answer.accept(json);
                            }
                        }));
            }
        }

        boolean showsInService() {
            return naming.reads().view(SERVICE, null, false).hosts().stream()
                    .anyMatch(instance -> instance.key().equals(DRAINED.key()));
        }

        void die() {
            alive = false;
            note("node " + number + " dies");
            for (Application each : applications) {
                if (each.node == this) {
                    each.breaks();
                }
            }
            for (Node survivor : nodes) {
                if (survivor.alive) {
                    after(1_000 + delay(), () -> survivor.misses(this));
                }
            }
        }

        private void misses(Node dead) {
            List<MirroredPublication> lost = new ArrayList<>();
            for (Application each : applications) {
                each.formerIds.forEach(connection -> {
                    MirroredPublication copy = copied.get(connection);
                    if (copy != null && connection.startsWith("n" + dead.number + "-")) {
                        copied.remove(connection);
                        lost.add(copy);
                    }
                });
            }
            for (MirroredPublication copy : lost) {
                naming.mirrored().hold(dead.id, copy);
                after(10_000, () -> naming.mirrored().lose(dead.id, copy));
            }
        }
    }

    /** A process with one connection at a time. */
    private abstract class Application {

        final List<String> formerIds = new ArrayList<>();

        @Nullable
        Node node;

        String connection = "";

        Application() {
            applications.add(this);
        }

        void connect(Node to) {
            node = to;
            connection = "n" + to.number + "-" + connections.incrementAndGet();
            formerIds.add(connection);
        }

        /** The connection ends without a move; the process connects again after a moment. */
        void breaks() {
            leave(false);
            node = null;
            after(delay(), () -> {
                if (node == null) {
                    connect(anyNode());
                }
            });
        }

        /** The next connection is open before the former one ends. */
        void moves() {
            Runnable former = leaving(true);
            connect(anyNode());
            former.run();
        }

        private void leave(boolean moves) {
            leaving(moves).run();
        }

        /** Ends the present connection, at its node. */
        abstract Runnable leaving(boolean moves);
    }

    private final class Provider extends Application {

        private final Instance instance;
        private boolean stopped;
        private int weight = 1;

        Provider(Instance instance) {
            this.instance = instance;
        }

        @Override
        void connect(Node to) {
            if (!stopped) {
                super.connect(to);
                register();
            }
        }

        void register() {
            Node at = node;
            if (at != null) {
                at.naming
                        .registrations()
                        .register(
                                at.naming
                                        .registry()
                                        .connection(
                                                connection,
                                                new Publisher.Client(
                                                        "10.0.0.1", 0, "shop", "Nacos-Java-Client:v3.0.3")),
                                SERVICE,
                                List.of(instance.withWeight(weight)));
            }
        }

        void registerAnew() {
            weight++;
            register();
        }

        void stop() {
            Node at = node;
            if (at == null || stopped) {
                return;
            }
            stopped = true;
            ends++;
            Publisher publisher = at.naming.reads().publisher(connection);
            if (publisher != null) {
                at.naming.registrations().deregister(publisher, SERVICE);
            }
            at.naming.recovery().forgetRecovered(SERVICE, instance.key());
            leaving(false).run();
            node = null;
        }

        void startAgain() {
            if (stopped) {
                stopped = false;
                connect(anyNode());
            }
        }

        @Override
        Runnable leaving(boolean moves) {
            Node at = node;
            String closed = connection;
            return () -> {
                if (at != null && at.alive) {
                    at.naming.recovery().connectionClosed(closed, moves);
                }
            };
        }
    }

    /** A process that calls the instances of its list. As an official client, it ignores the answer after a reconnect. */
    private final class CallingApplication extends Application {

        private final int number;
        private Set<InstanceKey> list = Set.of();
        private boolean hasList;
        private long connectedMillis;
        private boolean stopsAnswering;

        @Nullable
        Connection open;

        CallingApplication(int number) {
            this.number = number;
        }

        @Override
        void connect(Node to) {
            super.connect(to);
            connectedMillis = clock.millis();
            open = new Connection(this, to);
        }

        @Override
        Runnable leaving(boolean moves) {
            Connection former = open;
            return () -> {
                if (former != null) {
                    former.close();
                }
            };
        }

        void takes(ServiceView view) {
            Set<InstanceKey> keys = new LinkedHashSet<>();
            view.hosts().forEach(host -> keys.add(host.key()));
            list = keys;
            hasList = true;
        }
    }

    private final class Connection implements Watcher, Subscriber.Described {

        private final CallingApplication of;
        private final Node node;
        private final WatchedKey<Selection> watched;
        private final ArrayDeque<ServiceView> unacknowledged = new ArrayDeque<>();
        private List<Runnable> settling = new ArrayList<>();
        private boolean closed;

        Connection(CallingApplication of, Node node) {
            this.of = of;
            this.node = node;
            this.watched = node.subscriptions.watch(new Selection(SERVICE, ""), this);
            ServiceView answer = node.naming.reads().view(SERVICE, null, false);
            if (!of.hasList) {
                of.takes(answer);
            }
            node.pusher.subscribed(watched, this, () -> !closed, answer);
        }

        @Override
        public boolean isClosed() {
            return closed;
        }

        @Override
        public Executor loop() {
            return Runnable::run;
        }

        @Override
        public void changed(WatchedKey<?> key, Push push) {
            if (!closed && node.alive) {
                unacknowledged.add(((ServicePush) push).view());
                if (!of.stopsAnswering) {
                    after(delay(), this::acknowledge);
                }
            }
        }

        private void acknowledge() {
            ServiceView next = closed ? null : unacknowledged.poll();
            if (next != null && node.alive) {
                of.takes(next);
                if (unacknowledged.isEmpty()) {
                    settled();
                }
            }
        }

        private void settled() {
            List<Runnable> callbacks = settling;
            settling = new ArrayList<>();
            callbacks.forEach(Runnable::run);
        }

        @Override
        public void whenSettled(WatchedKey<?> key, Runnable callback) {
            if (closed || unacknowledged.isEmpty()) {
                callback.run();
            } else {
                settling.add(callback);
            }
        }

        @Override
        public Subscriber describe(String clusters) {
            return new Subscriber("consumer-" + of.number, "10.1.0." + of.number, 0, "model", "shop", clusters);
        }

        void close() {
            if (!closed) {
                node.subscriptions.unwatch(watched, this);
                closed = true;
                settled();
            }
        }
    }

    private List<CallingApplication> consumers() {
        return applications.stream()
                .filter(CallingApplication.class::isInstance)
                .map(CallingApplication.class::cast)
                .toList();
    }

    void run() throws Exception {
        other.connect(nodes.get(0));
        drained.connect(anyNode());
        for (int i = 0; i < CONSUMERS; i++) {
            new CallingApplication(i).connect(anyNode());
        }
        time.pass(Duration.ofSeconds(3));
        drain();
        for (int i = 0; i < EVENTS; i++) {
            time.pass(Duration.ofMillis(random.nextInt(400)));
            event();
        }
        closing = true;
        // Longer than each drain and each wait.
        time.pass(QUIET);
        if (violation != null) {
            throw violation;
        }
        checkRest();
    }

    private void event() {
        List<CallingApplication> consumers = consumers();
        CallingApplication consumer = consumers.get(random.nextInt(consumers.size()));
        switch (random.nextInt(12)) {
            case 0, 1 -> drain();
            case 2 -> {
                note("an operator ends the drain");
                ends++;
                anyNode().actions.end(SERVICE, DRAINED.key(), Caller.SERVER);
            }
            case 3 -> {
                note("the provider's connection breaks");
                if (drained.node != null) {
                    drained.breaks();
                }
            }
            case 4 -> {
                note("the provider registers again");
                drained.registerAnew();
            }
            case 5 -> {
                if (drained.node != null) {
                    note("the provider moves");
                    drained.moves();
                }
            }
            case 6 -> {
                note("the provider stops");
                drained.stop();
            }
            case 7 -> {
                note("the provider starts");
                drained.startAgain();
            }
            case 8 -> {
                if (nodes.stream().filter(node -> node.alive).count() == NODES) {
                    anyNode().die();
                }
            }
            case 9, 10 -> {
                if (consumer.node != null) {
                    note("consumer " + consumer.number + " moves");
                    consumer.moves();
                }
            }
            default -> {
                if (consumer.node != null) {
                    note("consumer " + consumer.number + " loses its connection");
                    consumer.breaks();
                }
            }
        }
    }

    private void drain() {
        Node at = anyNode();
        if (at.naming.reads().snapshot(SERVICE).published().stream()
                .noneMatch(instance -> instance.key().equals(DRAINED.key()))) {
            return;
        }
        Duration lasting = Duration.ofSeconds(random.nextInt(3) == 0 ? 2 : 30);
        boolean oneIsSilent = random.nextInt(4) == 0;
        if (oneIsSilent) {
            CallingApplication stuck = consumers().get(random.nextInt(CONSUMERS));
            stuck.stopsAnswering = true;
            note("consumer " + stuck.number + " stops answering");
        }
        note("node " + at.number + " drains for " + lasting.toSeconds() + " s");
        int endsBefore = ends;
        int asksBefore = at.askedAgain.size();
        for (CallingApplication each : consumers()) {
            if (random.nextInt(3) > 0) {
                // Between the answers of two nodes, or shortly before the last.
                after(1 + random.nextInt(900), () -> {
                    if (each.node != null && !closing) {
                        note("consumer " + each.number + " moves");
                        each.moves();
                    }
                });
            }
        }
        at.actions
                .drain(SERVICE, DRAINED.key(), lasting, WAIT, true, Caller.SERVER)
                .whenComplete((answer, failure) -> {
                    try {
                        answered(at, endsBefore, asksBefore, answer);
                    } catch (AssertionError e) {
                        // A stage would keep it to itself.
                        violation = violation == null ? e : violation;
                    }
                });
    }

    private void answered(Node at, int endsBefore, int asksBefore, @Nullable Gathered<DrainActions.Drained> answer) {
        if (answer == null) {
            note("the drain of node " + at.number + " has failed");
            return;
        }
        DrainActions.Drained result = answer.rows().get(0);
        note("the drain of node " + at.number + " is answered: " + result.acknowledged() + ", waiting "
                + result.waiting());
        if (!at.alive || !result.acknowledged()) {
            return;
        }
        InstanceOverride row = rows.getOrDefault(DRAINED.key(), InstanceOverride.NONE);
        if (ends != endsBefore || row.drainEndMillis() <= clock.millis() + LONGEST_DELAY_MILLIS) {
            // The drain has ended meanwhile, so the lists may show the instance.
            return;
        }
        checked++;
        for (CallingApplication each : consumers()) {
            // A consumer that moves while the nodes are asked the second time is not awaited; see ADR 66.
            if (each.open != null && !each.open.isClosed() && each.connectedMillis < at.askedAgain.get(asksBefore)) {
                assertThat(each.list)
                        .as("list of consumer %d after the acknowledgement", each.number)
                        .doesNotContain(DRAINED.key());
            }
        }
    }

    /** All drains have ended, and every list shows the instance exactly while it is registered. */
    private void checkRest() {
        assertThat(closing).isTrue();
        InstanceOverride row = rows.getOrDefault(DRAINED.key(), InstanceOverride.NONE);
        assertThat(row.isDraining()).as("drained at the end").isFalse();
        boolean registered = drained.node != null;
        for (Node node : nodes) {
            if (node.alive) {
                assertThat(node.showsInService())
                        .as("node %d shows the instance in service", node.number)
                        .isEqualTo(registered);
            }
        }
        for (CallingApplication each : consumers()) {
            if (!each.stopsAnswering) {
                assertThat(each.list.contains(DRAINED.key()))
                        .as("consumer %d has the instance", each.number)
                        .isEqualTo(registered);
                assertThat(each.list).contains(OTHER.key());
            }
        }
    }
}
