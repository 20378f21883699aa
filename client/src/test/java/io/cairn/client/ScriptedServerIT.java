package io.cairn.client;

import static io.cairn.client.FakeServer.clientOf;
import static io.cairn.client.FakeServer.content;
import static io.cairn.client.FakeServer.listening;
import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.naming.Instance;
import io.cairn.api.wire.AnswerFields;
import io.cairn.api.wire.JsonInput;
import io.cairn.api.wire.JsonOutput;
import io.cairn.api.wire.MessageCatalog;
import io.cairn.api.wire.Payload;
import io.cairn.api.wire.WireResponse;
import io.cairn.api.wire.config.ConfigBatchListenRequest;
import io.cairn.api.wire.naming.DrainAnswer;
import io.cairn.api.wire.naming.InstanceDrainRequest;
import io.cairn.client.config.ConfigContent;
import io.cairn.client.config.ConfigWatch;
import io.cairn.client.config.PatternListener;
import io.cairn.client.config.PatternWatch;
import io.cairn.client.connection.ConnectFailure;
import io.cairn.client.connection.NoRightException;
import io.cairn.client.connection.Phase;
import io.cairn.client.naming.DrainResult;
import io.cairn.client.naming.EmptyLists;
import io.cairn.client.naming.Registration;
import io.cairn.client.naming.ServiceView;
import io.cairn.client.naming.ServiceWatch;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Server behavior that real servers show rarely, or at a moment that a test cannot choose. */
class ScriptedServerIT {

    /** Compares digests as a server does. */
    private static void serve(FakeServer server, AtomicReference<String> text) {
        server.answer(MessageCatalog.CONFIG_QUERY_REQUEST, request -> content(text.get()));
        server.answer(MessageCatalog.CONFIG_BATCH_LISTEN_REQUEST, request -> {
            String md5 = io.cairn.api.config.ContentDigest.of(text.get()).toString();
            boolean same = JsonInput.read(request, ConfigBatchListenRequest::read).contexts().stream()
                    .allMatch(context -> md5.equals(context.md5()));
            return listening(same ? "[]" : "[{\"dataId\":\"a\",\"group\":\"DEFAULT_GROUP\",\"tenant\":\"\"}]");
        });
    }

    /** A server with one configuration, and a client whose watch has received its first content. */
    private static final class WatchedText implements AutoCloseable {

        private final FakeServer server = new FakeServer();
        private final CairnClient client = clientOf(server.address()).build();
        private final AtomicReference<String> text = new AtomicReference<>("one");
        private final List<String> told = new CopyOnWriteArrayList<>();
        private final ConfigWatch watch;

        WatchedText() {
            serve(server, text);
            watch = client.configs().watch(client.configs().key("a"), content -> told.add(content.text()));
            awaitTexts("one");
        }

        void awaitTexts(String... texts) {
            await().until(() -> told, List.of(texts)::equals);
        }

        @Override
        public void close() {
            watch.close();
            client.close();
            server.close();
        }
    }

    @Test
    void recoversALostPushWithTheNextConnection() {
        try (WatchedText watched = new WatchedText()) {
            watched.text.set("two");

            watched.server.dropAll();

            watched.awaitTexts("one", "two");
            assertThat(watched.server.setups()).hasSize(2);
            assertThat(watched.watch.key().dataId()).isEqualTo("a");
        }
    }

    @Test
    void acknowledgesAPushAndFetchesTheContent() {
        try (WatchedText watched = new WatchedText()) {
            watched.text.set("two");
            watched.server.push(
                    MessageCatalog.CONFIG_CHANGE_NOTIFY_REQUEST,
                    new JsonOutput(64)
                            .text("requestId", "41")
                            .text("dataId", "a")
                            .text("group", "DEFAULT_GROUP"));
            watched.awaitTexts("one", "two");
            await().until(() -> watched.server.replies().stream()
                    .anyMatch(reply -> "41".equals(reply.requestId()) && reply.success()));
            assertThat(watched.watch.current()).map(ConfigContent::text).contains("two");
        }
    }

    @Test
    void answersADetectionAndRefusesAnUnknownPush() {
        try (FakeServer server = new FakeServer();
                CairnClient client = clientOf(server.address()).build()) {
            server.push(MessageCatalog.CLIENT_DETECTION_REQUEST, new JsonOutput(64).text("requestId", "1"));
            server.push("SomethingNewRequest", new JsonOutput(64).text("requestId", "2"));
            await().until(() -> server.replies().size() == 2);
            assertThat(server.replies().get(0).requestId()).isEqualTo("1");
            assertThat(server.replies().get(0).success()).isTrue();
            assertThat(server.replies().get(1).requestId()).isEqualTo("2");
            assertThat(server.replies().get(1).success()).isFalse();
            assertThat(client.connected()).isTrue();
        }
    }

    @Test
    void aResetMovesTheClientToTheNamedServer() {
        try (FakeServer one = new FakeServer();
                FakeServer two = new FakeServer();
                CairnClient client = clientOf(one.address(), two.address()).build()) {
            boolean onOne = client.server().orElseThrow().port() == one.port();
            FakeServer from = onOne ? one : two;
            FakeServer to = onOne ? two : one;
            from.push(
                    MessageCatalog.CONNECT_RESET_REQUEST,
                    new JsonOutput(64)
                            .text("requestId", "7")
                            .text("serverIp", "127.0.0.1")
                            .text("serverPort", Integer.toString(to.port())));
            await().until(() -> client.server().map(server -> server.port()).orElse(0), port -> port == to.port());
            await().until(() -> from.replies().stream().anyMatch(reply -> "7".equals(reply.requestId())));
        }
    }

    @Test
    void leavesAServerThatStopsAnswering() {
        try (FakeServer one = new FakeServer();
                FakeServer two = new FakeServer();
                CairnClient client = clientOf(one.address(), two.address())
                        .healthCheck(Duration.ofMillis(300))
                        .build()) {
            FakeServer used = client.server().orElseThrow().port() == one.port() ? one : two;
            FakeServer left = used == one ? two : one;
            used.fallSilent();
            await().until(() -> client.connected()
                    && client.server().map(server -> server.port()).orElse(0) == left.port());
        }
    }

    @Test
    void refusalsBecomeExceptionsThatNameTheThingToCheck() {
        try (FakeServer server = new FakeServer();
                CairnClient client = clientOf(server.address()).build()) {
            ConfigKey key = client.configs().key("a");
            server.answer(
                    MessageCatalog.CONFIG_QUERY_REQUEST,
                    request -> WireResponse.failed(
                            MessageCatalog.CONFIG_QUERY_RESPONSE, 403, "authorization failed!", null));
            assertThatThrownBy(() -> client.configs().get(key))
                    .isInstanceOf(NoRightException.class)
                    .hasMessageContaining("403 authorization failed!");
            server.answer(
                    MessageCatalog.CONFIG_PUBLISH_REQUEST,
                    request ->
                            WireResponse.failed(MessageCatalog.CONFIG_PUBLISH_RESPONSE, 400, "content is blank", null));
            assertThatThrownBy(() -> client.configs().publish(key, " "))
                    .isInstanceOfSatisfying(CairnException.class, refused -> assertThat(refused.code())
                            .isEqualTo(ErrorCode.INVALID_PARAMETER));
            assertThatThrownBy(() -> client.configs().delete(key)).hasMessageContaining("302");
        }
    }

    @Test
    void reconnectsToAServerThatHasLostTheConnection() {
        try (FakeServer server = new FakeServer();
                CairnClient client = clientOf(server.address()).build()) {
            server.answer(
                    MessageCatalog.CONFIG_QUERY_REQUEST,
                    request -> server.setups().size() < 2
                            ? WireResponse.error(301, "Connection is unregistered.")
                            : content("again"));
            assertThat(client.configs().get(client.configs().key("a")))
                    .map(ConfigContent::text)
                    .contains("again");
            assertThat(server.setups()).hasSize(2);
        }
    }

    @Test
    void refusesToBlockTheReadingThread() throws Exception {
        try (FakeServer server = new FakeServer();
                CairnClient client = clientOf(server.address()).build()) {
            CountDownLatch attached = new CountDownLatch(1);
            server.answer(MessageCatalog.CONFIG_QUERY_REQUEST, request -> {
                try {
                    assertThat(attached.await(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                            .isTrue();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
                return content("x");
            });
            ConfigKey key = client.configs().key("a");
            CompletableFuture<String> said = client.configs().getAsync(key).handle((content, failure) -> {
                try {
                    client.configs().get(key);
                    return "waited";
                } catch (IllegalStateException e) {
                    return e.getMessage();
                }
            });
            attached.countDown();
            assertThat(said.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).contains("use the Async methods");
        }
    }

    @Test
    void reportsAllMatchesOfAPatternAndThenTheChanges() throws Exception {
        try (FakeServer server = new FakeServer();
                CairnClient client = clientOf(server.address()).build()) {
            server.answer(
                    MessageCatalog.CONFIG_FUZZY_WATCH_REQUEST,
                    request -> WireResponse.ok(MessageCatalog.CONFIG_FUZZY_WATCH_RESPONSE));
            List<String> told = new CopyOnWriteArrayList<>();
            try (PatternWatch watch = client.configs().watchPattern("*", "app-*", recorder(told))) {
                await().until(() -> !server.received(MessageCatalog.CONFIG_FUZZY_WATCH_REQUEST)
                        .isEmpty());
                server.push(
                        MessageCatalog.CONFIG_FUZZY_WATCH_SYNC_REQUEST,
                        new JsonOutput(256)
                                .text("requestId", "1")
                                .text("groupKeyPattern", "public>>*>>app-*")
                                .json("contexts", "[{\"groupKey\":\"app-1+G+public\",\"changedType\":\"ADD_CONFIG\"}]")
                                .text("syncType", "FUZZY_WATCH_INIT_NOTIFY"));
                server.push(
                        MessageCatalog.CONFIG_FUZZY_WATCH_SYNC_REQUEST,
                        new JsonOutput(256)
                                .text("requestId", "2")
                                .text("groupKeyPattern", "public>>*>>app-*")
                                .text("syncType", "FINISH_FUZZY_WATCH_INIT_NOTIFY"));
                assertThat(watch.known().get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                        .isEqualTo(Set.of(client.configs().key("G", "app-1")));
                // Changes before the listener is called are merged into one.
                await().until(() -> told, List.of("+app-1")::equals);
                server.push(
                        MessageCatalog.CONFIG_FUZZY_WATCH_CHANGE_NOTIFY_REQUEST,
                        new JsonOutput(128)
                                .text("requestId", "3")
                                .text("groupKey", "app-1+G+public")
                                .text("changeType", "DELETE_CONFIG"));
                await().until(() -> told, List.of("+app-1", "-app-1")::equals);
                assertThat(watch.keys()).isEmpty();
            }
        }
    }

    private static PatternListener recorder(List<String> told) {
        return new PatternListener() {
            @Override
            public void onAdded(ConfigKey key) {
                told.add("+" + key.dataId());
            }

            @Override
            public void onRemoved(ConfigKey key) {
                told.add("-" + key.dataId());
            }
        };
    }

    @Test
    void explainsWhenAServerSupportsNoPatterns() {
        try (FakeServer server = new FakeServer()) {
            server.abilities("{\"supportPersistentInstanceByGrpc\":true}");
            try (CairnClient client = clientOf(server.address()).build();
                    PatternWatch watch =
                            client.configs().watchPattern("*", "*", recorder(new CopyOnWriteArrayList<>()))) {
                assertThatThrownBy(() -> watch.known().get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                        .hasMessageContaining("does not offer watching by pattern");
            }
        }
    }

    private static final String SERVICE =
            "{\"name\":\"s\",\"groupName\":\"DEFAULT_GROUP\",\"clusters\":\"\",\"lastRefTime\":%d,\"hosts\":[%s]}";
    private static final String HOST = "{\"ip\":\"10.0.0.1\",\"port\":80}";

    /** Returns one instance on the first connection and none on later ones. */
    private static void listOnFirstConnectionOnly(FakeServer server) {
        server.answer(
                MessageCatalog.SUBSCRIBE_SERVICE_REQUEST,
                request -> Payload.of(
                        MessageCatalog.SUBSCRIBE_SERVICE_RESPONSE,
                        WireResponse.start(256)
                                .json(
                                        "serviceInfo",
                                        String.format(
                                                SERVICE, 5, server.setups().size() < 2 ? HOST : ""))
                                .flag("success", true)
                                .toBytes()));
    }

    private static CairnClient holdingEmptyLists(FakeServer server, Duration hold) {
        return clientOf(server.address())
                .emptyLists(EmptyLists.HOLD_AFTER_RECONNECT, hold)
                .build();
    }

    @Test
    void holdsAnEmptyListOfANewConnection() {
        try (FakeServer server = new FakeServer();
                CairnClient client = holdingEmptyLists(server, Duration.ofHours(1))) {
            listOnFirstConnectionOnly(server);
            List<Integer> told = new CopyOnWriteArrayList<>();
            try (ServiceWatch watch = client.naming()
                    .subscribe(
                            client.naming().service("s"),
                            change -> told.add(change.now().instances().size()))) {
                await().until(() -> told, List.of(1)::equals);
                server.dropAll();
                await().until(() -> watch.current().orElseThrow().heldBack());
                assertThat(watch.current().map(ServiceView::instances).orElseThrow())
                        .hasSize(1);
                assertThat(told).containsExactly(1);
            }
        }
    }

    @Test
    void acceptsAHeldEmptyListAfterTheHoldingTime() {
        Duration hold = Duration.ofMillis(300);
        try (FakeServer server = new FakeServer();
                CairnClient client = holdingEmptyLists(server, hold)) {
            listOnFirstConnectionOnly(server);
            List<Integer> told = new CopyOnWriteArrayList<>();
            AtomicLong emptyAtNanos = new AtomicLong();
            try (ServiceWatch watch = client.naming().subscribe(client.naming().service("s"), change -> {
                if (change.now().instances().isEmpty()) {
                    emptyAtNanos.set(System.nanoTime());
                }
                told.add(change.now().instances().size());
            })) {
                await().until(() -> told, List.of(1)::equals);
                long droppedAtNanos = System.nanoTime();
                server.dropAll();
                await().until(() -> told, List.of(1, 0)::equals);
                assertThat(Duration.ofNanos(emptyAtNanos.get() - droppedAtNanos))
                        .isGreaterThanOrEqualTo(hold);
                // On the same connection an older list is ignored.
                server.push(
                        MessageCatalog.NOTIFY_SUBSCRIBER_REQUEST,
                        new JsonOutput(256)
                                .text("requestId", "9")
                                .json("serviceInfo", String.format(SERVICE, 4, HOST)));
                awaitReply(server, "9");
                assertThat(watch.current().orElseThrow().instances()).isEmpty();
            }
        }
    }

    private static void awaitReply(FakeServer server, String requestId) {
        await().until(() -> server.replies().stream().anyMatch(reply -> requestId.equals(reply.requestId())));
    }

    @Test
    void drainWaitsForTheWeightOfZeroAtAServerWithoutDrains() throws Exception {
        String list = "{\"name\":\"s\",\"groupName\":\"DEFAULT_GROUP\",\"clusters\":\"\",\"lastRefTime\":%d,"
                + "\"hosts\":[{\"ip\":\"10.0.0.1\",\"port\":1,\"weight\":%d}]}";
        try (FakeServer server = new FakeServer();
                CairnClient client = clientOf(server.address()).build()) {
            server.answer(
                    MessageCatalog.INSTANCE_REQUEST, request -> WireResponse.ok(MessageCatalog.INSTANCE_RESPONSE));
            server.answer(
                    MessageCatalog.SUBSCRIBE_SERVICE_REQUEST,
                    request -> Payload.of(
                            MessageCatalog.SUBSCRIBE_SERVICE_RESPONSE,
                            WireResponse.start(256)
                                    .json("serviceInfo", String.format(list, 1, 1))
                                    .flag("success", true)
                                    .toBytes()));
            Registration registration =
                    client.naming().register(client.naming().service("s"), Instance.of("10.0.0.1", 1));
            CompletableFuture<DrainResult> drained =
                    CompletableFuture.supplyAsync(() -> registration.drain(Duration.ofMinutes(1)));
            await().until(() -> instanceRequests(server, "\"weight\":0") == 1);
            assertThat(drained).isNotDone();
            assertThat(instanceRequests(server, "deregisterInstance")).isZero();

            server.push(
                    MessageCatalog.NOTIFY_SUBSCRIBER_REQUEST,
                    new JsonOutput(256).text("requestId", "9").json("serviceInfo", String.format(list, 2, 0)));

            DrainResult result = drained.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            assertThat(result.byServer()).isFalse();
            assertThat(result.acknowledged()).isFalse();
            assertThat(instanceRequests(server, "deregisterInstance")).isZero();
            registration.close();
            assertThat(instanceRequests(server, "deregisterInstance")).isEqualTo(1);
            assertThatThrownBy(() -> registration.reweigh(1)).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void drainReturnsTheConsumersThatHaveNotAcknowledged() {
        try (FakeServer server = new FakeServer();
                CairnClient client = clientOf(server.address()).build()) {
            server.answer(
                    MessageCatalog.INSTANCE_REQUEST, request -> WireResponse.ok(MessageCatalog.INSTANCE_RESPONSE));
            DrainAnswer.Waiting waiting = new DrainAnswer.Waiting(
                    "xds", "sidecar-1", "10.0.0.9:4711", "shop", "envoy/1.40.0", "10.0.1.1:8848", "bad endpoints");
            server.answer(
                    MessageCatalog.INSTANCE_DRAIN_REQUEST,
                    request -> Payload.of(
                            MessageCatalog.INSTANCE_DRAIN_RESPONSE,
                            new DrainAnswer(new AnswerFields(), false, 3, List.of(waiting), List.of("10.0.1.2:8848"))
                                    .writeTo(WireResponse.start(256))
                                    .flag("success", true)
                                    .toBytes()));
            Registration registration =
                    client.naming().register(client.naming().service("s"), Instance.of("10.0.0.1", 1));

            DrainResult result = registration.drain(Duration.ofMillis(1_500));

            assertThat(result)
                    .isEqualTo(new DrainResult(
                            false,
                            3,
                            List.of(new DrainResult.Waiting(
                                    "xds",
                                    "sidecar-1",
                                    "10.0.0.9:4711",
                                    "shop",
                                    "envoy/1.40.0",
                                    "10.0.1.1:8848",
                                    "bad endpoints")),
                            List.of("10.0.1.2:8848"),
                            true));
            assertThat(result)
                    .hasToString("acknowledged by 3 consumers, not by 1: 10.0.0.9:4711 (xds, shop, envoy/1.40.0,"
                            + " bad endpoints); without an answer: 10.0.1.2:8848");
            assertThat(server.received(MessageCatalog.INSTANCE_DRAIN_REQUEST))
                    .singleElement()
                    .satisfies(request -> {
                        InstanceDrainRequest asked = JsonInput.read(request, InstanceDrainRequest::read);
                        assertThat(asked.waitMillis()).isEqualTo(1_500);
                        assertThat(asked.forMillis()).isEqualTo(300_000);
                        assertThat(asked.force()).isTrue();
                        assertThat(asked.instance().ip()).isEqualTo("10.0.0.1");
                    });
        }
    }

    private static long instanceRequests(FakeServer server, String text) {
        return server.received(MessageCatalog.INSTANCE_REQUEST).stream()
                .filter(request -> request.bodyText().contains(text)
                        && (text.startsWith("dereg") || !request.bodyText().contains("deregisterInstance")))
                .count();
    }

    @Test
    void sendsAllInstancesOfAServiceInOneRequest() {
        try (FakeServer server = new FakeServer();
                CairnClient client = clientOf(server.address()).build()) {
            server.answer(
                    MessageCatalog.INSTANCE_REQUEST, request -> WireResponse.ok(MessageCatalog.INSTANCE_RESPONSE));
            server.answer(
                    MessageCatalog.BATCH_INSTANCE_REQUEST,
                    request -> WireResponse.ok(MessageCatalog.BATCH_INSTANCE_RESPONSE));
            client.naming().register(client.naming().service("s"), Instance.of("10.0.0.1", 1));
            client.naming().register(client.naming().service("s"), Instance.of("10.0.0.1", 2));
            assertThat(server.received(MessageCatalog.INSTANCE_REQUEST)).hasSize(1);
            assertThat(server.received(MessageCatalog.BATCH_INSTANCE_REQUEST))
                    .singleElement()
                    .satisfies(request -> assertThat(request.bodyText()).contains("\"port\":1", "\"port\":2"));
        }
    }

    @Test
    void aConnectFailureNamesAddressPhaseAndCause() throws IOException {
        assertPhase("no-such-host.invalid:8848", Phase.DNS, "no-such-host.invalid");
        try (ServerSocket mute = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            assertPhase("127.0.0.1:" + mute.getLocalPort(), Phase.HTTP2, "speaking HTTP/2");
        }
        try (FakeServer server = new FakeServer()) {
            server.answer(
                    MessageCatalog.SERVER_CHECK_REQUEST,
                    request -> WireResponse.error(300, "Server is starting,please try later."));
            assertPhase(server.address(), Phase.SETUP, "Server is starting");
        }
    }

    private static void assertPhase(String address, Phase phase, String text) {
        try (CairnClient client = clientOf(address)
                .connectTimeout(Duration.ofSeconds(1))
                .startWithoutServer(PATIENCE)
                .build()) {
            ConnectFailure failure = awaitFailure(client, phase);
            assertThat(failure.address().host()).isEqualTo(address.substring(0, address.indexOf(':')));
            assertThat(failure).hasMessageContaining(text);
        }
    }

    /** On a busy machine an attempt may run out of time in another phase first. */
    static ConnectFailure awaitFailure(CairnClient client, Phase phase) {
        return (ConnectFailure) await().until(
                        () -> client.problem().orElse(null),
                        seen -> seen instanceof ConnectFailure failure && failure.phase() == phase);
    }
}
