package io.cairn.server.mysql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.api.config.ContentDigest;
import io.cairn.server.CairnServer;
import io.cairn.server.change.CatchUp;
import io.cairn.server.support.WireClient;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/**
 * Listeners that come from a node with newer contents. The server that they come to learns of changes of the other one by nothing but
 * the listens: it has no group, and its heartbeat is an hour long.
 */
@Tag("full")
@Tag("mysql")
class ListensAtNodeBehindIT {

    private static final int ROUNDS = 10;
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    @TempDir
    static Path folder;

    private static TestSchema schema;
    private static CairnServer ahead;
    private static CairnServer behind;

    @BeforeAll
    static void start() {
        schema = TestSchema.create(ListensAtNodeBehindIT.class);
        ahead = start("ahead");
        behind = start("behind");
    }

    @AfterAll
    static void stop() {
        schema.closeAfter(behind, ahead);
    }

    private static CairnServer start(String name) {
        return schema.serverAt(folder.resolve(name))
                .setting("cairn.database.heartbeat", "1h")
                .setting("cairn.database.compare-interval", "1h")
                .start();
    }

    private static HttpRequest.Builder request(CairnServer server, String path) {
        return HttpRequest.newBuilder(URI.create("http://" + server.address() + "/nacos" + path));
    }

    private static HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
        HttpResponse<String> answer = HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString());
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return answer;
    }

    private static void publish(String dataId, String content) throws Exception {
        send(request(ahead, "/v1/cs/configs?group=DEFAULT_GROUP&dataId=" + dataId + "&content=" + content)
                .POST(HttpRequest.BodyPublishers.noBody()));
    }

    private static String read(String dataId) throws Exception {
        return send(request(behind, "/v1/cs/configs?group=DEFAULT_GROUP&dataId=" + dataId))
                .body();
    }

    private static JsonNode listen(String dataId, String content) {
        return inTime(() -> {
            try (WireClient client =
                    WireClient.connect("127.0.0.1", behind.grpcPort()).setUp()) {
                return client.listen(dataId, ContentDigest.of(content).toString());
            }
        });
    }

    /** On a busy machine the database may not answer in the time for which a listen waits; then it is repeated. */
    private static <T> T inTime(Callable<T> listen) {
        return await().until(
                        () -> {
                            long begun = System.nanoTime();
                            T answer = listen.call();
                            return System.nanoTime() - begun < CatchUp.WITHIN.toNanos()
                                    ? Optional.of(answer)
                                    : Optional.<T>empty();
                        },
                        Optional::isPresent)
                .orElseThrow();
    }

    @Test
    void aListenOfAClientThatIsAheadIsNotAnsweredWithTheContentBefore() throws Exception {
        for (int round = 0; round < ROUNDS; round++) {
            String content = "content-" + round;
            publish("grpc", content);

            assertThat(listen("grpc", content).path("changedConfigs"))
                    .as(content)
                    .isEmpty();
            assertThat(read("grpc")).isEqualTo(content);
        }
    }

    @Test
    void aListenOfAClientThatIsBehindIsAnsweredWithTheNewestContent() throws Exception {
        publish("old", "1");
        publish("old", "2");

        assertThat(listen("old", "1").path("changedConfigs")).hasSize(1);
        assertThat(read("old")).isEqualTo("2");
    }

    @Test
    void aLongPollOfAClientThatIsAheadIsNotAnsweredWithTheContentBefore() throws Exception {
        for (int round = 0; round < ROUNDS; round++) {
            String content = "content-" + round;
            publish("polled", content);

            assertThat(poll("polled", content)).as(content).isEmpty();
            assertThat(read("polled")).isEqualTo(content);
        }
        assertThat(poll("polled", "content-0")).startsWith("polled");
    }

    /** Answered at once, whether anything has changed or not. */
    private static String poll(String dataId, String content) {
        String listening = dataId + (char) 2 + "DEFAULT_GROUP" + (char) 2 + ContentDigest.of(content) + (char) 1;
        return inTime(() -> send(request(behind, "/v1/cs/configs/listener")
                        .header("Long-Pulling-Timeout", "30000")
                        .header("Long-Pulling-Timeout-No-Hangup", "true")
                        .header("Content-Type", "application/x-www-form-urlencoded")
                        .POST(HttpRequest.BodyPublishers.ofString(
                                "Listening-Configs=" + URLEncoder.encode(listening, StandardCharsets.UTF_8))))
                .body());
    }
}
