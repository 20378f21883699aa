package io.cairn.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.api.config.ContentDigest;
import io.cairn.server.support.CairnExtension;
import io.cairn.server.support.WireClient;
import java.net.URLEncoder;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Releases to clients by their labels and to a share of them, with the preview of who gets them. */
class LabelReleaseIT {

    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final String SDK = "Nacos-Go-Client:v2.2.0";

    @RegisterExtension
    static final CairnExtension cairn = CairnExtension.temporary();

    /** A client that listens to a configuration, with the name of its instance. */
    private record Listener(String instance, WireClient wire) {}

    private static Listener listener(String dataId, String instance, Map<String, String> labels) {
        Map<String, String> all = new HashMap<>(labels);
        all.put("app_instance", instance);
        all.put("AppName", "orders");
        WireClient wire = cairn.newTransport().setUp("10.7.0.1", SDK, all);
        wire.listen(dataId, ContentDigest.of("for all").toString());
        return new Listener(instance, wire);
    }

    private static String query(Map<String, String> parameters) {
        List<String> pairs = new ArrayList<>();
        parameters.forEach((name, value) -> pairs.add(name + '=' + URLEncoder.encode(value, StandardCharsets.UTF_8)));
        return String.join("&", pairs);
    }

    private static Map<String, String> rule(String dataId, String name, String type, String expression) {
        Map<String, String> parameters = new HashMap<>(Map.of("dataId", dataId, "groupName", "DEFAULT_GROUP"));
        parameters.putAll(Map.of("grayName", name, "grayType", type, "grayRuleExp", expression));
        return parameters;
    }

    private static HttpResponse<String> tryToPublish(Map<String, String> rule, String content) {
        Map<String, String> form = new HashMap<>(rule);
        form.put("content", content);
        return cairn.send(HttpRequest.newBuilder(cairn.uri("/v3/admin/cs/config"))
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(BodyPublishers.ofString(query(form))));
    }

    private static void publish(Map<String, String> rule, String content) {
        HttpResponse<String> answer = tryToPublish(rule, content);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    }

    private static void remove(String dataId, String release) {
        HttpResponse<String> answer = cairn.send(HttpRequest.newBuilder(cairn.uri("/v3/admin/cs/config?"
                        + query(Map.of("dataId", dataId, "groupName", "DEFAULT_GROUP", "grayName", release))))
                .DELETE());
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    }

    private static JsonNode preview(Map<String, String> rule) {
        HttpResponse<String> answer = cairn.send(
                HttpRequest.newBuilder(cairn.uri("/v3/admin/cs/config/gray/preview?pageSize=100&" + query(rule))));
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return JSON.readTree(answer.body()).path("data");
    }

    /** The instances that would get the release. */
    private static Set<String> getters(JsonNode preview) {
        Set<String> getters = new TreeSet<>();
        for (JsonNode client : preview.path("clients")) {
            if (client.path("gets").asBoolean()) {
                getters.add(client.path("identity").asString());
            }
        }
        return getters;
    }

    /** The instances that have that content. */
    private static Set<String> holders(String dataId, List<Listener> listeners, String content) {
        Set<String> holders = new TreeSet<>();
        for (Listener each : listeners) {
            if (each.wire().query(dataId).path("content").asString().equals(content)) {
                holders.add(each.instance());
            }
        }
        return holders;
    }

    private static void close(List<Listener> listeners) {
        listeners.forEach(each -> each.wire().close());
    }

    @Test
    void aReleaseByLabelsReachesThoseThatThePreviewNames() {
        publish(Map.of("dataId", "zones.yaml", "groupName", "DEFAULT_GROUP"), "for all");
        List<Listener> listeners = new ArrayList<>();
        listeners.add(listener("zones.yaml", "one", Map.of("app_zone", "a", "app_version", "1.2")));
        listeners.add(listener("zones.yaml", "two", Map.of("app_zone", "a", "app_version", "1.3")));
        listeners.add(listener("zones.yaml", "three", Map.of("app_zone", "b")));
        WireClient unlabelled = cairn.newClient();
        unlabelled.listen("zones.yaml", ContentDigest.of("for all").toString());
        try (unlabelled) {
            Map<String, String> rule = rule("zones.yaml", "zone-a", "label", "zone in (a) && version != 1.2");
            JsonNode preview = preview(rule);
            assertThat(preview.path("listeners").asInt()).isEqualTo(4);
            assertThat(preview.path("selected").asInt()).isOne();
            JsonNode selected = preview.path("clients").path(0);
            assertThat(selected.path("identity").asString()).isEqualTo("two");
            assertThat(selected.path("identityBy").asString()).isEqualTo("INSTANCE");
            assertThat(selected.path("app").asString()).isEqualTo("orders");
            assertThat(selected.path("md5").asString())
                    .isEqualTo(ContentDigest.of("for all").toString());
            assertThat(selected.path("before").asString()).isEmpty();
            assertThat(holders("zones.yaml", listeners, "for all")).hasSize(3);

            publish(rule, "for zone a");

            assertThat(listeners.get(1).wire().nextChange()).isEqualTo("zones.yaml");
            assertThat(holders("zones.yaml", listeners, "for zone a")).containsExactly("two");
            assertThat(unlabelled.query("zones.yaml").path("content").asString())
                    .isEqualTo("for all");
            assertThat(preview(rule).path("clients").path(0).path("before").asString())
                    .isEqualTo("zone-a");

            remove("zones.yaml", "zone-a");

            assertThat(holders("zones.yaml", listeners, "for all")).hasSize(3);
        } finally {
            close(listeners);
        }
    }

    @Test
    void aShareOfTheClientsGrowsWithItsPercentageAndSurvivesReconnects() {
        String dataId = "share.yaml";
        publish(Map.of("dataId", dataId, "groupName", "DEFAULT_GROUP"), "for all");
        List<Listener> listeners = new ArrayList<>();
        for (int i = 0; i < 24; i++) {
            listeners.add(listener(dataId, "pod-" + i, Map.of()));
        }
        try {
            Set<String> quarter = getters(preview(rule(dataId, "canary", "percentage", "25")));
            Set<String> half = getters(preview(rule(dataId, "canary", "percentage", "50")));
            assertThat(quarter).hasSizeBetween(1, 12);
            assertThat(half).containsAll(quarter).hasSizeGreaterThan(quarter.size());

            publish(rule(dataId, "canary", "percentage", "25"), "canary");
            assertThat(holders(dataId, listeners, "canary")).isEqualTo(quarter);
            publish(rule(dataId, "canary", "percentage", "50"), "canary");
            assertThat(holders(dataId, listeners, "canary")).isEqualTo(half);

            close(listeners);
            listeners.clear();
            for (int i = 23; i >= 0; i--) {
                listeners.add(listener(dataId, "pod-" + i, Map.of()));
            }
            assertThat(holders(dataId, listeners, "canary")).isEqualTo(half);
            await().untilAsserted(() -> assertThat(getters(preview(rule(dataId, "canary", "percentage", "50"))))
                    .isEqualTo(half));
        } finally {
            close(listeners);
        }
    }

    @Test
    void thePreviewNamesTheReleaseThatAClientKeepsByItsPriority() {
        String dataId = "priority.yaml";
        publish(Map.of("dataId", dataId, "groupName", "DEFAULT_GROUP"), "for all");
        List<Listener> listeners = List.of(listener(dataId, "one", Map.of("app_zone", "a")));
        try {
            Map<String, String> strong = rule(dataId, "strong", "label", "zone = a");
            strong.put("grayPriority", "9");
            publish(strong, "strong");

            JsonNode weak = preview(rule(dataId, "weak", "percentage", "100"));

            assertThat(weak.path("selected").asInt()).isOne();
            assertThat(weak.path("gets").asInt()).isZero();
            assertThat(weak.path("clients").path(0).path("before").asString()).isEqualTo("strong");
            publish(rule(dataId, "weak", "percentage", "100"), "weak");
            assertThat(holders(dataId, listeners, "strong")).containsExactly("one");
        } finally {
            close(listeners);
        }
    }

    /** The calls that Nacos knows address releases by the names beta and tag_.... */
    @Test
    void theCallsOfNacosLeaveReleasesByLabelsAlone() {
        String dataId = "beside.yaml";
        publish(Map.of("dataId", dataId, "groupName", "DEFAULT_GROUP"), "for all");
        publish(rule(dataId, "zone-a", "label", "zone = a"), "for zone a");
        List<Listener> listeners = List.of(listener(dataId, "one", Map.of("app_zone", "a")));
        try {
            HttpResponse<String> beta = cairn.send(HttpRequest.newBuilder(cairn.uri(
                    "/v3/admin/cs/config/beta?" + query(Map.of("dataId", dataId, "groupName", "DEFAULT_GROUP")))));
            assertThat(beta.statusCode()).as(beta.body()).isEqualTo(404);
            cairn.send(HttpRequest.newBuilder(cairn.uri("/v3/admin/cs/config/beta?"
                            + query(Map.of("dataId", dataId, "groupName", "DEFAULT_GROUP"))))
                    .DELETE());

            JsonNode tagged = listeners
                    .get(0)
                    .wire()
                    .request(
                            "ConfigQueryRequest",
                            "{\"dataId\":\"" + dataId + "\",\"group\":\"DEFAULT_GROUP\",\"tag\":\"blue\"}");

            assertThat(tagged.path("errorCode").asInt())
                    .as("no release of the tag")
                    .isEqualTo(300);
            assertThat(holders(dataId, listeners, "for zone a")).containsExactly("one");
            publish(Map.of("dataId", dataId, "groupName", "DEFAULT_GROUP"), "for all, again");
            assertThat(holders(dataId, listeners, "for zone a"))
                    .as("after a publish for all")
                    .containsExactly("one");
        } finally {
            close(listeners);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "label      | zone in (a | grayRuleExp: column 11: found the end (expected: ))",
                "label      | zone       | grayRuleExp: column 5: found the end",
                "percentage | 120        | grayRuleExp: '120' (expected: a percentage from 0.01 to 100)",
                "region     | a          | gray rule type: 'region' (expected: beta, tag, label, percentage)"
            })
    void refusesAnInvalidRuleAndStoresNothing(String type, String expression, String error) {
        Map<String, String> rule = rule("refused.yaml", "canary", type, expression);

        HttpResponse<String> answer = tryToPublish(rule, "refused");

        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(answer.body()).contains(error);
        HttpResponse<String> releases = cairn.send(HttpRequest.newBuilder(cairn.uri(
                "/v3/admin/cs/config/gray?" + query(Map.of("dataId", "refused.yaml", "groupName", "DEFAULT_GROUP")))));
        assertThat(releases.body()).doesNotContain("canary");
    }
}
