package io.cairn.server.storm;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.api.config.ContentDigest;
import io.cairn.server.support.CairnExtension;
import io.cairn.server.support.WireClient;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;

/** An acknowledged write is what every read sees from then on, over every edge and by every client. */
class ReadYourWritesIT {

    private static final int WRITERS = 8;
    private static final int ROUNDS = 60;

    @RegisterExtension
    static final CairnExtension cairn = CairnExtension.temporary();

    @Test
    void everyReaderSeesAPublishOrRemovalAtOnce() throws Exception {
        try (WireClient reader = cairn.newClient()) {
            inParallel(writer -> () -> {
                try (WireClient own = cairn.newClient()) {
                    String dataId = "own-" + writer;
                    for (int round = 0; round < ROUNDS; round++) {
                        String content = "content " + round + " of " + writer;
                        publish(own, dataId, content, overHttp(writer, round));
                        assertSeen(List.of(own, reader), dataId, content);
                        if (round % 5 == 4) {
                            remove(own, dataId, overHttp(writer, round));
                            assertGone(List.of(own, reader), dataId);
                        }
                    }
                }
                return null;
            });
        }
    }

    @Test
    void concurrentIncrementsLoseNothingAndNoWriterReadsAnOlderNumber() throws Exception {
        cairn.post("/v1/cs/configs", Map.of("dataId", "counter", "group", "DEFAULT_GROUP", "content", "0"));
        int increments = 40;

        inParallel(writer -> () -> {
            try (WireClient own = cairn.newClient()) {
                for (int done = 0; done < increments; ) {
                    long seen =
                            Long.parseLong(own.query("counter").path("content").asString());
                    if (replace(own, seen, overHttp(writer, done))) {
                        done++;
                        assertThat(Long.parseLong(
                                        own.query("counter").path("content").asString()))
                                .isGreaterThan(seen);
                        assertThat(Long.parseLong(get("counter").body())).isGreaterThan(seen);
                    }
                }
            }
            return null;
        });

        assertThat(get("counter").body()).isEqualTo(Integer.toString(WRITERS * increments));
    }

    private static boolean overHttp(int writer, int round) {
        return (writer + round) % 2 == 0;
    }

    private static void publish(WireClient client, String dataId, String content, boolean overHttp) {
        if (overHttp) {
            assertThat(cairn.post(
                                    "/v1/cs/configs",
                                    Map.of("dataId", dataId, "group", "DEFAULT_GROUP", "content", content))
                            .body())
                    .isEqualTo("true");
        } else {
            assertThat(client.publish(dataId, content).path("success").asBoolean())
                    .isTrue();
        }
    }

    private static void remove(WireClient client, String dataId, boolean overHttp) {
        if (overHttp) {
            assertThat(cairn.delete("/v1/cs/configs?dataId=" + dataId + "&group=DEFAULT_GROUP")
                            .body())
                    .isEqualTo("true");
        } else {
            assertThat(client.remove(dataId).path("success").asBoolean()).isTrue();
        }
    }

    private static boolean replace(WireClient client, long number, boolean overHttp) {
        String expected = md5(Long.toString(number));
        String content = Long.toString(number + 1);
        if (overHttp) {
            return cairn.post(
                            "/v1/cs/configs",
                            Map.of("dataId", "counter", "group", "DEFAULT_GROUP", "content", content),
                            "casMd5",
                            expected)
                    .body()
                    .equals("true");
        }
        return client.request(
                        "ConfigPublishRequest",
                        "{\"dataId\":\"counter\",\"group\":\"DEFAULT_GROUP\",\"content\":\"" + content
                                + "\",\"casMd5\":\"" + expected + "\"}")
                .path("success")
                .asBoolean();
    }

    private static void assertSeen(List<WireClient> clients, String dataId, String content) {
        String md5 = md5(content);
        for (WireClient client : clients) {
            JsonNode answer = client.query(dataId);
            assertThat(answer.path("content").asString()).isEqualTo(content);
            assertThat(answer.path("md5").asString()).isEqualTo(md5);
            assertThat(client.listen(dataId, md5).path("changedConfigs").size()).isZero();
            assertThat(client.listen(dataId, md5("older"))
                            .path("changedConfigs")
                            .size())
                    .isOne();
        }
        HttpResponse<String> answer = get(dataId);
        assertThat(answer.body()).isEqualTo(content);
        assertThat(answer.headers().firstValue("Content-MD5")).hasValue(md5);
        assertThat(poll(dataId, md5)).isEmpty();
        assertThat(poll(dataId, md5("older"))).startsWith(dataId + "%02");
    }

    private static void assertGone(List<WireClient> clients, String dataId) {
        for (WireClient client : clients) {
            assertThat(client.query(dataId).path("errorCode").asInt()).isEqualTo(300);
            assertThat(client.listen(dataId, "").path("changedConfigs").size()).isZero();
            assertThat(client.listen(dataId, md5("older"))
                            .path("changedConfigs")
                            .size())
                    .isOne();
        }
        assertThat(get(dataId).statusCode()).isEqualTo(404);
        assertThat(poll(dataId, "")).isEmpty();
        assertThat(poll(dataId, md5("older"))).startsWith(dataId + "%02");
    }

    private static HttpResponse<String> get(String dataId) {
        return cairn.get("/v1/cs/configs?dataId=" + dataId + "&group=DEFAULT_GROUP");
    }

    /** A long poll that does not wait. */
    private static String poll(String dataId, String md5) {
        return cairn.post(
                        "/v1/cs/configs/listener",
                        Map.of("Listening-Configs", dataId + "\u0002DEFAULT_GROUP\u0002" + md5 + '\u0001'),
                        "Long-Pulling-Timeout",
                        "30000",
                        "Long-Pulling-Timeout-No-Hangup",
                        "true")
                .body();
    }

    private static String md5(String content) {
        return ContentDigest.of(content).toString();
    }

    private static void inParallel(IntFunction<Callable<Void>> task) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(WRITERS);
        try {
            List<Callable<Void>> tasks = new ArrayList<>();
            for (int writer = 0; writer < WRITERS; writer++) {
                tasks.add(task.apply(writer));
            }
            for (Future<Void> done :
                    pool.invokeAll(tasks, PATIENCE.multipliedBy(2).toSeconds(), TimeUnit.SECONDS)) {
                done.get();
            }
        } finally {
            pool.shutdownNow();
        }
    }
}
