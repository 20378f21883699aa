package io.cairn.server.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.api.config.ContentDigest;
import io.cairn.api.wire.Payload;
import io.cairn.server.support.CairnExtension;
import io.cairn.server.support.WireClient;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class ConfigOverGrpcIT {

    private static final Duration LATE_LISTENERS_PAUSE = Duration.ofSeconds(1);

    @RegisterExtension
    static final CairnExtension cairn =
            CairnExtension.temporary().timed(timings -> timings.withLateListenersPause(LATE_LISTENERS_PAUSE));

    @RegisterExtension
    static final CairnExtension uncached = CairnExtension.temporary().with("cairn.config.cache", "1B");

    @Test
    void notifiesAListenerOfAPublishByAnotherClient() {
        try (WireClient reader = cairn.newClient();
                WireClient writer = cairn.newClient()) {
            assertThat(reader.listen("push.yaml", "").path("changedConfigs").size())
                    .isZero();

            assertThat(writer.publish("push.yaml", "a: 1").path("success").asBoolean())
                    .isTrue();

            Payload push = reader.nextPush();
            assertThat(push.type()).isEqualTo("ConfigChangeNotifyRequest");
            JsonNode body = WireClient.tree(push);
            assertThat(body.path("dataId").asString()).isEqualTo("push.yaml");
            assertThat(body.has("tenant")).isFalse();
            assertThat(reader.query("push.yaml").path("content").asString()).isEqualTo("a: 1");
        }
    }

    @Test
    void repeatsThePushToAClientThatAcknowledgedButDidNotFetch() {
        int attempt = 1;
        while (!seesThatOnlyTheLateAreToldAgain("lost-" + attempt + ".yaml")) {
            assertThat(attempt++).as("attempts on a busy machine").isLessThan(20);
        }
    }

    /** False where this machine was so busy that listeners followed too late for the server; nothing is shown then. */
    private static boolean seesThatOnlyTheLateAreToldAgain(String lost) {
        String marker = "marker-of-" + lost;
        try (WireClient losing = cairn.newClient();
                WireClient following = cairn.newClient();
                WireClient python = cairn.newTransport().setUp("127.0.0.1", "Nacos-Python-Client:v2.0.9");
                WireClient go = cairn.newClient();
                WireClient writer = cairn.newClient()) {
            List<WireClient> listeners = List.of(losing, following, python, go);
            for (WireClient listener : listeners) {
                listener.listen(lost, "");
                listener.listen(marker, "");
            }
            long published = System.nanoTime();
            writer.publish(lost, "a: 1");
            for (WireClient listener : listeners) {
                assertThat(dataId(listener.nextPush())).isEqualTo(lost);
            }
            following.listen(lost, ContentDigest.of("a: 1").toString());
            assertThat(python.query(lost).path("content").asString()).isEqualTo("a: 1");
            assertThat(go.query(lost).path("content").asString()).isEqualTo("a: 1");
            if (System.nanoTime() - published > LATE_LISTENERS_PAUSE.toNanos()) {
                return false;
            }

            Payload again = losing.nextPush();
            assertThat(again.type()).isEqualTo("ConfigChangeNotifyRequest");
            assertThat(dataId(again)).isEqualTo(lost);
            assertThat(System.nanoTime() - published).isGreaterThanOrEqualTo(LATE_LISTENERS_PAUSE.toNanos());
            assertThat(dataId(go.nextPush()))
                    .as("its application has read, which says nothing of its listener")
                    .isEqualTo(lost);

            writer.publish(marker, "b: 1");
            assertThat(dataId(following.nextPush())).isEqualTo(marker);
            assertThat(dataId(python.nextPush())).isEqualTo(marker);
            return true;
        }
    }

    @Test
    void aReadByThePythonSdkCountsAsItsPresentContent() {
        assertReadsCountAsItsContent(cairn);
        assertReadsCountAsItsContent(uncached);
    }

    private static void assertReadsCountAsItsContent(CairnExtension server) {
        try (WireClient python = server.newTransport().setUp("10.1.1.1", "Nacos-Python-Client:v2.0.9");
                WireClient writer = server.newClient()) {
            writer.publish("held.yaml", "a: 1");
            python.listen("held.yaml", ContentDigest.of("a: 0").toString());
            assertThat(held(server)).isEqualTo(ContentDigest.of("a: 0").toString());

            assertThat(python.query("held.yaml").path("content").asString()).isEqualTo("a: 1");
            assertThat(held(server)).isEqualTo(ContentDigest.of("a: 1").toString());

            writer.publish("held.yaml", "a: 2");
            writer.request(
                    "ConfigPublishRequest",
                    "{\"dataId\":\"held.yaml\",\"group\":\"DEFAULT_GROUP\",\"content\":\"a: 3\","
                            + "\"additionMap\":{\"tag\":\"canary\"}}");
            for (String tag : List.of("canary", "unknown")) {
                JsonNode answer = python.request(
                        "ConfigQueryRequest",
                        "{\"dataId\":\"held.yaml\",\"group\":\"DEFAULT_GROUP\",\"tag\":\"" + tag + "\"}");
                assertThat(answer.path("content").asString("")).isEqualTo(tag.equals("canary") ? "a: 3" : "");
                assertThat(held(server))
                        .as("of a tag it reads what its listener does not have")
                        .isEqualTo(ContentDigest.of("a: 1").toString());
            }

            writer.remove("held.yaml");
            assertThat(python.query("held.yaml").path("errorCode").asInt()).isEqualTo(300);
            assertThat(held(server)).isEmpty();
        }
    }

    private static String held(CairnExtension server) {
        String answer = server.get("/v1/cs/configs/listener?dataId=held.yaml&group=DEFAULT_GROUP")
                .body();
        return JsonMapper.shared()
                .readTree(answer)
                .path("lisentersGroupkeyStatus")
                .path("10.1.1.1")
                .asString("not listed");
    }

    private static String dataId(Payload push) {
        return WireClient.tree(push).path("dataId").asString();
    }
}
