package io.cairn.server.rpc.naming;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.api.config.Namespace;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.ServiceKey;
import io.cairn.api.wire.JsonInput;
import io.cairn.api.wire.Payload;
import io.cairn.api.wire.naming.FollowedList;
import io.cairn.api.wire.naming.ServiceAnswer;
import io.cairn.api.wire.naming.ServiceDelta;
import io.cairn.api.wire.naming.ServiceInfo;
import io.cairn.api.wire.naming.ServiceName;
import io.cairn.api.wire.naming.SubscribeServiceRequest;
import io.cairn.server.auth.Caller;
import io.cairn.server.auth.Principal;
import io.cairn.server.connection.ClientConnection;
import io.cairn.server.connection.ClientIdentity;
import io.cairn.server.connection.ConnectionRegistry;
import io.cairn.server.connection.ConnectionSettings;
import io.cairn.server.connection.FakeTransport;
import io.cairn.server.connection.RequestIds;
import io.cairn.server.naming.NamingSettings;
import io.cairn.server.naming.ServiceSettings;
import io.cairn.server.naming.registry.Publisher;
import io.cairn.server.naming.stored.NamingChange;
import io.cairn.server.naming.stored.NamingStore;
import io.cairn.server.naming.stored.NamingWrite;
import io.cairn.server.naming.stored.RegistryParts;
import io.cairn.server.naming.stored.StoredNaming;
import io.cairn.server.naming.switches.Switches;
import io.cairn.server.push.PushBudget;
import io.cairn.server.push.PushKind;
import io.cairn.server.push.PushMeters;
import io.cairn.server.push.PushSettings;
import io.cairn.server.push.WatchedKey;
import io.cairn.server.subscription.ServicePusher;
import io.cairn.server.subscription.ServiceSubscriptions;
import io.cairn.server.testing.HandDrivenLoop;
import io.cairn.server.testing.SettableClock;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Consumers that ask for deltas end on the list that the server has, whatever they miss; others notice nothing of them. */
class ServiceDeltasTest {

    private static final ServiceKey SERVICE = new ServiceKey(Namespace.DEFAULT, "DEFAULT_GROUP", "large");
    /** Their list is so short that the pushes of two changes are not made one. */
    private static final int PUBLISHERS = 16;

    private final HandDrivenLoop timer = new HandDrivenLoop();
    private final SettableClock clock = new SettableClock();
    private final RegistryParts naming = RegistryParts.of(
            new NamingSettings(Duration.ofMinutes(1), Duration.ofMinutes(1), Duration.ofSeconds(15), true),
            new Switches(),
            timer,
            clock);
    private final RequestIds ids = new RequestIds();
    private final ConnectionRegistry registry = new ConnectionRegistry(
            new ConnectionSettings(Duration.ofHours(1), Duration.ofHours(1), 10),
            10,
            new PushBudget(100_000_000),
            ids,
            timer,
            "127.0.0.1");
    private final ServiceSubscriptions subscriptions = new ServiceSubscriptions(new AtomicLong());
    private final ServicePusher pusher = new ServicePusher(
            naming.reads(),
            naming.switches(),
            subscriptions,
            ids,
            new PushKind(
                    new PushSettings(Duration.ofHours(1), Duration.ofHours(1), Duration.ofHours(1), 10),
                    new PushMeters(new SimpleMeterRegistry(), "service")),
            timer,
            "127.0.0.1");
    private final SubscribeServiceHandler handler = new SubscribeServiceHandler(naming.reads(), subscriptions, pusher);

    @BeforeEach
    void start() {
        registry.onClose(connection -> connection.watches().clear(WatchedKey::closed));
        naming.registry().follow(pusher);
        pusher.start();
    }

    @AfterEach
    void stop() {
        pusher.close();
    }

    private void publish(int publisher, List<Instance> instances) {
        naming.registrations()
                .register(
                        naming.registry().connection("publisher-" + publisher, new Publisher.Client("", 0, "", "")),
                        SERVICE,
                        instances);
    }

    private static List<Instance> instances(int publisher, int from, int to) {
        List<Instance> all = new ArrayList<>();
        for (int i = from; i < to; i++) {
            all.add(Instance.of("10." + publisher + "." + i / 250 + "." + i % 250, 8080)
                    .withMetadata(Map.of(
                            "version", "1." + i, "zone", "east", "git", "0f1e2d3c4b5a", "started", "2026-11-26")));
        }
        return all;
    }

    private Set<Instance> listed() {
        return new HashSet<>(naming.reads().view(SERVICE, "", false).hosts());
    }

    @Test
    void randomChangesWithLostPushesEndOnTheListOfTheServer() {
        for (int seed = 0; seed < 5; seed++) {
            Random random = new Random(seed);
            List<List<Instance>> published = new ArrayList<>();
            for (int i = 0; i < PUBLISHERS; i++) {
                published.add(instances(i, 0, 8));
                publish(i, published.get(i));
            }
            Consumer consumer = new Consumer(true);
            Consumer official = new Consumer(false);
            consumer.subscribe();
            official.subscribe();
            for (int step = 0; step < 400; step++) {
                consumer.loses = random.nextInt(3) == 0;
                consumer.heard = false;
                int publisher = random.nextInt(PUBLISHERS);
                published.set(publisher, changed(random, publisher, published.get(publisher)));
                publish(publisher, published.get(publisher));
                if (random.nextInt(40) == 0) {
                    consumer.subscribe();
                }
                if (consumer.heard) {
                    assertThat(consumer.instances())
                            .as("step %s of seed %s", step, seed)
                            .isEqualTo(listed());
                }
            }
            consumer.loses = false;
            consumer.subscribe();

            assertThat(consumer.instances()).isEqualTo(listed());
            assertThat(official.instances()).isEqualTo(listed());
            assertThat(official.deltas).isZero();
            assertThat(consumer.gaps).as("pushes were lost").isGreaterThan(20);
            assertThat(consumer.deltas).isGreaterThan(10 * consumer.wholes);
            registry.closed(consumer.connection);
            registry.closed(official.connection);
        }
    }

    /** Instances come, change, go out of use, go, and are named by another publisher as well. */
    private static List<Instance> changed(Random random, int publisher, List<Instance> before) {
        List<Instance> now = new ArrayList<>(before);
        int kind = random.nextInt(6);
        if (kind == 0 || now.isEmpty()) {
            return instances(publisher, 0, random.nextInt(16));
        }
        int at = random.nextInt(now.size());
        Instance one = now.get(at);
        switch (kind) {
            case 1 -> now.remove(at);
            case 2 -> now.set(at, one.withWeight(random.nextInt(100)));
            case 3 -> now.set(at, one.withEnabled(!one.enabled()));
            case 4 -> now.set(at, one.withHealthy(!one.healthy()));
            default -> now.addAll(instances((publisher + 1) % PUBLISHERS, 0, 1));
        }
        return now;
    }

    @Test
    void oneChangeOfManyTravelsAlone() {
        publish(0, instances(0, 0, 5_000));
        Consumer consumer = new Consumer(true);
        Consumer official = new Consumer(false);
        consumer.subscribe();
        official.subscribe();
        int whole = consumer.bytes;
        consumer.bytes = 0;

        publish(1, instances(1, 0, 1));

        assertThat(whole).isGreaterThan(1_900_000);
        assertThat(consumer.bytes).isLessThan(1_000);
        assertThat(consumer.instances()).hasSize(5_001).isEqualTo(listed());
        assertThat(official.instances()).isEqualTo(listed());
        assertThat(official.last).doesNotContain(ServiceAnswer.REVISION, ServiceDelta.FIELD);

        consumer.bytes = 0;
        consumer.subscribe();
        assertThat(consumer.bytes).as("an answer that nothing has changed").isLessThan(500);
    }

    /** Whole lists of that size would make the service pause after each change. */
    @Test
    void changesAreNotPacedByAListThatNobodyIsSent() {
        publish(0, instances(0, 0, 2_000));
        List<Consumer> consumers = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            consumers.add(new Consumer(true));
            consumers.get(i).subscribe();
        }

        for (int i = 1; i <= 30; i++) {
            publish(1, instances(1, 0, i));
        }

        assertThat(consumers).allSatisfy(consumer -> {
            assertThat(consumer.deltas).isEqualTo(30);
            assertThat(consumer.wholes).isOne();
            assertThat(consumer.instances()).isEqualTo(listed());
        });
    }

    /** Clients of other builds read these messages. */
    @Test
    void messagesHaveTheFieldsThatClientsRead() {
        publish(0, instances(0, 0, 70));
        Consumer consumer = new Consumer(true);
        consumer.subscribe();
        long first = naming.reads().snapshot(SERVICE).version();
        assertThat(consumer.last)
                .startsWith(
                        "{\"resultCode\":200,\"errorCode\":0,\"message\":\"success\",\"serviceInfo\":{\"name\":\"large\",")
                .endsWith("\"valid\":true},\"revision\":" + first + ",\"success\":true}");

        publish(1, List.of(Instance.of("10.1.0.0", 8080)));
        String host =
                "{\"instanceId\":\"10.1.0.0#8080#DEFAULT#DEFAULT_GROUP@@large\",\"ip\":\"10.1.0.0\",\"port\":8080,";
        assertThat(consumer.last)
                .matches("\\{\"headers\":\\{},\"requestId\":\"[0-9]+\",\"serviceDelta\":.*")
                .contains(delta(first, first + 1) + ",\"changed\":[" + host)
                .endsWith("],\"removed\":[],\"lastRefTime\":"
                        + naming.reads().snapshot(SERVICE).refMillis() + "},\"module\":\"naming\"}");

        publish(1, List.of());
        assertThat(consumer.last)
                .contains(
                        delta(first + 1, first + 2) + ",\"changed\":[],\"removed\":[{\"ip\":\"10.1.0.0\",\"port\":8080,"
                                + "\"clusterName\":\"DEFAULT\"}],");

        consumer.subscribe();
        assertThat(consumer.last)
                .startsWith("{\"resultCode\":200,\"errorCode\":0,\"message\":\"success\"," + delta(first + 2, first + 2)
                        + ",\"changed\":[],\"removed\":[],")
                .endsWith("},\"success\":true}");
    }

    private static String delta(long since, long revision) {
        return "\"serviceDelta\":{\"name\":\"large\",\"groupName\":\"DEFAULT_GROUP\",\"since\":" + since
                + ",\"revision\":" + revision;
    }

    @Test
    void aGapThatIsTooLargeGivesAWholeList() {
        publish(0, instances(0, 0, 200));
        Consumer consumer = new Consumer(true);
        consumer.subscribe();
        consumer.loses = true;
        for (int i = 1; i < 80; i++) {
            publish(1, instances(1, 0, i));
        }
        publish(2, instances(2, 0, 1));
        consumer.loses = false;
        int before = consumer.wholes;

        publish(3, instances(3, 0, 1));

        assertThat(consumer.gaps).isOne();
        assertThat(consumer.wholes).isEqualTo(before + 1);
        assertThat(consumer.instances()).hasSize(281).isEqualTo(listed());
    }

    @Test
    void aServiceThatIsMadeAgainIsAnotherOne() throws Exception {
        publish(0, instances(0, 0, 100));
        publish(1, instances(1, 0, 10));
        Consumer consumer = new Consumer(true);
        consumer.subscribe();
        naming.recovery().connectionClosed("publisher-0", false);
        naming.recovery().connectionClosed("publisher-1", false);
        assertThat(consumer.instances()).isEmpty();
        clock.advance(Duration.ofHours(1));
        timer.pass(Duration.ofHours(1));
        assertThat(naming.reads().snapshot(SERVICE).version())
                .as("it was removed")
                .isZero();

        consumer.loses = true;
        for (int i = 1; i < 300; i++) {
            publish(0, instances(0, 0, i));
        }
        consumer.loses = false;
        publish(1, instances(1, 0, 1));

        assertThat(consumer.instances()).hasSize(300).isEqualTo(listed());
    }

    @Test
    void protectionIsSentAsWholeLists() {
        new StoredNaming(naming, new CreatedServices(), new StoredNaming.PersistentInstances() {})
                .createService(Caller.SERVER, SERVICE, ServiceSettings.ofKind(true))
                .toCompletableFuture()
                .join();
        List<Instance> all = instances(0, 0, 80);
        publish(0, all);
        Consumer consumer = new Consumer(true);
        consumer.subscribe();
        for (int healthy = 3; healthy >= 0; healthy--) {
            publish(0, healthy(all, healthy));
            assertThat(consumer.instances()).as("%s healthy", healthy).isEqualTo(listed());
        }
        assertThat(naming.reads().view(SERVICE, "", false).isProtected()).isTrue();
        assertThat(consumer.instances()).allMatch(Instance::healthy);
        Consumer late = new Consumer(true);
        late.subscribe();

        publish(0, healthy(all, 1));

        assertThat(naming.reads().view(SERVICE, "", false).isProtected()).isFalse();
        assertThat(consumer.instances()).isEqualTo(listed());
        assertThat(late.instances()).isEqualTo(listed());
        late.subscribe();
        assertThat(late.instances()).isEqualTo(listed());
    }

    private static List<Instance> healthy(List<Instance> all, int count) {
        List<Instance> some = new ArrayList<>();
        for (int i = 0; i < all.size(); i++) {
            some.add(all.get(i).withHealthy(i < count));
        }
        return some;
    }

    /** The list that is pushed to a new official client alone does not part the others from the next change. */
    @Test
    void newSubscriberLeavesNoGapForTheOthers() throws Exception {
        publish(0, instances(0, 0, 100));
        Consumer consumer = new Consumer(true);
        consumer.subscribe();
        for (int i = 1; i < 10; i++) {
            Consumer official = new Consumer(false);
            official.subscribe();
            publish(1, instances(1, 0, i));
            clock.advance(Duration.ofSeconds(3));
            timer.pass(Duration.ofSeconds(3));
            assertThat(official.instances()).isEqualTo(listed());
        }

        assertThat(consumer.instances()).isEqualTo(listed());
        assertThat(consumer.gaps).isZero();
        assertThat(consumer.wholes).isOne();
    }

    /** Accepts new services. */
    private static final class CreatedServices implements NamingStore {

        @Override
        public CompletionStage<Void> write(List<NamingWrite> writes, Caller by, Runnable committed) {
            throw new AssertionError("not expected here: " + writes);
        }

        @Override
        public CompletionStage<Void> change(
                List<NamingChange> changes, Caller by, java.util.function.Consumer<List<NamingWrite>> committed) {
            committed.accept(changes.stream()
                    .map(change -> ((NamingChange.CreateService) change).from(false))
                    .toList());
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public void forEach(java.util.function.Consumer<NamingWrite> consumer) {}

        @Override
        public void forEach(Set<ServiceKey> services, java.util.function.Consumer<NamingWrite> consumer) {}

        @Override
        public void forEachSwitch(Set<String> names, java.util.function.Consumer<NamingWrite> consumer) {}
    }

    /** A client over a connection of its own; its loop is the thread of the test. */
    private final class Consumer {

        private final ClientConnection connection;
        private final boolean takesDeltas;
        private final FollowedList list = new FollowedList();
        private boolean loses;
        private boolean heard;
        private int gaps;
        private int deltas;
        private int wholes;
        private int bytes;
        private String last = "";

        Consumer(boolean takesDeltas) {
            this.takesDeltas = takesDeltas;
            connection = new ClientConnection(
                    ids.next(),
                    new ClientIdentity("127.0.0.1", "", "", Map.of()),
                    FakeTransport.staysOpen(Runnable::run, this::receive),
                    registry);
            assertThat(registry.register(connection)).isTrue();
        }

        void subscribe() {
            SubscribeServiceRequest request = new SubscribeServiceRequest(
                    ServiceName.of(SERVICE), true, "", takesDeltas ? Long.valueOf(list.revision()) : null);
            Payload sent = Payload.of("SubscribeServiceRequest", request.toJson());
            take(handler.handle(handler.read(sent), connection, Principal.UNCHECKED)
                    .toCompletableFuture()
                    .join());
        }

        Set<Instance> instances() {
            Set<Instance> all = new HashSet<>();
            list.instances().forEach(instance -> all.add(instance.withId(null)));
            assertThat(all).hasSameSizeAs(list.instances());
            return all;
        }

        private ServiceAnswer take(Payload message) {
            ServiceAnswer answer = JsonInput.read(message, ServiceAnswer::read);
            ServiceDelta delta = answer.delta();
            ServiceInfo service = answer.service();
            if (loses && answer.requestId() != null) {
                return answer;
            }
            heard = true;
            bytes += message.encodedLength();
            last = message.bodyText();
            if (delta != null) {
                deltas++;
                if (list.take(delta).isEmpty()) {
                    gaps++;
                    subscribe();
                }
            } else if (service != null && service.hosts() != null) {
                wholes++;
                list.take(service.hosts(), answer.revision());
            }
            return answer;
        }

        private void receive(Payload payload) {
            ServiceAnswer push = take(payload);
            connection.answered(push.requestId(), "NotifySubscriberResponse", true);
        }
    }
}
