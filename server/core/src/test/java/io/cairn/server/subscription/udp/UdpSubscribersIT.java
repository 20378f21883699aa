package io.cairn.server.subscription.udp;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.cairn.api.config.Namespace;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.auth.Caller;
import io.cairn.server.auth.Principal;
import io.cairn.server.connection.RequestIds;
import io.cairn.server.naming.NamingSettings;
import io.cairn.server.naming.ServiceSettings;
import io.cairn.server.naming.label.AddressLabels;
import io.cairn.server.naming.label.LabelSelector;
import io.cairn.server.naming.stored.NamingChange;
import io.cairn.server.naming.stored.NamingStore;
import io.cairn.server.naming.stored.NamingWrite;
import io.cairn.server.naming.stored.RegistryParts;
import io.cairn.server.naming.stored.StoredNaming;
import io.cairn.server.naming.switches.Switches;
import io.cairn.server.naming.view.ServiceView;
import io.cairn.server.push.PushKind;
import io.cairn.server.push.PushMeters;
import io.cairn.server.push.PushSettings;
import io.cairn.server.subscription.ForgetfulStore;
import io.cairn.server.subscription.HttpReaders;
import io.cairn.server.subscription.LateSubscriber;
import io.cairn.server.subscription.ListAcknowledgements;
import io.cairn.server.subscription.Selection;
import io.cairn.server.subscription.ServicePusher;
import io.cairn.server.subscription.ServiceSubscriptions;
import io.cairn.server.subscription.Subscriber;
import io.cairn.server.subscription.SubscriberAcknowledgements;
import io.cairn.server.testing.SettableClock;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.util.HashedWheelTimer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A real socket stands for the client. */
class UdpSubscribersIT {

    private static final Caller HERE = new Caller(Principal.UNCHECKED, "127.0.0.1");

    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final ServiceKey SERVICE = new ServiceKey(Namespace.DEFAULT, "DEFAULT_GROUP", "orders");
    private static final Selection ALL = new Selection(SERVICE, "");
    private static final String AGENT = "Nacos-Java-Client:v1.4.8";
    private static final int SILENCE_MILLIS = 400;
    /** Enough for a client on a busy machine to acknowledge a push before it is repeated. */
    private static final Duration ACK_TIMEOUT = Duration.ofMillis(1_500);

    private final HashedWheelTimer timer = new HashedWheelTimer(10, TimeUnit.MILLISECONDS);
    private final EventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final Switches switches = new Switches();
    private final SettableClock clock = new SettableClock();
    private final ServiceSubscriptions subscriptions = new ServiceSubscriptions(new AtomicLong());
    private final RegistryParts naming = RegistryParts.of(
            new NamingSettings(Duration.ofMinutes(1), Duration.ofMinutes(1), Duration.ofMinutes(1), true),
            switches,
            timer,
            clock);
    private final PushMeters meters = new PushMeters(new SimpleMeterRegistry(), "service");
    private final ServicePusher pusher = new ServicePusher(
            naming.reads(),
            naming.switches(),
            subscriptions,
            new RequestIds(),
            new PushKind(
                    new PushSettings(Duration.ofSeconds(5), Duration.ofSeconds(1), Duration.ofSeconds(9), 9), meters),
            timer,
            "127.0.0.1");
    private UdpSubscribers udp = subscribers(Duration.ofSeconds(10), Duration.ofSeconds(30));
    private DatagramSocket client;

    private UdpSubscribers subscribers(Duration ackTimeout, Duration expiry) {
        return new UdpSubscribers(
                naming.reads(),
                naming.switches(),
                pusher,
                subscriptions,
                new HttpReaders(() -> naming.switches().cacheMillis(), timer, System::nanoTime),
                timer,
                new UdpSubscribers.Limits(ackTimeout, expiry, 0),
                new UdpSubscribers.Socket(loops, NioDatagramChannel::new, InetAddress.getLoopbackAddress(), false),
                clock);
    }

    @BeforeEach
    void start() throws IOException {
        naming.registry().follow(pusher);
        pusher.start();
        udp.start();
        client = new DatagramSocket(0, InetAddress.getLoopbackAddress());
    }

    @AfterEach
    void stop() {
        client.close();
        udp.close();
        pusher.close();
        // Before the timer, for a last push would arm it.
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
        timer.stop();
    }

    private void restart(Duration ackTimeout, Duration expiry) {
        udp.close();
        udp = subscribers(ackTimeout, expiry);
        udp.start();
    }

    @Test
    void changeIsPushedToAClientThatHasListedUntilItAcknowledges() throws IOException {
        restart(Duration.ofMillis(300), Duration.ofSeconds(30));
        list();

        register("10.0.0.1", Map.of("v", "1"));

        JsonNode first = receive();
        assertThat(first.path("type").asString()).isEqualTo("dom");
        JsonNode service = JSON.readTree(first.path("data").asString());
        assertThat(service.path("name").asString()).isEqualTo("DEFAULT_GROUP@@orders");
        assertThat(service.at("/hosts/0/ip").asString()).isEqualTo("10.0.0.1");
        JsonNode again = receive();
        assertThat(again.path("lastRefTime")).isEqualTo(first.path("lastRefTime"));
        assertNothingComes();
        await().untilAsserted(() -> assertThat(meters.failedCount()).isEqualTo(2));
        assertThat(meters.sentCount()).isEqualTo(2);
    }

    @Test
    void anAcknowledgedPushIsNotRepeated() throws IOException {
        restart(ACK_TIMEOUT, Duration.ofSeconds(30));
        list();
        register("10.0.0.1", Map.of());

        acknowledge(receive());

        assertNothingComes(ACK_TIMEOUT.plusMillis(SILENCE_MILLIS));
        assertThat(meters.failedCount()).isZero();
    }

    @Test
    void newerPushReplacesAnUnacknowledgedOne() throws IOException {
        restart(ACK_TIMEOUT, Duration.ofSeconds(30));
        list();
        register("10.0.0.1", Map.of());
        JsonNode first = receive();

        register("10.0.0.2", Map.of());
        JsonNode second = receive();
        acknowledge(second);

        assertThat(second.path("lastRefTime").asLong())
                .isGreaterThan(first.path("lastRefTime").asLong());
        assertThat(JSON.readTree(second.path("data").asString()).path("hosts")).hasSize(2);
        assertNothingComes(ACK_TIMEOUT.plusMillis(SILENCE_MILLIS));
    }

    @Test
    void clientThatNeverAcknowledgesIsNotPushedToUntilItListsAgain() throws IOException {
        restart(Duration.ofMillis(50), Duration.ofSeconds(30));
        list();
        for (int i = 1; i <= 2; i++) {
            register("10.0.0." + i, Map.of());
            receive();
            receive();
            int failures = 2 * i;
            await().untilAsserted(() -> assertThat(meters.failedCount()).isEqualTo(failures));
        }
        // Both attempts have timed out; the next change finds the client dropped.
        register("10.0.0.3", Map.of());
        assertNothingComes();

        list();
        register("10.0.0.4", Map.of());
        assertThat(JSON.readTree(receive().path("data").asString()).path("hosts"))
                .hasSize(4);
    }

    @Test
    void removesClientThatNoLongerLists() throws IOException {
        restart(Duration.ofSeconds(10), Duration.ofSeconds(2));
        list();
        assertThat(udp.size()).isEqualTo(1);
        assertThat(subscriptions.pairs()).isEqualTo(1);

        await().until(() -> udp.size() == 0);
        register("10.0.0.1", Map.of());

        assertThat(subscriptions.pairs()).isZero();
        assertNothingComes();
    }

    private CompletableFuture<ListAcknowledgements.Result> awaitAcknowledgements(Duration within) {
        return new SubscriberAcknowledgements(pusher, subscriptions, timer)
                .await(SERVICE, within)
                .toCompletableFuture();
    }

    @Test
    void acknowledgementOfTheLastPushIsAwaited() throws Exception {
        list();
        register("10.0.0.1", Map.of());
        JsonNode push = receive();
        assertThat(awaitAcknowledgements(Duration.ZERO).get().late())
                .singleElement()
                .extracting(LateSubscriber::port)
                .isEqualTo(client.getLocalPort());

        CompletableFuture<ListAcknowledgements.Result> all = awaitAcknowledgements(PATIENCE);
        acknowledge(push);

        assertThat(all.get()).isEqualTo(new ListAcknowledgements.Result(1, List.of()));
    }

    @Test
    void listInPlaceOfAnAcknowledgementIsAwaited() throws Exception {
        list();
        register("10.0.0.1", Map.of());
        receive();
        CompletableFuture<ListAcknowledgements.Result> all = awaitAcknowledgements(PATIENCE);
        assertThat(all).isNotDone();

        list();

        assertThat(all.get().acknowledged()).isEqualTo(1);
    }

    @Test
    void clientThatNoLongerListsIsNotAwaited() throws Exception {
        restart(Duration.ofSeconds(10), Duration.ofMillis(500));
        list();
        register("10.0.0.1", Map.of());

        assertThat(awaitAcknowledgements(PATIENCE).get().late()).isEmpty();
    }

    @Test
    void nobodyHasTheListWhilePushesAreSwitchedOff() throws Exception {
        list();
        pushEnabled(false);

        assertThat(awaitAcknowledgements(PATIENCE).get().late()).hasSize(1);
    }

    @Test
    void aLongListIsCompressed() throws IOException {
        list();
        register("10.0.0.1", Map.of("k", "x".repeat(900)));

        byte[] bytes = receiveBytes();

        assertThat(bytes).startsWith(0x1f, 0x8b).hasSizeLessThan(1024);
        assertThat(read(bytes).path("data").asString()).contains("x".repeat(900));
    }

    @Test
    void serviceTooLargeForADatagramIsNotSent() throws IOException {
        list();
        Random random = new Random(1);
        for (int i = 0; i < 110; i++) {
            StringBuilder noise = new StringBuilder();
            for (int c = 0; c < 1000; c++) {
                noise.append((char) ('!' + random.nextInt(90)));
            }
            naming.leases()
                    .register(
                            SERVICE,
                            new Instance(
                                    new InstanceKey("10.0.1." + i, 80, "DEFAULT"),
                                    1,
                                    true,
                                    true,
                                    true,
                                    Map.of("noise", noise.toString()),
                                    null));
        }
        // Those before fit, and pass for it; the last state of all does not.
        JsonNode last = null;
        client.setSoTimeout(SILENCE_MILLIS);
        try {
            while (true) {
                last = read(receiveBytes());
                acknowledge(last);
            }
        } catch (SocketTimeoutException e) {
            assertThat(naming.reads().view(SERVICE, "", false).hosts()).hasSize(110);
            assertThat(
                            last == null
                                    ? 0
                                    : JSON.readTree(last.path("data").asString())
                                            .path("hosts")
                                            .size())
                    .isLessThan(110);
        }
    }

    @Test
    void changeSeenOnlyInAListIsRevertedByAPush() throws Exception {
        list();
        register("10.0.0.1", Map.of("v", "2"));
        acknowledge(receive());
        pushEnabled(false);
        register("10.0.0.1", Map.of("v", "3"));
        assertThat(list().hosts().get(0).metadata()).containsEntry("v", "3");
        register("10.0.0.1", Map.of("v", "2"));
        pushEnabled(true);

        pusher.dispatchAll();

        JsonNode service = JSON.readTree(receive().path("data").asString());
        assertThat(service.at("/hosts/0/metadata/v").asString()).isEqualTo("2");
    }

    @Test
    void clientIsPushedInstancesWithItsLabels() throws Exception {
        ServiceSettings settings = new ServiceSettings(
                true, 0, Map.of(), LabelSelector.of("CONSUMER.label.site=PROVIDER.label.site"), Map.of());
        assertThat(new StoredNaming(naming, new ForgetfulStore(), new StoredNaming.PersistentInstances() {})
                        .createService(HERE, SERVICE, settings))
                .isCompleted();
        naming.registry()
                .relabel(AddressLabels.read("{\"127.0.0.0/8\":{\"site\":\"x\"},\"10.0.0.1\":{\"site\":\"x\"}}"));
        list();

        register("10.0.0.2", Map.of());
        assertThat(hosts(receive())).as("none has its labels").containsExactly("10.0.0.2");
        register("10.0.0.1", Map.of());
        assertThat(hosts(receive())).containsExactly("10.0.0.1");
    }

    private static List<String> hosts(JsonNode push) {
        return JSON.readTree(push.path("data").asString())
                .path("hosts")
                .valueStream()
                .map(host -> host.path("ip").asString())
                .toList();
    }

    @Test
    void listOfHealthyOnlyHasNoUnhealthyInstances() {
        naming.leases().register(SERVICE, Instance.of("10.0.0.1", 8080).withHealthy(false));
        naming.leases().register(SERVICE, Instance.of("10.0.0.2", 8080));

        ServiceView view = udp.list(ALL, true, "127.0.0.1", client.getLocalPort(), AGENT, "app", HERE);

        assertThat(view.hosts()).extracting(host -> host.key().ip()).containsExactly("10.0.0.2");
        assertThat(list().hosts()).hasSize(2);
    }

    @Test
    void laterListOfAnUnchangedServiceHasALaterTime() {
        naming.leases().register(SERVICE, Instance.of("10.0.0.1", 8080));
        long first = list().snapshot().refMillis();
        assertThat(list().snapshot().refMillis()).isEqualTo(first);

        clock.advance(Duration.ofMillis(switches.cacheMillis()));

        assertThat(list().snapshot().refMillis()).isGreaterThan(first);
    }

    @Test
    void foreignAddressesAndNamesAreNotSubscribed() {
        udp.list(ALL, false, "127.0.0.1", client.getLocalPort(), "curl/8.0", "app", HERE);
        udp.list(ALL, false, "localhost", client.getLocalPort(), AGENT, "app", HERE);
        udp.list(ALL, false, "127.0.0.1", 0, AGENT, "app", HERE);
        udp.list(ALL, false, "127.0.0.1", 70_000, AGENT, "app", HERE);

        assertThat(udp.size()).isZero();
    }

    @Test
    void refusesToSendDatagramsToAnotherAddress() {
        Caller elsewhere = new Caller(Principal.UNCHECKED, "10.0.0.77");
        udp.list(ALL, false, "127.0.0.1", client.getLocalPort(), AGENT, "app", elsewhere);
        udp.list(ALL, false, "192.0.2.9", 4000, AGENT, "app", elsewhere);
        udp.list(ALL, false, "192.0.2.9", 4000, AGENT, "app", HERE);
        assertThat(udp.size()).isZero();

        udp.list(ALL, false, "10.0.0.77", 4000, AGENT, "app", elsewhere);
        assertThat(udp.size()).isOne();
    }

    @Test
    void clientWithoutTheRightIsNoLongerSubscribed() {
        list();
        udp.endUnless((principal, watched) -> principal == HERE.principal());
        assertThat(udp.size()).isOne();

        udp.endUnless((principal, watched) -> false);

        assertThat(udp.size()).isZero();
        assertThat(subscriptions.of(SERVICE)).isEmpty();
    }

    @Test
    void clientThatListsTwiceIsOneDescribedSubscriber() {
        list();
        list();

        assertThat(subscriptions.of(SERVICE))
                .containsExactly(new Subscriber(
                        "127.0.0.1:" + client.getLocalPort() + "#true",
                        "127.0.0.1",
                        client.getLocalPort(),
                        AGENT,
                        "app",
                        ""));
    }

    @Test
    void clientIsCountedOnceUntilItsLastSubscriptionEnds() {
        int port = client.getLocalPort();
        String id = "127.0.0.1:" + port + "#true";
        Selection other = new Selection(new ServiceKey(Namespace.DEFAULT, "DEFAULT_GROUP", "payments"), "");
        list();
        clock.advance(Duration.ofSeconds(1));
        udp.list(other, false, "127.0.0.1", port, AGENT, "app", HERE);
        assertThat(udp.clientIds()).containsExactly(id);
        assertThat(udp.client(id)).isEqualTo(new UdpSubscribers.Client(id, "127.0.0.1", port, clock.millis()));

        clock.advance(Duration.ofSeconds(1));
        list();
        assertThat(udp.client(id)).isEqualTo(new UdpSubscribers.Client(id, "127.0.0.1", port, clock.millis()));
        assertThat(udp.client("127.0.0.1:1#true")).isNull();

        udp.endUnless((principal, watched) -> false);
        assertThat(udp.clientIds()).isEmpty();
        assertThat(udp.client(id)).isNull();
    }

    @Test
    void datagramsThatAreNoAcknowledgementDoNoHarm() throws IOException {
        restart(Duration.ofMillis(300), Duration.ofSeconds(30));
        list();
        register("10.0.0.1", Map.of());
        DatagramPacket packet = receivePacket();
        for (String text : new String[] {"", "{", "{}", "[1]", "{\"lastRefTime\":\"x\"}", "{\"lastRefTime\":\"1\"}"}) {
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            client.send(new DatagramPacket(bytes, bytes.length, packet.getSocketAddress()));
        }

        assertThat(receive().path("type").asString()).isEqualTo("dom");
    }

    private void pushEnabled(boolean isEnabled) {
        NamingStore none = new NamingStore() {
            @Override
            public CompletionStage<Void> write(List<NamingWrite> writes, Caller by, Runnable committed) {
                return CompletableFuture.failedFuture(new AssertionError("for this run only"));
            }

            @Override
            public CompletionStage<Void> change(
                    List<NamingChange> changes, Caller by, Consumer<List<NamingWrite>> committed) {
                return CompletableFuture.failedFuture(new AssertionError("for this run only"));
            }

            @Override
            public void forEach(Set<ServiceKey> services, Consumer<NamingWrite> consumer) {}

            @Override
            public void forEachSwitch(Set<String> names, Consumer<NamingWrite> consumer) {}

            @Override
            public void forEach(Consumer<NamingWrite> consumer) {}
        };
        assertThat(new StoredNaming(naming, none, new StoredNaming.PersistentInstances() {})
                        .change(HERE, "pushEnabled", Boolean.toString(isEnabled), true))
                .isCompleted();
    }

    private ServiceView list() {
        return udp.list(ALL, false, "127.0.0.1", client.getLocalPort(), AGENT, "app", HERE);
    }

    private void register(String ip, Map<String, String> metadata) {
        naming.leases().register(SERVICE, Instance.of(ip, 8080).withMetadata(metadata));
    }

    private DatagramPacket receivePacket() throws IOException {
        client.setSoTimeout((int) PATIENCE.toMillis());
        return packet();
    }

    private DatagramPacket packet() throws IOException {
        DatagramPacket packet = new DatagramPacket(new byte[65_536], 65_536);
        client.receive(packet);
        server = packet;
        return packet;
    }

    private DatagramPacket server;

    private byte[] receiveBytes() throws IOException {
        if (client.getSoTimeout() == 0) {
            client.setSoTimeout((int) PATIENCE.toMillis());
        }
        DatagramPacket packet = packet();
        return Arrays.copyOf(packet.getData(), packet.getLength());
    }

    private JsonNode receive() throws IOException {
        client.setSoTimeout((int) PATIENCE.toMillis());
        return read(receiveBytes());
    }

    private static JsonNode read(byte[] bytes) throws IOException {
        byte[] json = bytes[0] == 0x1f ? new GZIPInputStream(new ByteArrayInputStream(bytes)).readAllBytes() : bytes;
        return JSON.readTree(json);
    }

    private void acknowledge(JsonNode push) throws IOException {
        byte[] ack = ("{\"type\": \"push-ack\", \"lastRefTime\":\""
                        + push.path("lastRefTime").asLong() + "\", \"data\":\"\"}")
                .getBytes(StandardCharsets.UTF_8);
        client.send(new DatagramPacket(ack, ack.length, server.getSocketAddress()));
    }

    private void assertNothingComes() throws IOException {
        assertNothingComes(Duration.ofMillis(SILENCE_MILLIS));
    }

    private void assertNothingComes(Duration within) throws IOException {
        client.setSoTimeout((int) within.toMillis());
        assertThatThrownBy(this::packet).isInstanceOf(SocketTimeoutException.class);
    }
}
