package io.cairn.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.support.CairnExtension;
import io.cairn.server.support.WireClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The functions of the administration API of version 3 that Nacos does not have. */
class ConfigChangesIT {

    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final String CONFIG = "/v3/admin/cs/config";

    @RegisterExtension
    static final CairnExtension cairn = CairnExtension.temporary().with("cairn.config.max-content", "256KB");

    @Test
    void aChangeSetIsAppliedCompletelyOrNotAtAll() {
        HttpResponse<String> done = changes("""
                {"changes":[
                {"dataId":"set.a","groupName":"G","content":"1","type":"yaml"},
                {"dataId":"set.b","groupName":"G","content":"1","expectedMd5":""}]}""");
        assertThat(done.statusCode()).as(done.body()).isEqualTo(200);
        assertThat(json(done).path("data").get(1).path("outcome").asString()).isEqualTo("applied");
        assertThat(content("set.b")).isEqualTo("1");

        HttpResponse<String> refused = changes("""
                {"changes":[
                {"dataId":"set.a","groupName":"G","delete":true},
                {"dataId":"set.b","groupName":"G","content":"2","expectedMd5":"00000000000000000000000000000000"}]}""");
        assertThat(refused.statusCode()).isEqualTo(409);
        assertThat(json(refused).path("code").asInt()).isEqualTo(20005);
        JsonNode conflict = json(refused).path("data").get(1);
        assertThat(conflict.path("outcome").asString()).isEqualTo("conflict");
        assertThat(conflict.path("md5").asString()).isEqualTo("c4ca4238a0b923820dcc509a6f75849b");
        assertThat(content("set.a")).isEqualTo("1");
        assertThat(content("set.b")).isEqualTo("1");
    }

    /** Version 2 has the format of Nacos 2.5. */
    @Test
    void aChangeShowsTheContentBeforeAndAfter() {
        publish("detail", "one");
        publish("detail", "two");
        publish("detail", "three");
        JsonNode changes = json(cairn.get("/v2/cs/history/list?dataId=detail&group=G"))
                .path("data")
                .path("pageItems");

        JsonNode last = changeDetail(changes.get(0).path("id").asString());
        assertThat(last.path("opType").asString()).isEqualTo("U");
        assertThat(last.path("originalContent").asString()).isEqualTo("two");
        assertThat(last.path("updatedContent").asString()).isEqualTo("three");
        JsonNode middle = changeDetail(changes.get(1).path("id").asString());
        assertThat(middle.path("originalContent").asString()).isEqualTo("one");
        assertThat(middle.path("updatedContent").asString()).isEqualTo("two");
        JsonNode first = changeDetail(changes.get(2).path("id").asString());
        assertThat(first.path("opType").asString()).isEqualTo("I");
        assertThat(first.path("updatedContent").asString()).isEqualTo("one");
        assertThat(first.path("updatedMd5").asString()).isEqualTo("f97c5d29941bfb1b2fdab0874906ab82");
    }

    private static JsonNode changeDetail(String id) {
        HttpResponse<String> answer = cairn.get("/v2/cs/history/detail?dataId=detail&group=G&nid=" + id);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return json(answer).path("data");
    }

    @Test
    void refusesAMalformedChangeSetWithFieldAndLimit() {
        assertThat(changes("{\"changes\":[]}").statusCode()).isEqualTo(400);
        assertThat(changes("{").statusCode()).isEqualTo(400);
        assertThat(changes("{\"changes\":[{\"dataId\":\"a b\",\"groupName\":\"G\",\"content\":\"x\"}]}")
                        .body())
                .startsWith("Param 'dataId' is illegal");
    }

    @Test
    void comparesVersionsAndFindsThemByTime() {
        long before = System.currentTimeMillis() - 1_000;
        publish("versions", "one\n");
        publish("versions", "two\n");
        JsonNode update = json(cairn.get("/v3/admin/cs/history/list?dataId=versions&groupName=G"))
                .path("data")
                .path("pageItems")
                .get(0);
        JsonNode compared = json(cairn.get(CONFIG + "/compare?dataId=versions&groupName=G&from="
                        + update.path("id").asString()))
                .path("data");
        assertThat(compared.path("same").asBoolean()).isFalse();
        assertThat(compared.path("diff").asString()).contains("-one\n", "+two\n");
        assertThat(cairn.get(CONFIG + "/compare?dataId=other&groupName=G&from="
                                + update.path("id").asString())
                        .statusCode())
                .isEqualTo(404);

        JsonNode now = at(System.currentTimeMillis() + 60_000);
        assertThat(now.path("existed").asBoolean()).isTrue();
        assertThat(now.path("content").asString()).isEqualTo("two\n");
        JsonNode then = at(before);
        assertThat(then.path("existed").asBoolean()).isFalse();
        assertThat(then.path("content").isNull()).isTrue();
        assertThat(cairn.get(CONFIG + "/at?dataId=versions&groupName=G&time=yesterday")
                        .statusCode())
                .isEqualTo(400);
    }

    private static JsonNode at(long millis) {
        return json(cairn.get(CONFIG + "/at?dataId=versions&groupName=G&time=" + millis))
                .path("data");
    }

    @Test
    void listsTheListeners() {
        cairn.post(CONFIG, Map.of("dataId", "heard", "groupName", "DEFAULT_GROUP", "content", "x"));
        try (WireClient client = cairn.newClient()) {
            client.listen("heard", "9dd4e461268c8034f5c8564e155c67a6");
            JsonNode watchers = json(cairn.get(CONFIG + "/watchers?dataId=heard&groupName=DEFAULT_GROUP"))
                    .path("data");
            assertThat(watchers).hasSize(1);
            assertThat(watchers.get(0).path("current").asBoolean()).isTrue();
            assertThat(watchers.get(0).path("md5").asString()).isEqualTo("9dd4e461268c8034f5c8564e155c67a6");
            assertThat(json(cairn.get(CONFIG + "/watchers?dataId=heard&groupName=DEFAULT_GROUP&pageNo=2&pageSize=1"))
                            .path("data"))
                    .isEmpty();
            String ip = watchers.get(0).path("clientIp").asString();
            assertThat(json(cairn.get(CONFIG + "/listener?dataId=heard&groupName=DEFAULT_GROUP"))
                            .path("data")
                            .path("listenersStatus")
                            .path(ip)
                            .asString())
                    .isEqualTo("9dd4e461268c8034f5c8564e155c67a6");
            assertThat(json(cairn.get("/v3/admin/cs/listener?ip=" + ip))
                            .path("data")
                            .path("listenersStatus")
                            .path("heard+DEFAULT_GROUP+public")
                            .asString())
                    .isEqualTo("9dd4e461268c8034f5c8564e155c67a6");
            assertThat(json(cairn.get("/v3/admin/cs/metrics/ip?ip=" + ip)).path("data"))
                    .hasSize(1);
        }
    }

    @Test
    void undoesAChangeAndListsReleases() {
        publish("undone", "one");
        publish("undone", "two");
        String update = json(cairn.get("/v3/console/cs/history/list?dataId=undone&groupName=G"))
                .path("data")
                .path("pageItems")
                .get(0)
                .path("id")
                .asString();
        assertThat(cairn.post(
                                "/v3/console/cs/history/rollback",
                                Map.of("dataId", "undone", "groupName", "G", "nid", update))
                        .statusCode())
                .isEqualTo(200);
        assertThat(content("undone")).isEqualTo("one");
        cairn.post(CONFIG, Map.of("dataId", "undone", "groupName", "G", "content", "blue", "tag", "blue"));
        JsonNode grays =
                json(cairn.get(CONFIG + "/gray?dataId=undone&groupName=G")).path("data");
        assertThat(grays).hasSize(1);
        assertThat(grays.get(0).path("grayName").asString()).isEqualTo("tag_blue");
    }

    @Test
    void aReleaseMayHaveItsOwnNameAndPriority() {
        publish("named", "for all");
        assertThat(cairn.post(
                                CONFIG,
                                Map.of(
                                        "dataId",
                                        "named",
                                        "groupName",
                                        "G",
                                        "content",
                                        "for some",
                                        "grayName",
                                        "canary",
                                        "grayRuleExp",
                                        "127.0.0.1",
                                        "grayPriority",
                                        "7"))
                        .statusCode())
                .isEqualTo(200);
        assertThat(content("named")).isEqualTo("for all");
        assertThat(read("named")).isEqualTo("for some");
        HttpResponse<String> refused = cairn.post(
                CONFIG, Map.of("dataId", "named", "groupName", "G", "content", "x", "grayName", "without a rule"));
        assertThat(refused.statusCode()).isEqualTo(400);
        assertThat(content("named")).isEqualTo("for all");
        assertThat(cairn.delete(CONFIG + "?dataId=named&groupName=G&grayName=canary")
                        .statusCode())
                .isEqualTo(200);
        assertThat(read("named")).isEqualTo("for all");
    }

    private static String read(String dataId) {
        return json(cairn.get("/v3/client/cs/config?dataId=" + dataId + "&groupName=G"))
                .path("data")
                .path("content")
                .asString();
    }

    @Test
    void aFormMayBeThreeTimesAsLargeAsItsContent() {
        String content = "\u0001".repeat(256 * 1024);
        HttpResponse<String> stored =
                cairn.post(CONFIG, Map.of("dataId", "large", "groupName", "G", "content", content));
        assertThat(stored.statusCode()).as(stored.body()).isEqualTo(200);
        HttpResponse<String> refused =
                cairn.post(CONFIG, Map.of("dataId", "large", "groupName", "G", "content", content + 'x'));
        assertThat(refused.statusCode()).isEqualTo(400);
        assertThat(json(refused).path("data").asString()).isEqualTo("invalid content, over 262144");
    }

    private static void publish(String dataId, String content) {
        assertThat(cairn.post(CONFIG, Map.of("dataId", dataId, "groupName", "G", "content", content))
                        .statusCode())
                .isEqualTo(200);
    }

    private static String content(String dataId) {
        return json(cairn.get(CONFIG + "?dataId=" + dataId + "&groupName=G"))
                .path("data")
                .path("content")
                .asString();
    }

    private static HttpResponse<String> changes(String body) {
        return cairn.send(HttpRequest.newBuilder(cairn.uri(CONFIG + "/changeset"))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body)));
    }

    private static JsonNode json(HttpResponse<String> answer) {
        return JSON.readTree(answer.body());
    }
}
