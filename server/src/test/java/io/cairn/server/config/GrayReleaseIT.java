package io.cairn.server.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.api.config.ContentDigest;
import io.cairn.api.wire.Payload;
import io.cairn.server.CairnServer;
import io.cairn.server.support.CairnExtension;
import io.cairn.server.support.WireClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Releases for some clients only: by address (beta) and by tag. The wire client calls itself 127.0.0.1. */
class GrayReleaseIT {

    private static final int MAX_GRAYS = 4;

    @RegisterExtension
    static final CairnExtension cairn =
            CairnExtension.temporary().with("nacos.config.gray.version.max.count", Integer.toString(MAX_GRAYS));

    private static JsonNode publish(WireClient client, String dataId, String content, String extra) {
        return client.request(
                "ConfigPublishRequest",
                "{\"dataId\":\"" + dataId + "\",\"group\":\"DEFAULT_GROUP\",\"content\":\"" + content + "\"" + extra
                        + "}");
    }

    private static String addition(String name, String value) {
        return ",\"additionMap\":{\"" + name + "\":\"" + value + "\"}";
    }

    private static String additions(String name, String value, String other, String otherValue) {
        return ",\"additionMap\":{\"" + name + "\":\"" + value + "\",\"" + other + "\":\"" + otherValue + "\"}";
    }

    private static JsonNode queryTag(WireClient client, String dataId, String tag) {
        return client.request(
                "ConfigQueryRequest",
                "{\"dataId\":\"" + dataId + "\",\"group\":\"DEFAULT_GROUP\",\"tag\":\"" + tag + "\"}");
    }

    private static JsonNode removeTag(WireClient client, String dataId, String tag) {
        return client.request(
                "ConfigRemoveRequest",
                "{\"dataId\":\"" + dataId + "\",\"group\":\"DEFAULT_GROUP\",\"tag\":\"" + tag + "\"}");
    }

    @Test
    void aTagReleaseGoesOnlyToClientsWithTheTag() {
        try (WireClient client = cairn.newClient()) {
            publish(client, "tag.yaml", "a: 1", addition("type", "yaml"));

            assertThat(publish(client, "tag.yaml", "a: tag", addition("tag", "blue"))
                            .path("success")
                            .asBoolean())
                    .isTrue();

            assertThat(client.query("tag.yaml").path("content").asString()).isEqualTo("a: 1");
            JsonNode blue = queryTag(client, "tag.yaml", "blue");
            assertThat(blue.path("content").asString()).isEqualTo("a: tag");
            assertThat(blue.path("tag").asString()).isEqualTo("blue");
            assertThat(blue.path("contentType").asString()).isEqualTo("yaml");
            assertThat(blue.has("encryptedDataKey")).isFalse();
            JsonNode green = queryTag(client, "tag.yaml", "green");
            assertThat(green.path("errorCode").asInt()).isEqualTo(300);
            assertThat(green.path("tag").asString()).isEqualTo("green");
            Payload byHeader = client.call(Payload.of(
                    "ConfigQueryRequest",
                    "127.0.0.1",
                    Map.of("vipserver-tag", "blue"),
                    "{\"dataId\":\"tag.yaml\",\"group\":\"DEFAULT_GROUP\"}".getBytes(StandardCharsets.UTF_8)));
            assertThat(WireClient.tree(byHeader).path("content").asString()).isEqualTo("a: tag");
        }
    }

    @Test
    void aBetaReleaseAndItsEndArePushed() {
        String formal = ContentDigest.of("a: 1").toString();
        try (WireClient client = cairn.newClient()) {
            publish(client, "beta.yaml", "a: 1", "");
            client.listen("beta.yaml", formal);

            publish(client, "beta.yaml", "a: beta", addition("betaIps", "10.1.1.1, 127.0.0.1"));

            assertThat(client.nextPush().type()).isEqualTo("ConfigChangeNotifyRequest");
            assertThat(client.listen("beta.yaml", formal).path("changedConfigs").size())
                    .isEqualTo(1);
            JsonNode beta = client.query("beta.yaml");
            assertThat(beta.path("content").asString()).isEqualTo("a: beta");
            assertThat(beta.path("beta").asBoolean()).isTrue();
            assertThat(client.listen("beta.yaml", beta.path("md5").asString())
                            .path("changedConfigs")
                            .size())
                    .isZero();

            removeTag(client, "beta.yaml", "beta");

            assertThat(client.nextPush().type()).isEqualTo("ConfigChangeNotifyRequest");
            assertThat(client.query("beta.yaml").path("content").asString()).isEqualTo("a: 1");
        }
    }

    @Test
    void aBetaReleaseForOthersIsServedOnceItsListNamesTheClient() {
        try (WireClient client = cairn.newClient()) {
            publish(client, "others.yaml", "a: 1", "");
            publish(client, "others.yaml", "a: beta", addition("betaIps", "10.1.1.1"));
            client.listen("others.yaml", ContentDigest.of("a: 1").toString());
            assertThat(client.query("others.yaml").path("content").asString()).isEqualTo("a: 1");

            publish(client, "others.yaml", "a: beta", addition("betaIps", "127.0.0.1"));

            assertThat(client.nextPush().type()).isEqualTo("ConfigChangeNotifyRequest");
            assertThat(client.query("others.yaml").path("content").asString()).isEqualTo("a: beta");
        }
    }

    @Test
    void aStaleDigestOfAGrayReleaseIsRefusedAndNothingIsWritten() {
        try (WireClient client = cairn.newClient()) {
            publish(client, "cas.yaml", "a: tag", addition("tag", "blue"));

            JsonNode refused = publish(client, "cas.yaml", "a: tag2", ",\"casMd5\":\"bad\"" + addition("tag", "blue"));

            assertThat(refused.path("message").asString())
                    .isEqualTo("Cas publish gray config fail, server md5 may have changed.");
            assertThat(queryTag(client, "cas.yaml", "blue").path("content").asString())
                    .isEqualTo("a: tag");
            String stored = ContentDigest.of("a: tag").toString();
            assertThat(publish(
                                    client,
                                    "cas.yaml",
                                    "a: tag2",
                                    ",\"casMd5\":\"" + stored + "\"" + addition("tag", "blue"))
                            .path("success")
                            .asBoolean())
                    .isTrue();
            assertThat(client.query("cas.yaml").path("errorCode").asInt()).isEqualTo(300);
        }
    }

    @Test
    void aTagIsRemovedByItsNameAndByTheNameOfItsRelease() {
        try (WireClient client = cairn.newClient()) {
            for (String name : new String[] {"blue", "tag_blue"}) {
                publish(client, "gone.yaml", "a: tag", addition("tag", "blue"));

                assertThat(removeTag(client, "gone.yaml", name).path("success").asBoolean())
                        .isTrue();

                assertThat(queryTag(client, "gone.yaml", "blue")
                                .path("errorCode")
                                .asInt())
                        .as("removed as " + name)
                        .isEqualTo(300);
            }
        }
    }

    @Test
    void removingTheConfigurationLeavesItsGrayReleases() {
        try (WireClient client = cairn.newClient()) {
            publish(client, "left.yaml", "a: 1", "");
            publish(client, "left.yaml", "a: tag", addition("tag", "blue"));

            client.remove("left.yaml");

            assertThat(client.query("left.yaml").path("errorCode").asInt()).isEqualTo(300);
            assertThat(queryTag(client, "left.yaml", "blue").path("content").asString())
                    .isEqualTo("a: tag");
        }
    }

    @Test
    void overHttpTheHeadersTellWhichReleaseWasServed() {
        Map<String, String> form = Map.of("dataId", "http.yaml", "group", "DEFAULT_GROUP", "content", "a: 1");
        assertThat(cairn.post("/v1/cs/configs", form).body()).isEqualTo("true");
        Map<String, String> beta = Map.of("dataId", "http.yaml", "group", "DEFAULT_GROUP", "content", "a: beta");
        assertThat(cairn.post("/v1/cs/configs", beta, "betaIps", "10.9.9.9").body())
                .isEqualTo("true");
        Map<String, String> blue =
                Map.of("dataId", "http.yaml", "group", "DEFAULT_GROUP", "content", "a: tag", "tag", "blue");
        assertThat(cairn.post("/v1/cs/configs", blue).body()).isEqualTo("true");

        String path = "/v1/cs/configs?dataId=http.yaml&group=DEFAULT_GROUP";
        assertThat(cairn.get(path).body()).isEqualTo("a: 1");
        HttpResponse<String> forBeta =
                cairn.send(HttpRequest.newBuilder(cairn.uri(path)).header("X-Forwarded-For", "10.9.9.9, 10.0.0.1"));
        assertThat(forBeta.body()).isEqualTo("a: beta");
        assertThat(forBeta.headers().firstValue("isBeta")).hasValue("true");
        assertThat(forBeta.headers().firstValue("Encrypted-Data-Key")).isEmpty();
        HttpResponse<String> forTag = cairn.get(path + "&tag=blue");
        assertThat(forTag.body()).isEqualTo("a: tag");
        assertThat(forTag.headers().firstValue("tag")).hasValue("blue");
        assertThat(cairn.get(path + "&tag=green").statusCode()).isEqualTo(404);
    }

    @Test
    void aReleaseOfAnEncryptedContentCarriesItsOwnKey() {
        String names = "dataId=cipher-aes-key&group=DEFAULT_GROUP";
        String names3 = "dataId=cipher-aes-key&groupName=DEFAULT_GROUP";
        try (WireClient client = cairn.newClient()) {
            publish(client, "cipher-aes-key", "E0", addition("encryptedDataKey", "K0"));
            publish(client, "cipher-aes-key", "E1", additions("tag", "blue", "encryptedDataKey", "K1"));
            assertKey(queryTag(client, "cipher-aes-key", "blue"), "E1", "K1");
            HttpResponse<String> tagged = cairn.get("/v1/cs/configs?tag=blue&" + names);
            assertThat(tagged.headers().firstValue("Encrypted-Data-Key")).hasValue("K1");

            publish(client, "cipher-aes-key", "E2", additions("betaIps", "127.0.0.1", "encryptedDataKey", "K2"));

            assertKey(client.query("cipher-aes-key"), "E2", "K2");
            assertKey(data("/v3/client/cs/config?" + names3), "E2", "K2");
            assertKey(data("/v3/admin/cs/config/beta?" + names3), "E2", "K2");
            for (String version : new String[] {"/v1/cs/configs?", "/v2/cs/config?"}) {
                HttpResponse<String> beta = cairn.get(version + names);
                assertThat(beta.body()).as(version).contains("E2");
                assertThat(beta.headers().firstValue("Encrypted-Data-Key"))
                        .as(version)
                        .hasValue("K2");
            }
            removeTag(client, "cipher-aes-key", "beta");
            assertKey(client.query("cipher-aes-key"), "E0", "K0");
        }
    }

    private static void assertKey(JsonNode config, String content, String key) {
        assertThat(config.path("content").asString()).isEqualTo(content);
        assertThat(config.path("encryptedDataKey").asString())
                .as("the key of " + content)
                .isEqualTo(key);
    }

    @Test
    void theKeyOfAReleaseIsAsLongAsTheTableOfReleasesAllows() {
        try (WireClient client = cairn.newClient()) {
            JsonNode refused = publish(
                    client, "cipher-aes-long", "E", additions("tag", "blue", "encryptedDataKey", "k".repeat(257)));
            assertThat(refused.path("message").asString())
                    .isEqualTo("too long encryptedDataKey of a beta or tag release, over 256");
            HttpResponse<String> named = cairn.post(
                    "/v3/admin/cs/config",
                    Map.of(
                            "dataId",
                            "cipher-aes-long",
                            "groupName",
                            "DEFAULT_GROUP",
                            "content",
                            "E",
                            "grayName",
                            "some",
                            "grayRuleExp",
                            "10.0.0.1",
                            "encryptedDataKey",
                            "k".repeat(257)));
            assertThat(named.statusCode()).isEqualTo(400);
            assertThat(named.body()).contains("over 256");
            assertThat(publish(
                                    client,
                                    "cipher-aes-long",
                                    "E",
                                    additions("tag", "blue", "encryptedDataKey", "k".repeat(256)))
                            .path("success")
                            .asBoolean())
                    .isTrue();
        }
    }

    @Test
    void refusesABetaForWhatIsNoAddressAndNamesIt() {
        try (WireClient client = cairn.newClient()) {
            JsonNode refused =
                    publish(client, "nobody.txt", "beta", addition("betaIps", "10.0.0.1,127.0.0.1;10.0.0.2"));

            assertThat(refused.path("resultCode").asInt()).isEqualTo(500);
            assertThat(refused.path("message").asString())
                    .isEqualTo("betaIps: '127.0.0.1;10.0.0.2' (expected: IP addresses, separated by commas)");
        }
        Map<String, String> form = Map.of("dataId", "nobody.txt", "group", "DEFAULT_GROUP", "content", "beta");
        HttpResponse<String> over1 = cairn.post("/v1/cs/configs", form, "betaIps", "127.0.0.1 10.0.0.1");
        assertThat(over1.statusCode()).isEqualTo(400);
        assertThat(over1.body()).contains("betaIps: '127.0.0.1 10.0.0.1'");
        HttpResponse<String> over3 = cairn.post(
                "/v3/admin/cs/config",
                Map.of(
                        "dataId",
                        "nobody.txt",
                        "groupName",
                        "DEFAULT_GROUP",
                        "content",
                        "beta",
                        "grayName",
                        "some",
                        "grayRuleExp",
                        "10.0.0.0/24"));
        assertThat(over3.statusCode()).isEqualTo(400);
        assertThat(over3.body()).contains("grayRuleExp: '10.0.0.0/24'");
        assertThat(cairn.get("/v1/cs/configs?beta=true&dataId=nobody.txt&group=DEFAULT_GROUP")
                        .body())
                .as("nothing is stored")
                .doesNotContain("10.0.0");
    }

    @Test
    void grayReleasesSurviveARestart(@TempDir Path home) {
        try (CairnServer server = start(home);
                WireClient client =
                        WireClient.connect("127.0.0.1", server.grpcPort()).setUp()) {
            publish(client, "kept.yaml", "a: beta", addition("betaIps", "127.0.0.1"));
        }

        try (CairnServer server = start(home);
                WireClient client =
                        WireClient.connect("127.0.0.1", server.grpcPort()).setUp()) {
            JsonNode found = client.query("kept.yaml");
            assertThat(found.path("content").asString()).isEqualTo("a: beta");
            assertThat(found.path("beta").asBoolean()).isTrue();
        }
    }

    @Test
    void listAndDetailNameTheReleasesAsLongAsTheyAreInForce() {
        try (WireClient client = cairn.newClient()) {
            publish(client, "named.yaml", "a: 1", "");
            publish(client, "plain.yaml", "a: 1", "");
            publish(client, "named.yaml", "a: tag", addition("tag", "blue"));
            publish(client, "named.yaml", "a: beta", addition("betaIps", "10.9.9.8,10.9.9.9"));
        }
        for (JsonNode shown : new JsonNode[] {listed("named.yaml"), detail("named.yaml")}) {
            assertThat(shown.path("md5").asString())
                    .isEqualTo(ContentDigest.of("a: 1").toString());
            JsonNode releases = shown.path("grayReleases");
            assertThat(releases).hasSize(2);
            assertThat(releases.path(0).path("grayName").asString()).isEqualTo("beta");
            assertThat(releases.path(0).path("grayRule").asString()).contains("\"expr\":\"10.9.9.8,10.9.9.9\"");
            assertThat(releases.path(0).path("md5").asString())
                    .isEqualTo(ContentDigest.of("a: beta").toString());
            assertThat(releases.path(0).path("modifyTime").asLong()).isPositive();
            assertThat(releases.path(1).path("grayName").asString()).isEqualTo("tag_blue");
        }
        for (JsonNode shown : new JsonNode[] {listed("plain.yaml"), detail("plain.yaml")}) {
            assertThat(shown.has("grayReleases"))
                    .as("no member where there is no release")
                    .isFalse();
        }

        // A publish to all leaves the releases as they are.
        try (WireClient client = cairn.newClient()) {
            publish(client, "named.yaml", "a: 2", "");
        }
        assertThat(detail("named.yaml").path("grayReleases")).hasSize(2);
        assertThat(cairn.send(HttpRequest.newBuilder(
                                        cairn.uri("/v3/admin/cs/config/beta?dataId=named.yaml&groupName=DEFAULT_GROUP"))
                                .DELETE())
                        .statusCode())
                .isEqualTo(200);
        assertThat(listed("named.yaml").path("grayReleases")).hasSize(1);
    }

    private static JsonNode listed(String dataId) {
        String path = "/v3/admin/cs/config/list?pageNo=1&pageSize=10&groupName=DEFAULT_GROUP&dataId=" + dataId;
        return data(path).path("pageItems").path(0);
    }

    private static JsonNode detail(String dataId) {
        return data("/v3/admin/cs/config?groupName=DEFAULT_GROUP&dataId=" + dataId);
    }

    private static JsonNode data(String path) {
        JsonNode data = JsonMapper.shared().readTree(cairn.get(path).body()).path("data");
        assertThat(data.isEmpty()).as(path).isFalse();
        return data;
    }

    private static CairnServer start(Path home) {
        return CairnServer.builder().home(home).setting("server.port", "0").start();
    }

    @Test
    void oneReleaseMoreThanAllowedIsRefusedByAllEdges() {
        try (WireClient client = cairn.newClient()) {
            publish(client, "many.txt", "all", "");
            for (int i = 1; i <= MAX_GRAYS; i++) {
                assertThat(publish(client, "many.txt", "some", addition("tag", "t" + i))
                                .path("success")
                                .asBoolean())
                        .isTrue();
            }
            String refusal = "gray config version is over max count :" + MAX_GRAYS;

            JsonNode overGrpc = publish(client, "many.txt", "some", addition("tag", "more"));
            HttpResponse<String> over1 = cairn.post(
                    "/v1/cs/configs",
                    Map.of("dataId", "many.txt", "group", "DEFAULT_GROUP", "content", "some", "tag", "more"));
            HttpResponse<String> over3 = cairn.post(
                    "/v3/admin/cs/config",
                    Map.of("dataId", "many.txt", "groupName", "DEFAULT_GROUP", "content", "some", "tag", "more"));

            assertThat(overGrpc.path("resultCode").asInt()).isEqualTo(500);
            assertThat(overGrpc.path("errorCode").asInt()).isEqualTo(500);
            assertThat(overGrpc.path("message").asString()).isEqualTo(refusal);
            assertThat(over1.statusCode()).isEqualTo(400);
            assertThat(over1.body()).isEqualTo("caused: " + refusal + ";");
            assertThat(over3.statusCode()).isEqualTo(400);
            assertThat(over3.body()).contains("\"code\":20010").contains(refusal);
            assertThat(publish(client, "many.txt", "other", addition("tag", "t1"))
                            .path("success")
                            .asBoolean())
                    .isTrue();
        }
    }
}
