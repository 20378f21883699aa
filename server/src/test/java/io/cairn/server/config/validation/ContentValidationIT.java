package io.cairn.server.config.validation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.cairn.server.support.CairnExtension;
import io.cairn.server.support.WireClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class ContentValidationIT {

    private static final String V1 = "/v1/cs/configs";
    private static final String V2 = "/v2/cs/config";
    private static final String V3 = "/v3/admin/cs/config";
    private static final String GOOD = "{\"secret\": 1}";
    private static final String BAD = "{\n  \"secret\": 1,\n  \"b\" 2\n}";
    private static final String PLACE = "content: line 3, column 7: ";

    @RegisterExtension
    static final CairnExtension off = CairnExtension.temporary().with("cairn.config.validation", "off");

    @RegisterExtension
    static final CairnExtension warn = CairnExtension.temporary();

    @RegisterExtension
    static final CairnExtension refuse = CairnExtension.temporary().with("cairn.config.validation", "refuse");

    @ParameterizedTest
    @CsvSource({V1, V2, V3})
    void offStoresAnyContent(String path) {
        assertThat(publish(off, path, "off.json", BAD).statusCode()).isEqualTo(200);
        assertThat(read(off, "off.json").body()).isEqualTo(BAD);
    }

    @Test
    void warnStoresTheContentAndLogsOnlyItsKeyAndPlace() {
        Queue<String> lines = new ConcurrentLinkedQueue<>();
        AppenderBase<ILoggingEvent> appender = new AppenderBase<>() {
            @Override
            protected void append(ILoggingEvent event) {
                lines.add(event.getFormattedMessage());
            }
        };
        Logger log = (Logger) LoggerFactory.getLogger(LateValidation.class);
        appender.start();
        log.addAppender(appender);
        try (WireClient client = warn.newClient()) {
            assertThat(publish(warn, V1, "fine.json", GOOD).statusCode()).isEqualTo(200);
            assertThat(publish(warn, V1, "one.json", BAD).statusCode()).isEqualTo(200);
            assertThat(publish(warn, V3, "three.json", BAD).statusCode()).isEqualTo(200);
            assertThat(publish(client, "grpc.json", BAD).path("success").asBoolean())
                    .isTrue();

            assertThat(read(warn, "one.json").body()).isEqualTo(BAD);
            assertThat(read(warn, "grpc.json").body()).isEqualTo(BAD);
            await().until(() -> lines.size() >= 3);
            assertThat(lines).hasSize(3).allSatisfy(line -> assertThat(line)
                    .contains(".json")
                    .endsWith("line 3, column 7")
                    .doesNotContain("secret"));
            assertThat(lines).noneMatch(line -> line.contains("fine.json"));
        } finally {
            log.detachAppender(appender);
        }
    }

    @ParameterizedTest
    @CsvSource({V1, V2, V3})
    void refuseStoresNothingAndNamesThePlace(String path) {
        String dataId = "refused" + path.charAt(2) + ".json";

        HttpResponse<String> answer = publish(refuse, path, dataId, BAD);

        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(answer.body()).contains(PLACE);
        assertThat(read(refuse, dataId).statusCode()).isEqualTo(404);
        assertThat(publish(refuse, path, dataId, GOOD).statusCode()).isEqualTo(200);
        assertThat(publish(refuse, path, dataId, BAD).statusCode()).isEqualTo(400);
        assertThat(read(refuse, dataId).body()).isEqualTo(GOOD);
    }

    @Test
    void aGrpcPublishFollowsTheSetting() {
        try (WireClient client = refuse.newClient()) {
            JsonNode answer = publish(client, "grpc.json", BAD);

            assertThat(answer.path("resultCode").asInt()).isEqualTo(500);
            assertThat(answer.path("message").asString()).contains(PLACE);
            assertThat(read(refuse, "grpc.json").statusCode()).isEqualTo(404);
            assertThat(publish(client, "grpc.json", GOOD).path("success").asBoolean())
                    .isTrue();
            // Without a type it is text, as with the reference.
            assertThat(client.publish("untyped.json", BAD).path("success").asBoolean())
                    .isTrue();
        }
    }

    @ParameterizedTest
    @CsvSource({V1, V2, V3})
    void validateRefusesInAnyMode(String path) {
        for (CairnExtension cairn : new CairnExtension[] {off, warn}) {
            String dataId = "asked" + path.charAt(2) + ".json";
            HttpResponse<String> answer = publish(cairn, path, dataId, BAD, "validate", "true");

            assertThat(answer.statusCode()).isEqualTo(400);
            assertThat(answer.body()).contains(PLACE);
            assertThat(read(cairn, dataId).statusCode()).isEqualTo(404);
            assertThat(publish(cairn, path, dataId, GOOD, "validate", "true").statusCode())
                    .isEqualTo(200);
            assertThat(read(cairn, dataId).body()).isEqualTo(GOOD);
        }
    }

    @Test
    void aLargeContentIsRefusedAndTakenTheSameWay() {
        String large = "{\"a\": \"" + "x".repeat(2 << 20) + "\"";

        assertThat(publish(refuse, V1, "large.json", large).statusCode()).isEqualTo(400);
        assertThat(read(refuse, "large.json").statusCode()).isEqualTo(404);
        assertThat(publish(refuse, V3, "large.json", large + "}").statusCode()).isEqualTo(200);
        assertThat(read(refuse, "large.json").body()).isEqualTo(large + "}");
    }

    @Test
    void anEncryptedContentIsNotLookedAt() {
        assertThat(publish(refuse, V1, "cipher.json", BAD, "encryptedDataKey", "key")
                        .statusCode())
                .isEqualTo(200);
    }

    private static HttpResponse<String> publish(
            CairnExtension cairn, String path, String dataId, String content, String... more) {
        Map<String, String> form = new HashMap<>(Map.of("dataId", dataId, "content", content, "type", "json"));
        form.put(path.equals(V3) ? "groupName" : "group", "DEFAULT_GROUP");
        for (int i = 0; i < more.length; i += 2) {
            form.put(more[i], more[i + 1]);
        }
        return cairn.post(path, form);
    }

    private static JsonNode publish(WireClient client, String dataId, String content) {
        Map<String, Object> request = Map.of(
                "dataId", dataId, "group", "DEFAULT_GROUP", "content", content, "additionMap", Map.of("type", "json"));
        return client.request("ConfigPublishRequest", JsonMapper.shared().writeValueAsString(request));
    }

    private static HttpResponse<String> read(CairnExtension cairn, String dataId) {
        return cairn.send(HttpRequest.newBuilder(cairn.uri(V1 + "?group=DEFAULT_GROUP&dataId=" + dataId)));
    }
}
