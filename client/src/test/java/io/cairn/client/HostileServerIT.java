package io.cairn.client;

import static io.cairn.client.FakeServer.clientOf;
import static io.cairn.client.FakeServer.content;
import static io.cairn.client.FakeServer.listening;
import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import io.cairn.api.config.ContentDigest;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.wire.JsonInput;
import io.cairn.api.wire.JsonOutput;
import io.cairn.api.wire.MessageCatalog;
import io.cairn.api.wire.Payload;
import io.cairn.api.wire.WireResponse;
import io.cairn.api.wire.config.ConfigBatchListenRequest;
import io.cairn.client.config.ConfigContent;
import io.cairn.client.config.ConfigWatch;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/**
 * Servers that refuse requests, send malformed responses or lose state, and a client that is closed during its work.
 */
class HostileServerIT {

    @Test
    void aClosedClientReportsThatItIsClosedEvenIfItWasNeverConnected() {
        CairnClient client =
                clientOf("127.0.0.1:1").startWithoutServer(PATIENCE).build();
        client.close();
        assertThatThrownBy(() -> client.configs().get(client.configs().key("a")))
                .isInstanceOfSatisfying(
                        CairnException.class, over -> assertThat(over.code()).isEqualTo(ErrorCode.UNAVAILABLE))
                .hasMessageContaining("closed");
    }

    @Test
    void anUnreadableResponseFailsItsRequest() {
        try (FakeServer server = new FakeServer();
                CairnClient client = clientOf(server.address()).build()) {
            server.answer(
                    MessageCatalog.CONFIG_QUERY_REQUEST,
                    request -> Payload.of(
                            MessageCatalog.CONFIG_QUERY_RESPONSE,
                            "{\"resultCode\":[".getBytes(StandardCharsets.UTF_8)));
            assertThatThrownBy(() -> client.configs().get(client.configs().key("a")))
                    .isInstanceOf(CairnException.class)
                    .hasMessageContaining("cannot be read");
        }
    }

    @Test
    void aContinuationMayNotBlockTheTimeoutThread() throws Exception {
        try (CairnClient client = clientOf("127.0.0.1:1")
                .requestTimeout(Duration.ofMillis(300))
                .startWithoutServer(PATIENCE)
                .build()) {
            String said = client.configs()
                    .getAsync(client.configs().key("a"))
                    .handle((content, failure) -> {
                        try {
                            client.configs().get(client.configs().key("b"));
                            return "waited";
                        } catch (IllegalStateException e) {
                            return e.getMessage();
                        }
                    })
                    .get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            assertThat(said).contains("use the Async methods");
            // The thread still times out other requests.
            assertThatThrownBy(() -> client.configs().get(client.configs().key("c")))
                    .isInstanceOf(CairnException.class);
        }
    }

    @Test
    void watchesOtherKeysWhenOneIsForbidden() {
        try (FakeServer server = new FakeServer();
                CairnClient client = clientOf(server.address()).build()) {
            server.answer(MessageCatalog.CONFIG_QUERY_REQUEST, request -> content("x"));
            server.answer(MessageCatalog.CONFIG_BATCH_LISTEN_REQUEST, request -> {
                var contexts =
                        JsonInput.read(request, ConfigBatchListenRequest::read).contexts();
                if (contexts.stream().anyMatch(context -> "secret".equals(context.dataId()))) {
                    return WireResponse.failed(
                            MessageCatalog.CONFIG_CHANGE_BATCH_LISTEN_RESPONSE, 403, "authorization failed!", null);
                }
                StringBuilder changed = new StringBuilder();
                contexts.stream()
                        .filter(context -> !ContentDigest.of("x").toString().equals(context.md5()))
                        .forEach(context -> changed.append(changed.isEmpty() ? "" : ",")
                                .append("{\"dataId\":\"" + context.dataId()
                                        + "\",\"group\":\"DEFAULT_GROUP\",\"tenant\":\"\"}"));
                return listening("[" + changed + "]");
            });
            List<String> told = new CopyOnWriteArrayList<>();
            List<ConfigWatch> watches = new ArrayList<>();
            for (String dataId : List.of("a", "b", "secret", "c", "d")) {
                watches.add(client.configs()
                        .watch(
                                client.configs().key(dataId),
                                content -> told.add(content.key().dataId())));
            }
            await().untilAsserted(() -> assertThat(told).containsExactlyInAnyOrder("a", "b", "c", "d"));
            assertThatThrownBy(() -> watches.get(2).known().get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .hasMessageContaining("403 authorization failed!");
            watches.forEach(ConfigWatch::close);
        }
    }

    @Test
    void renewsTheTokenOfAnIdleClientAndKeepsWatchesAfterARefusedToken() throws Exception {
        AtomicInteger logins = new AtomicInteger();
        HttpServer http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        http.createContext("/nacos/v3/auth/user/login", exchange -> {
            byte[] body = ("{\"accessToken\":\"t" + logins.incrementAndGet() + "\",\"tokenTtl\":2}")
                    .getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        http.start();
        int port = http.getAddress().getPort();
        try (FakeServer server = new FakeServer();
                CairnClient client = CairnClient.builder()
                        .servers("127.0.0.1:" + port)
                        .grpcPortOffset(server.port() - port)
                        .credentials("ann", "secret")
                        .noSnapshots()
                        .requestTimeout(PATIENCE)
                        .failFast(PATIENCE)
                        .build()) {
            await().until(() -> logins.get() >= 3);

            AtomicReference<String> wanted = new AtomicReference<>("");
            server.answer(MessageCatalog.CONFIG_QUERY_REQUEST, request -> content("x"));
            server.answer(MessageCatalog.CONFIG_BATCH_LISTEN_REQUEST, request -> {
                // Refuses the first token, as a server does that has a new secret.
                wanted.compareAndSet("", String.valueOf(request.header("accessToken")));
                if (wanted.get().equals(request.header("accessToken"))) {
                    return WireResponse.failed(
                            MessageCatalog.CONFIG_CHANGE_BATCH_LISTEN_RESPONSE, 403, "token invalid!", null);
                }
                return listening("[{\"dataId\":\"a\",\"group\":\"DEFAULT_GROUP\",\"tenant\":\"\"}]");
            });
            List<String> told = new CopyOnWriteArrayList<>();
            try (ConfigWatch watch =
                    client.configs().watch(client.configs().key("a"), content -> told.add(content.text()))) {
                await().until(() -> told, List.of("x")::equals);
                assertThat(watch.current()).map(ConfigContent::text).contains("x");
            }
        } finally {
            http.stop(0);
        }
    }

    @Test
    void failsOverDuringPushesAndReportsTheNewestContent() {
        try (FakeServer one = new FakeServer();
                FakeServer two = new FakeServer();
                CairnClient client = clientOf(one.address(), two.address()).build()) {
            AtomicReference<String> text = new AtomicReference<>("0");
            for (FakeServer server : List.of(one, two)) {
                serve(server, text);
            }
            boolean onOne = client.server().orElseThrow().port() == one.port();
            FakeServer used = onOne ? one : two;
            FakeServer left = onOne ? two : one;
            List<Integer> told = new CopyOnWriteArrayList<>();
            try (ConfigWatch watch = client.configs()
                    .watch(client.configs().key("a"), content -> told.add(Integer.valueOf(content.text())))) {
                await().until(() -> !told.isEmpty());
                for (int i = 1; i <= 200; i++) {
                    text.set(Integer.toString(i));
                    if (i < 100) {
                        used.push(MessageCatalog.CONFIG_CHANGE_NOTIFY_REQUEST, changed(i));
                    } else if (i == 100) {
                        used.close();
                    }
                }
                await().until(() -> told.get(told.size() - 1) == 200);
                assertThat(client.server().orElseThrow().port()).isEqualTo(left.port());
                assertThat(told).isSorted();
                assertThat(watch.current()).map(ConfigContent::text).contains("200");
            }
        }
    }

    private static void serve(FakeServer server, AtomicReference<String> text) {
        server.answer(MessageCatalog.CONFIG_QUERY_REQUEST, request -> content(text.get()));
        server.answer(MessageCatalog.CONFIG_BATCH_LISTEN_REQUEST, request -> {
            String md5 = ContentDigest.of(text.get()).toString();
            boolean same = JsonInput.read(request, ConfigBatchListenRequest::read).contexts().stream()
                    .allMatch(context -> md5.equals(context.md5()));
            return listening(same ? "[]" : "[{\"dataId\":\"a\",\"group\":\"DEFAULT_GROUP\",\"tenant\":\"\"}]");
        });
    }

    @Test
    void aListenerOnADirectExecutorMayWatchAndClose() {
        try (FakeServer server = new FakeServer();
                CairnClient client = clientOf(server.address()).build()) {
            serve(server, new AtomicReference<>("x"));
            try (ConfigWatch first = client.configs().watch(client.configs().key("a"), content -> {})) {
                await().until(() -> first.current().isPresent());
                List<String> told = new CopyOnWriteArrayList<>();
                ConfigWatch second = client.configs()
                        .watch(
                                client.configs().key("a"),
                                content -> client.configs()
                                        .watch(
                                                client.configs().key("a"),
                                                inner -> told.add(inner.text()),
                                                Runnable::run)
                                        .close(),
                                Runnable::run);
                assertThat(told).containsExactly("x");
                second.close();
            }
        }
    }

    private static JsonOutput changed(int number) {
        return new JsonOutput(64)
                .text("requestId", Integer.toString(number))
                .text("dataId", "a")
                .text("group", "DEFAULT_GROUP");
    }

    @Test
    void closeEndsRunningRequestsAndPushesAndLeavesNoThread() throws Exception {
        ExecutorService callers = Executors.newFixedThreadPool(4);
        try (FakeServer server = new FakeServer()) {
            AtomicReference<String> text = new AtomicReference<>("0");
            serve(server, text);
            for (int round = 0; round < 5; round++) {
                String name = "busy" + round;
                CairnClient client = clientOf(server.address()).name(name).build();
                client.configs().watch(client.configs().key("a"), content -> {});
                AtomicInteger served = new AtomicInteger();
                List<java.util.concurrent.Future<String>> ends = new ArrayList<>();
                for (int i = 0; i < 4; i++) {
                    ends.add(callers.submit(() -> {
                        while (true) {
                            try {
                                client.configs().get(client.configs().key("a"));
                                served.incrementAndGet();
                            } catch (CairnException e) {
                                return e.getMessage();
                            }
                        }
                    }));
                }
                await().until(() -> served.get() > 50);
                for (int i = 0; i < 50; i++) {
                    text.set(round + "-" + i);
                    server.push(MessageCatalog.CONFIG_CHANGE_NOTIFY_REQUEST, changed(i));
                }
                client.close();
                for (java.util.concurrent.Future<String> end : ends) {
                    assertThat(end.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).contains("closed");
                }
                await().untilAsserted(
                                () -> assertThat(Thread.getAllStackTraces().keySet())
                                        .extracting(Thread::getName)
                                        .noneMatch(thread -> thread.startsWith(name)));
            }
        } finally {
            callers.shutdownNow();
        }
    }
}
