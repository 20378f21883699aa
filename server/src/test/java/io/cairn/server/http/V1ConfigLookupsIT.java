package io.cairn.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.server.http.RawHttp.Answer;
import io.cairn.server.support.CairnExtension;
import io.cairn.server.support.Placeholders;
import io.cairn.server.support.Recorded;
import io.cairn.server.support.WireClient;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Histories, deletions by ids and listeners over version 1, compared with what was recorded where ids are sent. */
class V1ConfigLookupsIT {

    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final String CONFIGS = "/nacos/v1/cs/configs";
    private static final String HISTORY = "/nacos/v1/cs/history";

    @RegisterExtension
    static final CairnExtension cairn = CairnExtension.temporary();

    private static Answer send(String method, String target, String... headers) {
        try (RawHttp http = RawHttp.connect(cairn.server())) {
            http.request(method, target, headers);
            return http.answer();
        }
    }

    private static JsonNode json(String method, String target) {
        Answer answer = send(method, target);
        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
        return JSON.readTree(answer.text());
    }

    private static void publish(String group, String dataId, String content, Map<String, String> more) {
        Map<String, String> form =
                new HashMap<>(Map.of("dataId", dataId, "group", group, "content", content, "type", "yaml"));
        form.putAll(more);
        assertThat(cairn.post("/v1/cs/configs", form).body()).isEqualTo("true");
    }

    private static List<String> differences(String sample, JsonNode actual) {
        JsonNode recorded = Recorded.lines("http-v1-ids.jsonl").stream()
                .filter(line -> line.path("name").asString().equals(sample))
                .findFirst()
                .orElseThrow()
                .path("response")
                .path("body");
        return new Placeholders().differences(recorded, actual);
    }

    @Test
    void theHistoryIsListedAndReadAsRecorded() {
        Map<String, String> attributes = Map.of("appName", "app1", "desc", "about", "src_user", "nacos");
        publish("G1", "e1.yaml", "k: v\n", attributes);
        publish("G1", "e1.yaml", "k: w\n", attributes);
        String ofKey = "dataId=e1.yaml&group=G1";

        JsonNode list = json("GET", HISTORY + "?search=accurate&pageNo=1&pageSize=2&" + ofKey);
        String nid = list.path("pageItems").path(0).path("id").asString();
        JsonNode entry = json("GET", HISTORY + "?nid=" + nid + '&' + ofKey);

        assertThat(extInfoAside(differences("history.list", list))).isEmpty();
        assertThat(extInfoAside(differences("history.get", entry))).isEmpty();
        assertThat(JSON.readTree(entry.path("extInfo").asString()))
                .isEqualTo(JSON.readTree("{\"type\":\"yaml\",\"src_user\":\"nacos\",\"c_desc\":\"about\"}"));
    }

    /** Its fields may stand in another order. */
    private static List<String> extInfoAside(List<String> differences) {
        return differences.stream()
                .filter(difference -> !difference.contains("/extInfo: "))
                .toList();
    }

    @Test
    void previousIsTheStateBeforeTheLastChange() {
        publish("DEFAULT_GROUP", "p.yaml", "a: 1", Map.of("appName", "app1"));
        publish("DEFAULT_GROUP", "p.yaml", "a: 2", Map.of());
        String ofKey = "dataId=p.yaml&group=DEFAULT_GROUP";
        String id = json("GET", CONFIGS + "?show=all&" + ofKey).path("id").asString();

        JsonNode previous = json("GET", HISTORY + "/previous?id=" + id + '&' + ofKey);

        assertThat(previous.path("content").asString()).isEqualTo("a: 1");
        assertThat(previous.path("opType").asString()).isEqualTo("U");
        assertThat(send("GET", HISTORY + "/previous?id=999999&" + ofKey).text()).isEmpty();
        Answer ofAnother = send("GET", HISTORY + "/previous?id=" + id + "&dataId=q.yaml&group=DEFAULT_GROUP");
        assertThat(ofAnother.status()).isEqualTo(403);
        assertThat(ofAnother.text()).isEqualTo("Please check dataId, group or namespaceId.");
        for (String path :
                List.of("/nacos/v2/cs/history/previous?group=", "/nacos/v3/admin/cs/history/previous?groupName=")) {
            Answer refused = send("GET", path + "DEFAULT_GROUP&dataId=q.yaml&id=" + id);
            assertThat(refused.status()).as(path).isEqualTo(403);
            assertThat(JSON.readTree(refused.text()).path("code").asInt())
                    .as(path)
                    .isEqualTo(10001);
        }
        assertThat(send("GET", HISTORY + "/previous?" + ofKey).text())
                .isEqualTo("caused: Required request parameter &#39;id&#39; for method parameter type Long is not"
                        + " present;");
    }

    @Test
    void anUnknownEntryIsEmptyAndOneOfAnotherConfigurationRefused() {
        publish("G2", "own.yaml", "a: 1", Map.of());
        String nid = json("GET", HISTORY + "?search=accurate&dataId=own.yaml&group=G2")
                .path("pageItems")
                .path(0)
                .path("id")
                .asString();

        Answer unknown = send("GET", HISTORY + "?nid=999999&dataId=own.yaml&group=G2");
        Answer refused = send("GET", HISTORY + "?nid=" + nid + "&dataId=other.yaml&group=G2");

        assertThat(unknown.status()).isEqualTo(200);
        assertThat(unknown.text()).isEmpty();
        assertThat(refused.status()).isEqualTo(403);
        assertThat(refused.text()).isEqualTo("Please check dataId, group or namespaceId.");
    }

    @Test
    void theConfigurationsOfANamespaceAreListedAsRecorded() {
        publish("G", "only", "x", Map.of("tenant", "dev2", "type", "text"));

        assertThat(differences("history.configs", json("GET", HISTORY + "/configs?tenant=dev2")))
                .isEmpty();
    }

    @Test
    void theNamespaceIsEchoedAsItWasSpelled() {
        publish("G3", "echo.yaml", "a: 1", Map.of("tenant", "public"));
        String search = CONFIGS + "?search=blur&dataId=ech*&group=&pageNo=1&pageSize=9";

        assertThat(json("GET", search).at("/pageItems/0/tenant").asString()).isEmpty();
        assertThat(json("GET", search + "&tenant=public")
                        .at("/pageItems/0/tenant")
                        .asString())
                .isEqualTo("public");
        assertThat(json("GET", CONFIGS + "?show=all&dataId=echo.yaml&group=G3&tenant=public")
                        .path("tenant")
                        .asString())
                .isEqualTo("public");
    }

    /** Dubbo 2.7 looks up in this way which applications offer an interface. */
    @Test
    void returnsAWholeGroupAsOneLargePage() {
        publish("mapping-greeter", "one", "x", Map.of());
        publish("mapping-greeter", "two", "x", Map.of());
        String huge = "?search=%s&dataId=&pageNo=1&pageSize=2147483647&group=mapping-greeter";

        for (String search : List.of("accurate", "blur")) {
            assertThat(json("GET", CONFIGS + huge.formatted(search)).at("/pageItems"))
                    .extracting(each -> each.path("dataId").asString())
                    .containsExactly("one", "two");
        }
        assertThat(json(
                                "GET",
                                HISTORY
                                        + "?search=accurate&pageNo=1&pageSize=2147483647&dataId=one&group=mapping-greeter")
                        .at("/pageItems"))
                .hasSize(1);
    }

    @Test
    void severalAreDeletedByTheirIds() {
        publish("G4", "one", "x", Map.of());
        publish("G4", "two", "x", Map.of());
        publish("G4", "three", "x", Map.of());
        JsonNode page = json("GET", CONFIGS + "?search=accurate&dataId=&group=G4&pageNo=1&pageSize=9");
        String ids = page.at("/pageItems/0/id").asString()
                + ','
                + page.at("/pageItems/1/id").asString();

        JsonNode answer = json("DELETE", CONFIGS + "?delType=ids&ids=" + ids);

        assertThat(differences("config.delete.ids", answer)).isEmpty();
        assertThat(json("GET", CONFIGS + "?search=accurate&dataId=&group=G4&pageNo=1&pageSize=9")
                        .path("totalCount")
                        .asInt())
                .isEqualTo(1);
        assertThat(send("DELETE", CONFIGS + "?delType=ids&ids=x").status()).isEqualTo(400);
    }

    @Test
    void returnsACapacityAsRecorded() {
        publish("G1-capacity", "a", "x", Map.of());
        publish("G", "a", "x", Map.of("tenant", "exp"));
        publish("G", "b", "x", Map.of("tenant", "exp"));

        JsonNode group = json("GET", "/nacos/v1/cs/capacity?group=G1-capacity");
        JsonNode tenant = json("GET", "/nacos/v1/cs/capacity?tenant=exp");

        assertThat(differences("capacity.group", group))
                .containsExactly("/data/group: \"G1-capacity\" (recorded: \"G1\")");
        assertThat(differences("capacity.tenant", tenant)).isEmpty();
        assertThat(cairn.post("/v1/cs/capacity", Map.of("tenant", "exp", "quota", "7"))
                        .body())
                .contains("successfully updated the capacity information configuration of tenant to exp");
        assertThat(json("GET", "/nacos/v1/cs/capacity?tenant=exp")
                        .at("/data/quota")
                        .asInt())
                .isEqualTo(7);
    }

    @Test
    void aCapacityWithoutANumberIsRefusedAsTheReferenceRefusesIt() {
        String why = "The parameters quota, maxSize, maxAggrCount, maxAggrSize cannot be empty at the same time";

        HttpResponse<String> version1 = cairn.post("/v1/cs/capacity", Map.of("group", "G1-empty"));
        HttpResponse<String> version3 = cairn.post("/v3/admin/cs/capacity", Map.of("groupName", "G1-empty"));

        assertThat(version1.statusCode()).isEqualTo(400);
        assertThat(version1.body()).isEqualTo("{\"code\":400,\"message\":\"" + why + "\",\"data\":false}");
        assertThat(version3.statusCode()).isEqualTo(400);
        assertThat(version3.body())
                .isEqualTo("{\"code\":10000,\"message\":\"parameter missing\",\"data\":\"" + why + "\"}");
    }

    @Test
    void listsListenersWithTheirDigests() throws Exception {
        publish("G5", "watched", "new", Map.of("tenant", "dev"));
        String current = "22af645d1859cb5ca6da0c484f1f37ea";
        String ofKey = "?dataId=watched&group=G5&tenant=dev";
        String record =
                URLEncoder.encode("watched\u0002G5\u0002" + current + "\u0002dev\u0001", StandardCharsets.UTF_8);
        try (RawHttp poll = RawHttp.connect(cairn.server());
                WireClient client = cairn.newClient()) {
            poll.form(
                    "POST",
                    CONFIGS + "/listener",
                    "Listening-Configs=" + record,
                    "Long-Pulling-Timeout: 30000",
                    "X-Forwarded-For: 10.1.2.3");
            client.request(
                    "ConfigBatchListenRequest",
                    "{\"listen\":true,\"configListenContexts\":[{\"group\":\"G5\",\"md5\":"
                            + "\"0123456789abcdef0123456789abcdef\",\"dataId\":\"watched\",\"tenant\":\"dev\"}]}");

            await().untilAsserted(() -> assertThat(status(CONFIGS + "/listener" + ofKey))
                    .containsEntry("10.1.2.3", current)
                    .containsValue("0123456789abcdef0123456789abcdef")
                    .hasSize(2));

            assertThat(status("/nacos/v1/cs/listener?ip=10.1.2.3&tenant=dev"))
                    .isEqualTo(Map.of("watched+G5+dev", current));
            assertThat(status("/nacos/v1/cs/listener?ip=10.1.2.3")).isEmpty();
            assertThat(status("/nacos/v1/cs/listener?ip=10.1.2.3&all=true")).hasSize(1);
            assertThat(status("/nacos/v1/cs/listener?ip=10.9.9.9&all=true")).isEmpty();
            assertThat(json("GET", "/nacos/v1/cs/communication/configWatchers" + ofKey)
                            .path("lisentersGroupkeyStatus")
                            .path("10.1.2.3")
                            .asString())
                    .isEqualTo(current);
            assertThat(json("GET", "/nacos/v1/cs/communication/watcherConfigs?ip=10.1.2.3"))
                    .isEqualTo(JSON.readTree("{\"lisentersGroupkeyStatus\":{\"watched+G5+dev\":\"" + current + "\"}}"));
            for (String path : List.of("cluster", "current")) {
                assertThat(json("GET", "/nacos/v1/cs/metrics/" + path + "?ip=10.1.2.3&dataId=watched"))
                        .isEqualTo(JSON.readTree("{\"poll\":{\"watched+G5+dev\":\"" + current + "\"}}"));
                assertThat(json("GET", "/nacos/v1/cs/metrics/" + path + "?ip=10.1.2.3&dataId=other"))
                        .isEmpty();
            }
        }
        await().untilAsserted(
                        () -> assertThat(status(CONFIGS + "/listener" + ofKey)).isEmpty());
    }

    private static Map<String, String> status(String target) {
        JsonNode answer = json("GET", target);
        assertThat(answer.path("collectStatus").asInt()).isEqualTo(200);
        Map<String, String> status = new HashMap<>();
        answer.path("lisentersGroupkeyStatus")
                .properties()
                .forEach(entry -> status.put(entry.getKey(), entry.getValue().asString()));
        return status;
    }

    @Test
    void refusesSqlOfClients() {
        Answer first = send("GET", "/nacos/v1/cs/ops/derby?sql=select%201");
        Answer third = send("GET", "/nacos/v3/admin/cs/ops/derby?sql=select%201");

        assertThat(first.status()).isEqualTo(200);
        assertThat(first.text()).startsWith("{\"code\":500,\"message\":\"Derby ops is disabled");
        assertThat(third.status()).isEqualTo(501);
        assertThat(third.text()).contains("\"code\":40001").contains("Derby ops is disabled");
        assertThat(send("POST", "/nacos/v3/admin/cs/ops/derby/import").status()).isEqualTo(501);
    }
}
