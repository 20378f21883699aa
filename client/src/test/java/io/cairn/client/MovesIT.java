package io.cairn.client;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import io.cairn.api.config.ContentDigest;
import io.cairn.api.naming.Instance;
import io.cairn.api.wire.JsonInput;
import io.cairn.api.wire.JsonOutput;
import io.cairn.api.wire.MessageCatalog;
import io.cairn.api.wire.Payload;
import io.cairn.api.wire.RevisionHeaders;
import io.cairn.api.wire.WireResponse;
import io.cairn.api.wire.config.ConfigBatchListenRequest;
import io.cairn.client.config.ConfigWatch;
import io.cairn.client.naming.Registration;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Moves from server to server at a server's request, and where the client learns of servers. */
class MovesIT {

    private static final String CHANGED = "[{\"dataId\":\"a\",\"group\":\"DEFAULT_GROUP\",\"tenant\":\"\"}]";

    private final FakeServer one = new FakeServer();
    private final FakeServer two = new FakeServer();

    @AfterEach
    void stop() {
        one.close();
        two.close();
    }

    private static ClientBuilder builder() {
        return CairnClient.builder()
                .grpcPortOffset(0)
                .noSnapshots()
                .requestTimeout(PATIENCE)
                .failFast(PATIENCE);
    }

    private FakeServer used(CairnClient client) {
        return client.server().orElseThrow().port() == one.port() ? one : two;
    }

    private FakeServer other(FakeServer server) {
        return server == one ? two : one;
    }

    private static void askToMove(FakeServer from, FakeServer to) {
        from.push(
                MessageCatalog.CONNECT_RESET_REQUEST,
                new JsonOutput(64)
                        .text("requestId", "7")
                        .text("serverIp", "127.0.0.1")
                        .text("serverPort", Integer.toString(to.port())));
    }

    private static Payload accepted() {
        return WireResponse.ok(MessageCatalog.INSTANCE_RESPONSE);
    }

    private static void register(CairnClient client, String service) {
        client.naming().register(client.naming().service(service), Instance.of("10.0.0.1", 80));
    }

    private static List<String> registrations(FakeServer server) {
        return server.received(MessageCatalog.INSTANCE_REQUEST).stream()
                .map(Payload::bodyText)
                .toList();
    }

    @Test
    void theOldConnectionStaysUntilTheNewServerHasEveryRegistration() {
        one.answer(MessageCatalog.INSTANCE_REQUEST, request -> accepted());
        two.answer(MessageCatalog.INSTANCE_REQUEST, request -> accepted());
        try (CairnClient client =
                builder().servers(one.address(), two.address()).build()) {
            register(client, "s");
            FakeServer from = used(client);
            FakeServer to = other(from);
            AtomicInteger attempts = new AtomicInteger();
            AtomicInteger oldConnections = new AtomicInteger(-1);
            to.answer(MessageCatalog.INSTANCE_REQUEST, request -> {
                if (attempts.incrementAndGet() < 2) {
                    return WireResponse.failed(MessageCatalog.INSTANCE_RESPONSE, 500, "not yet", null);
                }
                oldConnections.set(from.connections());
                return accepted();
            });

            askToMove(from, to);

            await().until(() -> oldConnections.get() >= 0);
            assertThat(oldConnections)
                    .as("of the old server, when the new one had everything")
                    .hasValue(1);
            await().until(() -> from.connections() == 0);
            assertThat(to.connections()).isEqualTo(1);
            assertThat(used(client)).isEqualTo(to);
        }
    }

    @Test
    void deregistersAtBothServersDuringAMove() {
        one.answer(MessageCatalog.INSTANCE_REQUEST, request -> accepted());
        two.answer(MessageCatalog.INSTANCE_REQUEST, request -> accepted());
        AtomicBoolean open = new AtomicBoolean();
        try (CairnClient client =
                builder().servers(one.address(), two.address()).build()) {
            Registration gone = client.naming().register(client.naming().service("gone"), Instance.of("10.0.0.1", 80));
            register(client, "stays");
            FakeServer from = used(client);
            FakeServer to = other(from);
            // As long as this is refused, the move is not complete.
            to.answer(
                    MessageCatalog.INSTANCE_REQUEST,
                    request -> request.bodyText().contains("stays") && !open.get()
                            ? WireResponse.failed(MessageCatalog.INSTANCE_RESPONSE, 500, "not yet", null)
                            : accepted());
            askToMove(from, to);
            await().until(() -> registrations(to).stream().anyMatch(text -> text.contains("\"gone\"")));

            gone.close();

            for (FakeServer each : List.of(from, to)) {
                await().until(() -> registrations(each).stream()
                        .anyMatch(text -> text.contains("\"gone\"") && text.contains("deregisterInstance")));
            }
            assertThat(registrations(from))
                    .as("what stays is not registered there again")
                    .filteredOn(text -> text.contains("stays"))
                    .hasSize(1);
            open.set(true);
            await().until(() -> from.connections() == 0);
        }
    }

    @Test
    void aSecondMoveWaitsForTheFirst() {
        try (FakeServer three = new FakeServer();
                CairnClient client = builder()
                        .servers(one.address(), two.address(), three.address())
                        .connectTimeout(PATIENCE)
                        .build()) {
            List<FakeServer> all = List.of(one, two, three);
            int port = client.server().orElseThrow().port();
            FakeServer from = all.stream()
                    .filter(server -> server.port() == port)
                    .findFirst()
                    .orElseThrow();
            List<FakeServer> others =
                    all.stream().filter(server -> server != from).toList();

            // The second move begins with this question, and is held up here until the first is over.
            others.get(1).answer(MessageCatalog.SERVER_CHECK_REQUEST, request -> {
                await().until(() -> from.connections() == 0);
                return FakeServer.checked();
            });

            askToMove(from, others.get(0));
            await().until(() -> others.get(0).connections() == 1);
            askToMove(others.get(0), others.get(1));

            await().until(() ->
                    client.server().orElseThrow().port() == others.get(1).port());
            await().until(() -> others.get(0).connections() == 0);
            assertThat(others.get(1).connections()).isEqualTo(1);
        }
    }

    /** Compares as a node does that shows what is given here. */
    private static void serve(FakeServer server, AtomicLong revision, String old, String now, long newFrom) {
        server.answer(MessageCatalog.CONFIG_QUERY_REQUEST, request -> {
            String text = revision.get() >= newFrom ? now : old;
            return Payload.of(
                            MessageCatalog.CONFIG_QUERY_RESPONSE,
                            WireResponse.start(64)
                                    .text("content", text)
                                    .flag("success", true)
                                    .toBytes())
                    .with(RevisionHeaders.REVISION, revision.toString());
        });
        server.answer(MessageCatalog.CONFIG_BATCH_LISTEN_REQUEST, request -> {
            String text = revision.get() >= newFrom ? now : old;
            String md5 = ContentDigest.of(text).toString();
            boolean same = JsonInput.read(request, ConfigBatchListenRequest::read).contexts().stream()
                    .allMatch(context -> md5.equals(context.md5()));
            return Payload.of(
                            MessageCatalog.CONFIG_CHANGE_BATCH_LISTEN_RESPONSE,
                            WireResponse.start(64)
                                    .json("changedConfigs", same ? "[]" : CHANGED)
                                    .flag("success", true)
                                    .toBytes())
                    .with(RevisionHeaders.REVISION, revision.toString());
        });
    }

    @Test
    void readsNoOlderContentAfterAMoveToAServerThatIsBehind() {
        AtomicLong revisionOfOne = new AtomicLong(42);
        AtomicLong revisionOfTwo = new AtomicLong(42);
        serve(one, revisionOfOne, "old", "new", 42);
        serve(two, revisionOfTwo, "old", "new", 42);
        try (CairnClient client =
                builder().servers(one.address(), two.address()).build()) {
            List<String> told = new CopyOnWriteArrayList<>();
            try (ConfigWatch watch =
                    client.configs().watch(client.configs().key("a"), content -> told.add(content.text()))) {
                await().until(() -> told, List.of("new")::equals);
                FakeServer from = used(client);
                FakeServer to = other(from);
                AtomicLong revision = to == one ? revisionOfOne : revisionOfTwo;
                await().until(() -> !from.received(MessageCatalog.CONFIG_BATCH_LISTEN_REQUEST).stream()
                        .filter(request -> "42".equals(request.header(RevisionHeaders.MIN_REVISION)))
                        .toList()
                        .isEmpty());
                revision.set(41);

                askToMove(from, to);

                // Asked twice by the watch, and it has not believed it.
                await().until(() ->
                        to.received(MessageCatalog.CONFIG_BATCH_LISTEN_REQUEST).size() >= 2);
                var read = client.configs().getAsync(client.configs().key("a"));
                await().until(() ->
                        !to.received(MessageCatalog.CONFIG_QUERY_REQUEST).isEmpty());
                revision.set(42);
                assertThat(read.join()).hasValueSatisfying(content -> assertThat(content.text())
                        .isEqualTo("new"));
                await().until(() -> from.connections() == 0);
                assertThat(told).containsExactly("new");
                assertThat(watch.current()).isPresent();
            }
        }
    }

    @Test
    void theServersOfAnAddressServerAreUsedAndAskedForAgainWhenTheyAreGone() throws IOException {
        HttpServer list = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        AtomicInteger asked = new AtomicInteger();
        list.createContext("/nacos/serverlist", exchange -> {
            byte[] body = (asked.incrementAndGet() == 1 ? one : two).address().getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        list.start();
        try (CairnClient client = builder()
                .addressServers("http://127.0.0.1:" + list.getAddress().getPort())
                .build()) {
            assertThat(client.server().orElseThrow().port()).isEqualTo(one.port());
            assertThat(client.servers()).hasSize(1);

            one.close();

            await().until(() -> client.connected()
                    && client.server().map(server -> server.port()).orElse(0) == two.port());
            assertThat(client.servers()).extracting(server -> server.port()).containsExactly(two.port());
        } finally {
            list.stop(0);
        }
    }
}
