package io.cairn.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.api.wire.Payload;
import io.cairn.server.support.CairnExtension;
import io.cairn.server.support.WireClient;
import io.cairn.server.wiring.settings.Version;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Nodes, namespaces, connections and operations over all versions of the API. */
class CoreOverHttpIT {

    private static final JsonMapper JSON = JsonMapper.builder().build();

    @RegisterExtension
    static final CairnExtension cairn = CairnExtension.temporary();

    @ParameterizedTest
    @CsvSource({
        "/v1/core/cluster/nodes, 200",
        "/v2/core/cluster/node/list, 0",
        "/v3/admin/core/cluster/node/list, 0",
        "/v3/console/core/cluster/nodes, 0"
    })
    void theOneNodeIsListed(String path, int code) {
        JsonNode answer = json(cairn.get(path));
        assertThat(answer.path("code").asInt()).isEqualTo(code);
        assertThat(answer.path("data")).hasSize(1);
        JsonNode node = answer.path("data").get(0);
        assertThat(node.path("state").asString()).isEqualTo("UP");
        assertThat(node.path("port").asInt()).isEqualTo(cairn.server().httpPort());
        assertThat(node.path("address").asString())
                .isEqualTo(node.path("ip").asString() + ':' + cairn.server().httpPort());
        assertThat(node.path("extendInfo").path("version").isString()).isTrue();
    }

    @Test
    void theBuildIsNamedAtInfo() {
        JsonNode info = json(cairn.get("/actuator/info"));
        assertThat(info.path("version").asString()).isEqualTo(Version.TEXT);
        assertThat(info.path("revision").asString()).isEqualTo(Version.revision());
    }

    @Test
    void nodesAreFoundByAddressAndState() {
        assertThat(json(cairn.get("/v2/core/cluster/node/list?address=nosuch")).path("data"))
                .isEmpty();
        assertThat(json(cairn.get("/v3/admin/core/cluster/node/list?state=down"))
                        .path("data"))
                .isEmpty();
        assertThat(json(cairn.get("/v3/admin/core/cluster/node/list?state=up&address="
                                + cairn.server().httpPort()))
                        .path("data"))
                .hasSize(1);
        HttpResponse<String> bad = cairn.get("/v3/admin/core/cluster/node/list?state=broken");
        assertThat(bad.statusCode()).isEqualTo(400);
        assertThat(json(bad).path("code").asInt()).isEqualTo(20002);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/v2/core/cluster/node/self", "/v3/admin/core/cluster/node/self"})
    void theNodeDescribesItself(String path) {
        assertThat(json(cairn.get(path)).path("data").path("port").asInt())
                .isEqualTo(cairn.server().httpPort());
        assertThat(json(cairn.get(path + "/health")).path("data").asString()).isEqualTo("UP");
    }

    @ParameterizedTest
    @CsvSource({"/v2/core/cluster/lookup, type=file, true", "/v3/admin/core/cluster/lookup, type=address-server, true"})
    void lookupIsSwitched(String path, String query, boolean data) {
        assertThat(json(send("PUT", path + '?' + query, null)).path("data").asBoolean())
                .isEqualTo(data);
        assertThat(send("PUT", path + "?type=magic", null).statusCode()).isEqualTo(400);
        assertThat(json(send("PUT", path, null)).path("code").asInt()).isEqualTo(10000);
    }

    @Test
    void raftIsRefusedInTheWordsOfEachVersion() {
        String body = "{\"groupId\":\"g\",\"command\":\"transferLeader\",\"value\":\"x\"}";
        for (String path : new String[] {"/v1/core/ops/raft", "/v2/core/ops/raft"}) {
            JsonNode answer = json(send("POST", path, body));
            assertThat(answer.path("code").asInt()).isEqualTo(500);
            assertThat(answer.path("message").asString()).isEqualTo("not this raft group : g");
        }
        assertThat(json(send("POST", "/v3/admin/core/ops/raft", body))
                        .path("code")
                        .asInt())
                .isEqualTo(30000);
    }

    @Test
    void logLevelsAreSet() {
        String body = "{\"logName\":\"core-auth\",\"logLevel\":\"INFO\"}";
        assertThat(send("PUT", "/v1/core/ops/log", body).body()).isEqualTo("200");
        assertThat(json(send("PUT", "/v2/core/ops/log", body)).path("code").asInt())
                .isZero();
        assertThat(json(send("PUT", "/v3/admin/core/ops/log?logName=core&logLevel=INFO", null))
                        .path("code")
                        .asInt())
                .isZero();
        HttpResponse<String> bad = send("PUT", "/v3/admin/core/ops/log?logName=core&logLevel=loud", null);
        assertThat(bad.statusCode()).isEqualTo(400);
        assertThat(json(bad).path("data").asString()).startsWith("logLevel: 'loud'");
    }

    @Test
    void connectionsAreListedAndSentElsewhere() {
        try (WireClient client = cairn.newClient()) {
            JsonNode current = json(cairn.get("/v3/admin/core/loader/current")).path("data");
            assertThat(current).isNotEmpty();
            String id = current.propertyNames().iterator().next();
            JsonNode meta = current.path(id).path("metaInfo");
            assertThat(meta.path("connectionId").asString()).isEqualTo(id);
            assertThat(meta.path("remoteIp").asString()).isEqualTo("127.0.0.1");
            assertThat(meta.path("remotePort").asInt()).isPositive();
            assertThat(meta.path("createTime").asLong()).isGreaterThan(1_000_000_000_000L);
            assertThat(json(cairn.get("/v2/core/loader/current")).propertyNames())
                    .contains(id);

            assertThat(json(cairn.get("/v2/core/loader/cluster")).path("total").asInt())
                    .isEqualTo(current.size());
            JsonNode load = json(cairn.get("/v3/admin/core/loader/cluster")).path("data");
            assertThat(load.path("detail").get(0).path("sdkConCount").asInt()).isEqualTo(current.size());
            assertThat(load.path("completed").asBoolean()).isTrue();

            assertThat(cairn.get("/v2/core/loader/reloadClient?connectionId=" + id + "&redirectAddress=10.0.0.1:8848")
                            .body())
                    .isEqualTo("success");
            JsonNode reset = reset(client);
            assertThat(reset.path("serverIp").asString()).isEqualTo("10.0.0.1");
            assertThat(reset.path("serverPort").asString()).isEqualTo("8848");

            assertThat(json(send("POST", "/v3/admin/core/loader/reloadCurrent?count=0", null))
                            .path("code")
                            .asInt())
                    .isZero();
            assertThat(reset(client).path("connectionId").asString()).isEqualTo(id);
        }
    }

    @Test
    void spreadingTakesAFactorOnly() {
        assertThat(cairn.get("/v2/core/loader/smartReloadCluster").body()).isEqualTo("Ok");
        assertThat(json(send("POST", "/v3/admin/core/loader/smartReloadCluster?loaderFactorStr=0.2", null))
                        .path("code")
                        .asInt())
                .isZero();
        assertThat(send("POST", "/v3/admin/core/loader/smartReloadCluster?loaderFactor=many", null)
                        .statusCode())
                .isEqualTo(400);
    }

    @ParameterizedTest
    @CsvSource({
        "/v2/console/namespace, namespaceId=first&customNamespaceId=other, first",
        "/v2/console/namespace, customNamespaceId=second, second",
        "/v3/admin/core/namespace, customNamespaceId=third, third",
        "/v3/console/core/namespace, namespaceId=fourth, fourth",
        "/v3/console/core/namespace, customNamespaceId=fifth&namespaceId=other, fifth",
    })
    void aNamespaceHasItsIdUnderTheParameterOfAnyPath(String path, String ids, String id) {
        HttpResponse<String> created = send("POST", path + "?namespaceName=shown&" + ids, null);

        assertThat(json(created).path("data").asBoolean()).isTrue();
        assertThat(json(cairn.get("/v3/admin/core/namespace?namespaceId=" + id))
                        .path("data")
                        .path("namespaceShowName")
                        .asString())
                .isEqualTo("shown");
        assertThat(json(cairn.get("/v3/admin/core/namespace/check?namespaceId=other"))
                        .path("data")
                        .asInt())
                .isZero();
    }

    @Test
    void aBlankIdAsksForADrawnOneWhateverNamespaceIsOnDisplay() {
        String shown = "/v3/console/core/namespace?namespaceName=drawn&customNamespaceId=&namespaceId=on-display";

        assertThat(json(send("POST", shown, null)).path("data").asBoolean()).isTrue();

        assertThat(json(cairn.get("/v3/admin/core/namespace/check?namespaceId=on-display"))
                        .path("data")
                        .asInt())
                .isZero();
    }

    private static JsonNode reset(WireClient client) {
        Payload push = client.nextPush();
        assertThat(push.type()).isEqualTo("ConnectResetRequest");
        return WireClient.tree(push);
    }

    private static HttpResponse<String> send(String method, String path, String json) {
        HttpRequest.Builder request = HttpRequest.newBuilder(cairn.uri(path));
        return cairn.send(
                json == null
                        ? request.method(method, HttpRequest.BodyPublishers.noBody())
                        : request.header("Content-Type", "application/json")
                                .method(method, HttpRequest.BodyPublishers.ofString(json)));
    }

    private static JsonNode json(HttpResponse<String> answer) {
        return JSON.readTree(answer.body());
    }
}
