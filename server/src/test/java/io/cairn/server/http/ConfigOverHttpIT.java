package io.cairn.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.api.config.ContentDigest;
import io.cairn.api.wire.Payload;
import io.cairn.server.support.CairnExtension;
import io.cairn.server.support.WireClient;
import java.net.URLEncoder;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Configurations by version 1 of the HTTP API, beside the gRPC edge of the same server. */
class ConfigOverHttpIT {

    private static final String CONFIGS = "/v1/cs/configs";
    private static final int TEN_MEGABYTES = 10 * 1024 * 1024;
    private static final String GROUP = "DEFAULT_GROUP";

    @RegisterExtension
    static final CairnExtension cairn = CairnExtension.temporary();

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a: 1",
                "中文，日本語、한국어",
                "😀 👩‍💻 🇩🇪 𝒳",
                "tab\tand\r\nlines\nand \"quotes\" and \\ and /",
                "\u0000\u0001\u001f\u007f",
                " leading and trailing ",
                "\ufeffwith a mark",
                "a=b&c=d;e#f?g+h%20i",
                "<html>&amp;'\"</html>",
                "\u2028\u2029\u00a0"
            })
    void bothEdgesReadEveryPublishedContent(String content) {
        assertThat(publish("text.txt", Map.of("content", content)).body()).isEqualTo("true");

        HttpResponse<String> read = read("text.txt");
        assertThat(read.statusCode()).isEqualTo(200);
        assertThat(read.body()).isEqualTo(content);
        assertThat(read.headers().firstValue("Content-MD5"))
                .contains(ContentDigest.of(content).toString());
        assertThat(read.headers().firstValueAsLong("Content-Length"))
                .hasValue(content.getBytes(StandardCharsets.UTF_8).length);
        try (WireClient client = cairn.newClient()) {
            JsonNode answer = client.query("text.txt");
            assertThat(answer.path("content").asString()).isEqualTo(content);
            assertThat(answer.path("md5").asString())
                    .isEqualTo(ContentDigest.of(content).toString());
        }
    }

    @Test
    void seededRandomContentsAreReadBack() {
        Random random = new Random(20261121);
        for (int round = 0; round < 100; round++) {
            String content = random.ints(0, round % 2 == 0 ? 0x80 : Character.MAX_CODE_POINT + 1)
                            .filter(c -> c < Character.MIN_SURROGATE || c > Character.MAX_SURROGATE)
                            .limit(1 + random.nextInt(2_000))
                            .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                    + "x";
            assertThat(publish("random.txt", Map.of("content", content)).body()).isEqualTo("true");
            assertThat(read("random.txt").body()).isEqualTo(content);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "yaml,yaml",
        "json,json",
        "xml,xml",
        "html,html",
        "properties,properties",
        "toml,toml",
        "text,text",
        "unset,unset",
        "YAML,text",
        "bogus,text",
        "'',text"
    })
    void returnsTheTypeAndTextForAnUnknownOne(String published, String told) {
        publish("typed", Map.of("content", "c", "type", published));

        HttpResponse<String> read = read("typed");

        assertThat(read.headers().firstValue("Config-Type")).contains(told);
        assertThat(read.headers().firstValue("Content-Type")).contains("text/plain;charset=UTF-8");
    }

    @Test
    void aReadAfterAnAcknowledgedPublishSeesItOnBothEdges() {
        try (WireClient client = cairn.newClient()) {
            for (int i = 0; i < 50; i++) {
                assertThat(publish("fresh.txt", Map.of("content", "v" + i)).body())
                        .isEqualTo("true");
                assertThat(read("fresh.txt").body()).isEqualTo("v" + i);
                assertThat(client.query("fresh.txt").path("content").asString()).isEqualTo("v" + i);

                assertThat(client.publish("fresh.txt", "w" + i).path("success").asBoolean())
                        .isTrue();
                assertThat(read("fresh.txt").body()).isEqualTo("w" + i);
            }
        }
    }

    @Test
    void aDeletedConfigurationIsGoneOnBothEdges() {
        publish("deleted.txt", Map.of("content", "c"));

        assertThat(cairn.delete(CONFIGS + "?dataId=deleted.txt&group=" + GROUP).body())
                .isEqualTo("true");

        assertThat(read("deleted.txt").statusCode()).isEqualTo(404);
        try (WireClient client = cairn.newClient()) {
            assertThat(client.query("deleted.txt").path("errorCode").asInt()).isEqualTo(300);
        }
    }

    @Test
    void namespacesAreApartButForTheSpellingsOfTheDefaultOne() {
        publish("ns.txt", Map.of("content", "default"));
        publish("ns.txt", Map.of("content", "dev", "tenant", "dev"));

        assertThat(read("ns.txt").body()).isEqualTo("default");
        assertThat(read("ns.txt&tenant=").body()).isEqualTo("default");
        assertThat(read("ns.txt&tenant=public").body()).isEqualTo("default");
        assertThat(read("ns.txt&tenant=dev").body()).isEqualTo("dev");
        assertThat(read("ns.txt&tenant=Dev").statusCode()).isEqualTo(404);

        publish("ns.txt", Map.of("content", "spelled out", "tenant", "public"));
        assertThat(read("ns.txt").body()).isEqualTo("spelled out");
        cairn.delete(CONFIGS + "?tenant=public&dataId=ns.txt&group=" + GROUP);
        assertThat(read("ns.txt").statusCode()).isEqualTo(404);
        assertThat(read("ns.txt&tenant=dev").body()).isEqualTo("dev");
    }

    @Test
    void aStaleDigestIsRefusedAndNothingIsWritten() {
        String first = ContentDigest.of("v1").toString();
        publish("cas.txt", Map.of("content", "v1"));

        assertThat(publish("cas.txt", Map.of("content", "v2"), "casMd5", first).body())
                .isEqualTo("true");
        HttpResponse<String> stale = publish("cas.txt", Map.of("content", "v3"), "casMd5", first);

        assertThat(stale.statusCode()).isEqualTo(500);
        assertThat(stale.body()).isEqualTo("caused: Cas publish fail, server md5 may have changed.;");
        assertThat(read("cas.txt").body()).isEqualTo("v2");
        assertThat(publish("cas.txt", Map.of("content", "v4"), "casMd5", "").body())
                .isEqualTo("true");
    }

    @ParameterizedTest
    @CsvSource({
        "/v1/cs/configs, group",
        "/v2/cs/config, group",
        "/v3/admin/cs/config, groupName",
        "/v3/console/cs/config, groupName"
    })
    void aStaleDigestInTheFormIsRefusedAsOneInTheHeader(String path, String group) {
        publish("cas-form.txt", Map.of("content", "v1"));
        String form = path + "?dataId=cas-form.txt&content=v2&" + group + "=DEFAULT_GROUP&casMd5=";

        HttpResponse<String> stale = cairn.send(HttpRequest.newBuilder(cairn.uri(form + ContentDigest.of("v0")))
                .POST(HttpRequest.BodyPublishers.noBody()));

        assertThat(stale.statusCode()).isEqualTo(500);
        assertThat(stale.body()).contains("Cas publish fail, server md5 may have changed.");
        assertThat(read("cas-form.txt").body()).isEqualTo("v1");
        assertThat(cairn.send(HttpRequest.newBuilder(cairn.uri(form + ContentDigest.of("v1")))
                                .POST(HttpRequest.BodyPublishers.noBody()))
                        .statusCode())
                .isEqualTo(200);
        assertThat(read("cas-form.txt").body()).isEqualTo("v2");
    }

    @Test
    void theContentOfTheLargestSizeIsPublishedByFormAndReadByBothEdges() {
        // Each of these characters is three bytes, and nine in the form.
        String content = "中".repeat((TEN_MEGABYTES - 4096) / 3);

        assertThat(publish("large.txt", Map.of("content", content)).body()).isEqualTo("true");

        assertThat(read("large.txt").body()).isEqualTo(content);
        try (WireClient client = cairn.newClient()) {
            JsonNode answer = client.query("large.txt");
            assertThat(answer.path("content").asString()).isEqualTo(content);
        }
    }

    @Test
    void aLargerContentIsRefusedNamingTheLimitAndNothingChanges() {
        publish("limit.txt", Map.of("content", "before"));

        for (String content : List.of("x".repeat(TEN_MEGABYTES + 1), "中".repeat(TEN_MEGABYTES / 3 + 1))) {
            HttpResponse<String> refused = publish("limit.txt", Map.of("content", content));
            assertThat(refused.statusCode()).isEqualTo(400);
            assertThat(refused.body()).isEqualTo("caused: invalid content, over 10485760;");
        }

        assertThat(read("limit.txt").body()).isEqualTo("before");
    }

    @Test
    void aContentThatNoGrpcClientCouldReceiveIsRefusedNamingTheLimit() {
        publish("escapes.txt", Map.of("content", "before"));

        // In a message every one of these becomes two bytes.
        HttpResponse<String> refused = publish("escapes.txt", Map.of("content", "\n".repeat(TEN_MEGABYTES / 2) + "x"));

        assertThat(refused.statusCode()).isEqualTo(400);
        assertThat(refused.body()).contains("its message to a client would be").contains("over 10485760");
        assertThat(read("escapes.txt").body()).isEqualTo("before");
        assertThat(publish("escapes.txt", Map.of("content", "\n".repeat(TEN_MEGABYTES / 2 - 2048) + "x"))
                        .body())
                .isEqualTo("true");
        try (WireClient client = cairn.newClient()) {
            Payload answer = client.call(WireClient.payload(
                    "ConfigQueryRequest", "{\"dataId\":\"escapes.txt\",\"group\":\"" + GROUP + "\"}"));
            assertThat(answer.encodedLength()).isLessThanOrEqualTo(TEN_MEGABYTES);
            assertThat(WireClient.tree(answer).path("content").asString()).hasSize(TEN_MEGABYTES / 2 - 2047);
        }
    }

    @ParameterizedTest
    @CsvSource({"desc,128", "use,32", "effect,32", "schema,32768", "appName,128"})
    void attributesHaveTheirLimits(String attribute, int limit) {
        publish("limits.txt", Map.of("content", "before"));

        assertThat(publish("limits.txt", Map.of("content", "fits", attribute, "x".repeat(limit)))
                        .body())
                .isEqualTo("true");
        HttpResponse<String> refused = publish("limits.txt", Map.of("content", "no", attribute, "x".repeat(limit + 1)));

        assertThat(refused.statusCode()).isEqualTo(400);
        assertThat(refused.body()).isEqualTo("caused: too long " + attribute + ", over " + limit + ";");
        assertThat(read("limits.txt").body()).isEqualTo("fits");
    }

    @Test
    void namesHaveTheirLimits() {
        String dataId = "d".repeat(255);
        assertThat(publish(dataId, Map.of("content", "c", "group", "g".repeat(128), "tenant", "t".repeat(64)))
                        .body())
                .isEqualTo("true");

        assertThat(publish(dataId + "d", Map.of("content", "c")).body())
                .isEqualTo("Param 'dataId' is illegal, the param length should not exceed 255.\r\n");
        assertThat(read(dataId + "d").statusCode())
                .as("one that an earlier release has stored can be read")
                .isEqualTo(404);
        assertThat(cairn.delete(CONFIGS + "?group=G&dataId=" + dataId + "d").body())
                .as("and removed")
                .isEqualTo("true");
        assertThat(read(dataId + "dd").statusCode()).isEqualTo(400);
        assertThat(publish("x", Map.of("content", "c", "group", "g".repeat(129)))
                        .body())
                .isEqualTo("Param 'group' is illegal, the param length should not exceed 128.\r\n");
        assertThat(publish("x", Map.of("content", "c", "tenant", "t".repeat(65)))
                        .body())
                .isEqualTo("Param 'namespaceId/tenant' is illegal, the param length should not exceed 64.\r\n");
        assertThat(publish("x", Map.of("content", "c", "group", "")).body()).isEqualTo("caused: invalid group : ;");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a/b", "a b", "a%b", "a\u0000", "中", "a\nb", "a@b", "../a", "a'--"})
    void illegalNamesAreRefusedEverywhereAndStoreNothing(String name) {
        String encoded = URLEncoder.encode(name, StandardCharsets.UTF_8);
        for (HttpResponse<String> refused : List.of(
                publish(name, Map.of("content", "c")),
                publish("a", Map.of("content", "c", "group", name)),
                publish("a", Map.of("content", "c", "tenant", name)),
                read(encoded),
                cairn.delete(CONFIGS + "?dataId=" + encoded + "&group=G"))) {
            assertThat(refused.statusCode()).isEqualTo(400);
            assertThat(refused.body())
                    .startsWith("Param '")
                    .endsWith("illegal characters should not appear in the param.\r\n");
        }
    }

    @Test
    void requestsAreMeteredByRouteAndStatus() {
        publish("metered.txt", Map.of("content", "c"));
        read("absent-" + System.nanoTime());

        String metrics = cairn.get("/actuator/prometheus").body();

        assertThat(metrics)
                .containsPattern(
                        "cairn_http_requests_seconds_count\\{route=\"POST /v1/cs/configs\",status=\"200\"[^}]*}")
                .containsPattern(
                        "cairn_http_requests_seconds_count\\{route=\"GET /v1/cs/configs\",status=\"404\"[^}]*}");
    }

    private static HttpResponse<String> publish(String dataId, Map<String, String> fields, String... headers) {
        Map<String, String> form = new HashMap<>(Map.of("dataId", dataId, "group", GROUP));
        form.putAll(fields);
        return cairn.post(CONFIGS, form, headers);
    }

    /** @param dataId already encoded, maybe with more parameters */
    private static HttpResponse<String> read(String dataId) {
        return cairn.send(HttpRequest.newBuilder(cairn.uri(CONFIGS + "?group=" + GROUP + "&dataId=" + dataId)));
    }
}
