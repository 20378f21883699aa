package io.cairn.server.auth;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.support.InspectableServer;
import io.cairn.server.support.WireClient;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/**
 * Lists contain only the rows that the caller may read, with matching totals; a caller without any permission in a
 * namespace is refused.
 */
class ListAccessIT {

    @RegisterExtension
    static final InspectableServer cairn = AuthenticatedServer.open();

    private static AuthenticatedServer server;
    private static String admin;
    /** May read the group {@code mine} of a namespace. */
    private static String reader;
    /** May read one name pattern of configurations in every group, and no services. */
    private static String configsOnly;

    private static String stranger;
    private static String groupReader;
    private static String nameReader;

    @BeforeAll
    static void fill() {
        server = new AuthenticatedServer(cairn);
        admin = server.token("nacos", server.adminPassword());
        ok(server.call(admin, "POST", "/v1/console/namespaces?customNamespaceId=rows&namespaceName=rows"));
        ok(server.call(admin, "POST", "/v1/console/namespaces?customNamespaceId=elsewhere&namespaceName=elsewhere"));
        for (int i = 0; i < 25; i++) {
            for (String group : new String[] {"mine", "theirs"}) {
                publish("rows", group, "c" + i);
                ok(server.call(
                        admin, "POST", "/v1/ns/service?namespaceId=rows&groupName=" + group + "&serviceName=s" + i));
            }
        }
        publish("rows", "theirs", "shared-1");
        publish("elsewhere", "mine", "c0");
        reader = server.userWith(admin, "row-reader", "rows:mine:*/*", "r");
        configsOnly = server.userWith(admin, "row-configs", "rows:*:config/shared*", "r");
        stranger = server.userWith(admin, "row-stranger", "elsewhere:*:*", "rw");
        fillCounted();
    }

    /** A namespace to which no test adds anything: of 5 configurations, 3 services and 3 instances, some are of a group. */
    private static void fillCounted() {
        ok(server.call(admin, "POST", "/v1/console/namespaces?customNamespaceId=counted&namespaceName=counted"));
        for (String config : new String[] {"mine/a", "mine/b", "theirs/a", "theirs/b", "theirs/shared"}) {
            publish("counted", config.substring(0, config.indexOf('/')), config.substring(config.indexOf('/') + 1));
        }
        for (String service : new String[] {"mine&serviceName=a", "mine&serviceName=b", "theirs&serviceName=a"}) {
            ok(server.call(
                    admin,
                    "POST",
                    "/v1/ns/instance?namespaceId=counted&ip=10.0.0.1&port=80&ephemeral=false&groupName=" + service));
        }
        groupReader = server.userWith(admin, "count-group", "counted:mine:*/*", "r");
        nameReader = server.userWith(admin, "count-name", "counted:*:config/shared", "r");
    }

    private static void publish(String namespace, String group, String dataId) {
        ok(server.call(
                admin,
                "POST",
                "/v1/cs/configs?tenant=" + namespace + "&group=" + group + "&dataId=" + dataId + "&content=word"));
    }

    private static void ok(HttpResponse<String> answer) {
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    }

    private static JsonNode get(String token, String path) {
        HttpResponse<String> answer = server.call(token, "GET", path);
        ok(answer);
        return AuthenticatedServer.tree(answer);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/v1/cs/configs?search=accurate&dataId=&group=&tenant=rows&pageNo=%d&pageSize=10",
                "/v1/cs/configs?search=blur&dataId=c*&group=&tenant=rows&pageNo=%d&pageSize=10",
                "/v1/cs/configs?search=blur&dataId=&group=&tenant=rows&config_detail=wor&pageNo=%d&pageSize=10",
                "/v2/cs/config/searchDetail?tenant=rows&config_detail=word&pageNo=%d&pageSize=10",
                "/v3/admin/cs/config/list?namespaceId=rows&pageNo=%d&pageSize=10",
                "/v3/console/cs/config/list?namespaceId=rows&pageNo=%d&pageSize=10",
                "/v3/console/cs/config/searchDetail?namespaceId=rows&configDetail=or&pageNo=%d&pageSize=10"
            })
    void pagesOfConfigurationsHoldAndCountOnlyReadableOnes(String path) {
        TreeSet<String> seen = new TreeSet<>();
        for (int number = 1; number <= 3; number++) {
            JsonNode answer = get(reader, path.formatted(number));
            JsonNode page = answer.has("data") ? answer.path("data") : answer;
            assertThat(page.path("totalCount").asInt()).isEqualTo(25);
            assertThat(page.path("pagesAvailable").asInt()).isEqualTo(3);
            assertThat(page.path("pageItems").size()).isEqualTo(number < 3 ? 10 : 5);
            page.path("pageItems").forEach(item -> {
                String group =
                        item.path("group").asString(item.path("groupName").asString(""));
                assertThat(group).isEqualTo("mine");
                seen.add(item.path("dataId").asString());
            });
        }
        assertThat(seen).hasSize(25);
        assertThat(server.call(stranger, "GET", path.formatted(1)).statusCode()).isEqualTo(403);
        assertThat(server.call(null, "GET", path.formatted(1)).statusCode()).isEqualTo(403);
    }

    @ParameterizedTest
    @CsvSource({
        "/v1/cs/history/configs?tenant=rows",
        "/v2/cs/history/configs?namespaceId=rows",
        "/v3/admin/cs/history/configs?namespaceId=rows"
    })
    void listsOnlyReadableConfigurationsWithAHistory(String path) {
        String mine = server.call(reader, "GET", path).body();
        assertThat(mine).contains("\"mine\"").doesNotContain("theirs");
        String shared = server.call(configsOnly, "GET", path).body();
        assertThat(shared).contains("shared-1").doesNotContain("c0");
        assertThat(server.call(stranger, "GET", path).statusCode()).isEqualTo(403);
    }

    @Test
    void listsOnlyReadableServices() {
        JsonNode page = get(reader, "/v3/admin/ns/service/list?namespaceId=rows&pageNo=3&pageSize=10")
                .path("data");
        assertThat(page.path("totalCount").asInt()).isEqualTo(25);
        assertThat(page.path("pageItems").size()).isEqualTo(5);
        assertThat(page.toString()).doesNotContain("theirs");
        JsonNode catalog = get(reader, "/v1/ns/catalog/services?namespaceId=rows&pageNo=1&pageSize=100");
        assertThat(catalog.path("count").asInt()).isEqualTo(25);
        assertThat(get(reader, "/v1/ns/service/list?namespaceId=rows&groupName=mine&pageNo=1&pageSize=10")
                        .path("count")
                        .asInt())
                .isEqualTo(25);
        assertThat(get(reader, "/v2/ns/service/list?namespaceId=rows&groupName=theirs&pageNo=1&pageSize=10")
                        .path("data")
                        .path("count")
                        .asInt())
                .isZero();
        JsonNode names = get(reader, "/v1/ns/service/names");
        assertThat(names.path("count").asInt()).isEqualTo(25);
        assertThat(names.path("services").propertyNames()).containsExactly("rows");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/v3/admin/ns/service/list?namespaceId=rows",
                "/v3/console/ns/service/list?namespaceId=rows",
                "/v1/ns/catalog/services?namespaceId=rows&pageNo=1&pageSize=10",
                "/v1/ns/service/list?namespaceId=rows&groupName=mine&pageNo=1&pageSize=10",
                "/v1/ns/service/names?namespaceId=rows",
                "/v2/ns/service/list?namespaceId=rows&groupName=mine"
            })
    void permissionsForConfigurationsOpenNoListOfServices(String path) {
        assertThat(server.call(configsOnly, "GET", path).statusCode()).isEqualTo(403);
        assertThat(server.call(stranger, "GET", path).statusCode()).isEqualTo(403);
    }

    @Test
    void listsNamespacesWithAnyPermission() {
        for (String path :
                List.of("/v1/console/namespaces", "/v2/console/namespace/list", "/v3/console/core/namespace/list")) {
            List<String> names = new ArrayList<>();
            get(reader, path)
                    .path("data")
                    .forEach(row -> names.add(row.path("namespace").asString()));
            assertThat(names).as(path).containsExactly("rows");
            assertThat(get(admin, path).path("data").size()).as(path).isGreaterThan(2);
        }
        assertThat(server.call(reader, "GET", "/v3/console/core/namespace?namespaceId=elsewhere")
                        .statusCode())
                .isEqualTo(403);
        ok(server.call(reader, "GET", "/v3/console/core/namespace?namespaceId=rows"));
        assertThat(server.call(reader, "GET", "/v1/console/namespaces?show=all&namespaceId=elsewhere")
                        .statusCode())
                .isEqualTo(403);
    }

    @Test
    void showsOnlyReadableKeysOfTheListenersOfAnAddress() {
        try (WireClient client = cairn.newClient()) {
            client.request(
                    "ConfigBatchListenRequest",
                    "{\"listen\":true,\"configListenContexts\":["
                            + "{\"dataId\":\"c1\",\"group\":\"mine\",\"tenant\":\"rows\",\"md5\":\"\"},"
                            + "{\"dataId\":\"c1\",\"group\":\"theirs\",\"tenant\":\"rows\",\"md5\":\"\"}]}",
                    Map.of("accessToken", admin));
            String path = "/v3/admin/cs/listener?ip=127.0.0.1&namespaceId=rows";
            assertThat(server.call(admin, "GET", path).body()).contains("c1+mine+rows", "c1+theirs+rows");
            assertThat(server.call(reader, "GET", path).body())
                    .contains("c1+mine+rows")
                    .doesNotContain("theirs");
            assertThat(server.call(stranger, "GET", path).statusCode()).isEqualTo(403);
            assertThat(server.call(stranger, "GET", path + "&all=true").body()).doesNotContain("rows");
        }
    }

    @Test
    void listsOnlyReadableServicesOverGrpc() {
        try (WireClient client = cairn.newClient()) {
            assertThat(services(client, reader, "mine").path("count").asInt()).isEqualTo(25);
            assertThat(services(client, reader, "theirs").path("count").asInt()).isZero();
            assertThat(services(client, configsOnly, "mine").path("errorCode").asInt())
                    .isEqualTo(403);
        }
    }

    private static JsonNode services(WireClient client, String token, String group) {
        return client.request(
                "ServiceListRequest",
                "{\"namespace\":\"rows\",\"serviceName\":\"\",\"groupName\":\"" + group
                        + "\",\"pageNo\":1,\"pageSize\":10}",
                Map.of("accessToken", token));
    }

    @Test
    void aPatternReportsOnlyReadableMatches() {
        try (WireClient mine = cairn.newClient();
                WireClient all = cairn.newClient()) {
            assertThat(watch(mine, reader).path("success").asBoolean()).isTrue();
            assertThat(watch(all, admin).path("success").asBoolean()).isTrue();
            assertThat(watch(mine, stranger).path("errorCode").asInt()).isEqualTo(403);
            publish("rows", "theirs", "fuzzy-1");
            publish("rows", "mine", "fuzzy-2");

            assertThat(keysUntil(all, "fuzzy-2")).anyMatch(key -> key.contains("fuzzy-1"));
            assertThat(keysUntil(mine, "fuzzy-2")).noneMatch(key -> key.contains("fuzzy-1"));
        }
    }

    /** The keys that a client is notified of, up to that name. */
    private static List<String> keysUntil(WireClient client, String last) {
        List<String> told = new ArrayList<>();
        while (told.isEmpty() || !told.get(told.size() - 1).contains(last)) {
            told.add(WireClient.tree(client.nextPush()).toString());
        }
        return told;
    }

    private static JsonNode watch(WireClient client, String token) {
        return client.request(
                "ConfigFuzzyWatchRequest",
                "{\"watchType\":\"WATCH\",\"initializing\":true,\"receivedGroupKeys\":[],"
                        + "\"groupKeyPattern\":\"rows>>*>>fuzzy*\"}",
                Map.of("accessToken", token));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/v1/console/namespaces",
                "/v2/console/namespace/list",
                "/v3/admin/core/namespace/list",
                "/v3/console/core/namespace/list"
            })
    void aListOfNamespacesCountsOnlyReadableConfigurations(String path) {
        assertThat(configCount(groupReader, path)).isEqualTo(2);
        assertThat(configCount(nameReader, path)).isEqualTo(1);
        assertThat(configCount(admin, path)).isEqualTo(5);
    }

    private static int configCount(String token, String path) {
        for (JsonNode each : get(token, path).path("data")) {
            if (each.path("namespace").asString().equals("counted")) {
                return each.path("configCount").asInt();
            }
        }
        throw new AssertionError("the namespace is not in the list");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/v1/console/namespaces?show=all&namespaceId=counted",
                "/v2/console/namespace?namespaceId=counted",
                "/v3/admin/core/namespace?namespaceId=counted",
                "/v3/console/core/namespace?namespaceId=counted"
            })
    void aNamespaceCountsOnlyReadableConfigurations(String path) {
        for (Map.Entry<String, Integer> each :
                Map.of(groupReader, 2, nameReader, 1, admin, 5).entrySet()) {
            JsonNode answer = get(each.getKey(), path);
            JsonNode namespace = answer.has("data") ? answer.path("data") : answer;
            assertThat(namespace.path("configCount").asInt()).isEqualTo(each.getValue());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/v2/ns/operator/metrics", "/v2/ns/ops/metrics", "/v3/admin/ns/ops/metrics"})
    void metricsOfTheRegistryCountOnlyReadableServices(String path) {
        JsonNode seen = get(groupReader, path + "?onlyStatus=false").path("data");
        assertThat(seen.path("status").asString()).isEqualTo("UP");
        assertThat(seen.path("serviceCount").asInt()).isEqualTo(2);
        assertThat(seen.path("instanceCount").asInt()).isEqualTo(2);
        assertThat(seen.path("subscribeCount").asInt(-1)).isZero();
        assertThat(seen.has("clientCount")).isFalse();
        assertThat(seen.has("load")).isFalse();
        JsonNode none = get(nameReader, path + "?onlyStatus=false").path("data");
        assertThat(none.path("serviceCount").asInt(-1)).isZero();
        assertThat(none.path("instanceCount").asInt(-1)).isZero();
        JsonNode all = get(admin, path + "?onlyStatus=false").path("data");
        assertThat(all.path("serviceCount").asInt()).isGreaterThanOrEqualTo(53);
        assertThat(all.path("instanceCount").asInt()).isGreaterThanOrEqualTo(3);
        assertThat(all.has("clientCount")).isTrue();
        assertThat(get(groupReader, path).path("data").has("serviceCount")).isFalse();
    }

    @Test
    void reportsTheCallersPermissionsInANamespace() {
        assertThat(rights(reader, "rows")).isEqualTo("r,r");
        assertThat(rights(reader, "elsewhere")).isEqualTo(",");
        assertThat(rights(configsOnly, "rows")).isEqualTo("r,");
        assertThat(rights(stranger, "elsewhere")).isEqualTo("rw,rw");
        assertThat(rights(stranger, "public")).isEqualTo(",");
        assertThat(rights(admin, "")).isEqualTo("rw,rw");
        assertThat(get(stranger, "/v3/auth/access")
                        .path("data")
                        .path("somewhere")
                        .asString())
                .isEqualTo("rw");
        assertThat(get(reader, "/v3/auth/access").path("data").path("somewhere").asString())
                .isEqualTo("r");
        assertThat(get(reader, "/v3/auth/access").path("data").has("namespace")).isFalse();
    }

    private static String rights(String token, String namespace) {
        JsonNode told = get(token, "/v3/auth/access?namespaceId=" + namespace)
                .path("data")
                .path("namespace");
        return told.path("config").asString() + ',' + told.path("naming").asString();
    }
}
