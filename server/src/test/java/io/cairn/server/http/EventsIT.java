package io.cairn.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.api.config.ContentDigest;
import io.cairn.server.support.CairnExtension;
import io.cairn.server.support.WireClient;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class EventsIT {

    @RegisterExtension
    static final CairnExtension cairn =
            CairnExtension.temporary().timed(timings -> timings.withEventHeartbeat(Duration.ofMillis(300)));

    /** A stream that is read as it comes. */
    private static final class Events implements AutoCloseable {

        private final List<String> lines = new CopyOnWriteArrayList<>();
        private final InputStream body;

        Events(String query) throws Exception {
            HttpResponse<InputStream> answer = cairn.http()
                    .send(
                            HttpRequest.newBuilder(cairn.uri("/v3/admin/core/events" + query))
                                    .build(),
                            HttpResponse.BodyHandlers.ofInputStream());
            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(answer.headers().firstValue("Content-Type").orElse("")).startsWith("text/event-stream");
            body = answer.body();
            Thread reader = new Thread(this::read, "events-reader");
            reader.setDaemon(true);
            reader.start();
            await("event: hello");
        }

        private void read() {
            try (BufferedReader reader = new BufferedReader(new InputStreamReader(body, StandardCharsets.UTF_8))) {
                reader.lines().forEach(lines::add);
            } catch (IOException | UncheckedIOException e) {
                lines.add("closed");
            }
        }

        void await(String line) {
            Awaitility.await().until(() -> lines.contains(line));
        }

        @Override
        public void close() throws IOException {
            body.close();
        }
    }

    private static void publish(String namespace, String group, String dataId) {
        assertThat(cairn.post(
                                "/v3/admin/cs/config",
                                Map.of("namespaceId", namespace, "dataId", dataId, "groupName", group, "content", "a"))
                        .statusCode())
                .isEqualTo(200);
    }

    @Test
    void sendsTheEventsOfTheNamespace() throws Exception {
        try (Events events = new Events("?namespaceId=public")) {
            publish("elsewhere", "G", "hidden");
            publish("public", "G", "seen");
            events.await("data: {\"namespaceId\":\"public\",\"groupName\":\"G\",\"dataId\":\"seen\"}");
            cairn.post("/v3/admin/ns/instance", Map.of("serviceName", "s", "ip", "10.0.0.1", "port", "80"));
            events.await("data: {\"namespaceId\":\"public\",\"groupName\":\"DEFAULT_GROUP\",\"serviceName\":\"s\"}");
            try (WireClient client = cairn.newClient()) {
                events.await("event: connections");
            }
            assertThat(events.lines).noneMatch(line -> line.contains("hidden"));
        }
    }

    @Test
    void sendsListenersOfTheRequestedConfiguration() throws Exception {
        publish("public", "DEFAULT_GROUP", "listened");
        try (Events events = new Events("?dataId=listened&groupName=DEFAULT_GROUP");
                WireClient client = cairn.newClient()) {
            client.listen("another", "");
            client.listen("listened", "");
            events.await("event: listeners");
            events.await("data: {\"namespaceId\":\"public\",\"groupName\":\"DEFAULT_GROUP\",\"dataId\":\"listened\"}");
            assertThat(events.lines).noneMatch(line -> line.contains("another"));
        }
    }

    @Test
    void includesClientsThatPoll() throws Exception {
        publish("public", "DEFAULT_GROUP", "polled");
        try (Events events = new Events("?dataId=polled&groupName=DEFAULT_GROUP")) {
            String record = "polled\u0002DEFAULT_GROUP\u0002"
                    + ContentDigest.of(cairn.get("/v1/cs/configs?dataId=polled&group=DEFAULT_GROUP")
                            .body())
                    + '\u0001';
            CompletableFuture<HttpResponse<String>> poll = cairn.http()
                    .sendAsync(
                            HttpRequest.newBuilder(cairn.uri("/v1/cs/configs/listener"))
                                    .header("Content-Type", "application/x-www-form-urlencoded")
                                    .header("Long-Pulling-Timeout", "30000")
                                    .POST(HttpRequest.BodyPublishers.ofString(
                                            CairnExtension.encode(Map.of("Listening-Configs", record))))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString());
            events.await("event: listeners");
            assertThat(cairn.get("/v3/admin/cs/config/watchers?dataId=polled&groupName=DEFAULT_GROUP")
                            .body())
                    .contains("\"current\":true");
            assertThat(poll).isNotDone();
        }
    }

    @Test
    void aHeartbeatComesWhenNothingHappens() throws Exception {
        try (Events events = new Events("?namespaceId=quiet")) {
            Awaitility.await()
                    .until(() ->
                            events.lines.stream().filter(": still here"::equals).count() >= 3);
            publish("quiet", "G", "after-heartbeats");
            events.await("data: {\"namespaceId\":\"quiet\",\"groupName\":\"G\",\"dataId\":\"after-heartbeats\"}");
        }
    }
}
