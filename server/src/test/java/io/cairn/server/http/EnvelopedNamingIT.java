package io.cairn.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.server.http.RawHttp.Answer;
import io.cairn.server.support.CairnExtension;
import io.cairn.server.support.WireClient;
import java.util.List;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Versions 2 and 3 of the naming API, as far as the recorded samples do not cover them. */
class EnvelopedNamingIT {

    private static final JsonMapper JSON = JsonMapper.builder().build();

    @RegisterExtension
    static final CairnExtension cairn = CairnExtension.temporary();

    @Test
    void showsADisabledInstanceToAdministratorsButNotToConsumers() {
        ok("POST", "/nacos/v3/admin/ns/instance", "serviceName=disabled&ip=10.0.0.1&port=1&enabled=false");
        ok("POST", "/nacos/v3/admin/ns/instance", "serviceName=disabled&ip=10.0.0.2&port=2");

        assertThat(ips(data("/nacos/v3/client/ns/instance/list?serviceName=disabled")))
                .containsExactly("10.0.0.2");
        assertThat(ips(data("/nacos/v2/ns/instance/list?serviceName=disabled").path("hosts")))
                .containsExactly("10.0.0.2");
        assertThat(ips(data("/nacos/v3/admin/ns/instance/list?serviceName=disabled")))
                .containsExactlyInAnyOrder("10.0.0.1", "10.0.0.2");
        assertThat(ips(data("/v3/console/ns/instance/list?serviceName=disabled").path("pageItems")))
                .containsExactlyInAnyOrder("10.0.0.1", "10.0.0.2");
        assertThat(ips(data("/nacos/v2/ns/catalog/instances?serviceName=disabled&pageNo=1&pageSize=9&enabledOnly=true")
                        .path("instances")))
                .containsExactly("10.0.0.2");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/v3/console/ns/service", "/nacos/v3/console/ns/service", "/nacos/v3/admin/ns/service"})
    void consoleAndAdministrationChangeServicesAlike(String path) {
        String name = "service" + path.length();
        ok("POST", path, "serviceName=" + name + "&groupName=g&protectThreshold=0.5&metadata=a%3D1");
        ok("PUT", path, "serviceName=" + name + "&groupName=g&protectThreshold=0.25&metadata=b%3D2");

        JsonNode service = data(path + "?groupName=g&serviceName=" + name);
        assertThat(service.path("protectThreshold").asDouble()).isEqualTo(0.25);
        assertThat(service.path("metadata").toString()).isEqualTo("{\"b\":\"2\"}");
        assertThat(service.path("ephemeral").asBoolean()).isFalse();
        assertThat(data(path + "/list?groupNameParam=g&serviceNameParam=" + name)
                        .path("totalCount")
                        .asInt())
                .isEqualTo(1);

        ok("DELETE", path, "serviceName=" + name + "&groupName=g");
        assertThat(exchange("GET", path + "?groupName=g&serviceName=" + name, "")
                        .status())
                .isEqualTo(400);
    }

    @Test
    void sortsAndFiltersServicesByHealth() {
        String in = "&groupName=health&ephemeral=true";
        ok("POST", "/nacos/v3/admin/ns/instance", "serviceName=well&ip=10.0.1.1&port=1" + in);
        ok("POST", "/nacos/v3/admin/ns/instance", "serviceName=half&ip=10.0.1.1&port=1" + in);
        ok("POST", "/nacos/v3/admin/ns/instance", "serviceName=half&ip=10.0.1.2&port=1&healthy=false" + in);
        ok("POST", "/nacos/v3/admin/ns/instance", "serviceName=dark&ip=10.0.1.1&port=1&healthy=false" + in);
        ok("POST", "/nacos/v3/admin/ns/service", "serviceName=empty&groupName=health");
        for (String version : List.of("admin", "console")) {
            String list = "/nacos/v3/" + version + "/ns/service/list?groupNameParam=health&pageNo=1&pageSize=9";
            assertThat(names(data(list + "&sort=health"))).containsExactly("dark", "half", "well", "empty");
            assertThat(names(data(list + "&sort=instances&order=desc")))
                    .containsExactly("half", "dark", "well", "empty");
            assertThat(names(data(list + "&health=ill&sort=name"))).containsExactly("dark", "half");
            assertThat(names(data(list + "&health=down"))).containsExactly("dark");
            assertThat(exchange("GET", list + "&sort=size", "").text())
                    .contains("sort: 'size' (expected: name, group, instances, healthy or health)");
        }
        ok("PUT", "/nacos/v3/admin/ns/service", "serviceName=empty&groupName=health&protectThreshold=0.5");
        assertThat(names(data("/nacos/v3/admin/ns/service/list?groupNameParam=health&health=protected")))
                .as("nothing to protect")
                .isEmpty();
    }

    private static List<String> names(JsonNode page) {
        return StreamSupport.stream(page.path("pageItems").spliterator(), false)
                .map(service -> service.path("name").asString())
                .toList();
    }

    @Test
    void consolesGetPagesOfInstancesThatAreSearchedAndSorted() {
        for (int i = 8; i <= 12; i++) {
            ok(
                    "POST",
                    "/nacos/v3/admin/ns/instance",
                    "serviceName=paged&ephemeral=true&port=80&ip=10.0.0." + i + "&weight=" + (20 - i) + "&healthy="
                            + (i != 9) + "&metadata=zone%3D" + (i % 2 == 0 ? "even" : "odd"));
        }
        String list = "/v3/console/ns/instance/list?serviceName=paged&pageNo=1&pageSize=2";

        JsonNode first = data(list + "&sort=address");
        assertThat(first.path("totalCount").asInt()).isEqualTo(5);
        assertThat(ips(first.path("pageItems"))).containsExactly("10.0.0.8", "10.0.0.9");
        assertThat(ips(data(list + "&sort=address&order=desc").path("pageItems")))
                .containsExactly("10.0.0.12", "10.0.0.11");
        assertThat(ips(data(list + "&sort=health").path("pageItems"))).startsWith("10.0.0.9");
        assertThat(ips(data(list + "&sort=weight").path("pageItems"))).containsExactly("10.0.0.12", "10.0.0.11");
        assertThat(ips(data(list + "&health=unhealthy").path("pageItems"))).containsExactly("10.0.0.9");
        assertThat(data(list + "&search=zone=even").path("totalCount").asInt()).isEqualTo(3);
        assertThat(ips(data(list + "&search=0.12:8").path("pageItems"))).containsExactly("10.0.0.12");
        assertThat(exchange("GET", list + "&sort=size", "").text())
                .contains("sort: 'size' (expected: address, health or weight)");
        JsonNode detail = data("/v3/console/ns/service?serviceName=paged&withCounts=true");
        assertThat(detail.path("instanceCount").asInt()).isEqualTo(5);
        assertThat(detail.path("healthyInstanceCount").asInt()).isEqualTo(4);
    }

    @Test
    void pagesOfServicesDoNotOverlap() {
        for (int i = 0; i < 5; i++) {
            ok("POST", "/nacos/v3/admin/ns/service", "namespaceId=paged&serviceName=s" + i);
        }

        JsonNode last = data("/nacos/v3/admin/ns/service/list?namespaceId=paged&pageNo=3&pageSize=2");
        assertThat(last.path("totalCount").asInt()).isEqualTo(5);
        assertThat(last.path("pageNumber").asInt()).isEqualTo(3);
        assertThat(last.path("pagesAvailable").asInt()).isEqualTo(3);
        assertThat(last.path("pageItems").size()).isEqualTo(1);
        assertThat(last.path("pageItems").path(0).path("name").asString()).isEqualTo("s4");
        assertThat(data("/nacos/v2/ns/service/list?namespaceId=paged&pageNo=2&pageSize=2")
                        .toString())
                .isEqualTo("{\"count\":5,\"services\":[\"s2\",\"s3\"]}");
        assertThat(data("/nacos/v3/admin/ns/service/list?namespaceId=paged&ignoreEmptyService=true")
                        .path("totalCount")
                        .asInt())
                .isZero();
    }

    @Test
    void aPartialChangeKeepsOtherFields() {
        ok("POST", "/nacos/v3/admin/ns/instance", "serviceName=part&ip=10.0.0.1&port=1&weight=2&metadata=a%3D1");
        ok("PUT", "/nacos/v3/admin/ns/instance/partial", "serviceName=part&ip=10.0.0.1&port=1&enabled=false");
        Answer patched = exchange("PATCH", "/nacos/v2/ns/instance", "serviceName=part&ip=10.0.0.1&port=1&weight=7");

        assertThat(patched.text()).isEqualTo("ok");
        JsonNode instance = data("/nacos/v3/admin/ns/instance?serviceName=part&ip=10.0.0.1&port=1");
        assertThat(instance.path("enabled").asBoolean()).isFalse();
        assertThat(instance.path("weight").asDouble()).isEqualTo(7.0);
        assertThat(instance.path("metadata").toString()).isEqualTo("{\"a\":\"1\"}");
        assertThat(exchange("PUT", "/nacos/v3/admin/ns/instance/partial", "serviceName=part&ip=10.9.9.9&port=1")
                        .status())
                .isEqualTo(404);
    }

    @Test
    void setsHealthByHandWithoutAHealthCheck() {
        ok("POST", "/nacos/v3/admin/ns/instance", "serviceName=hand&ip=10.0.0.1&port=1&ephemeral=false");
        ok(
                "PUT",
                "/nacos/v3/admin/ns/cluster",
                "serviceName=hand&clusterName=DEFAULT&checkPort=80&useInstancePort4Check=true"
                        + "&healthChecker=%7B%22type%22%3A%22NONE%22%7D");
        ok("PUT", "/nacos/v3/admin/ns/health/instance", "serviceName=hand&ip=10.0.0.1&port=1&healthy=false");

        JsonNode instance = data("/nacos/v3/admin/ns/instance?serviceName=hand&ip=10.0.0.1&port=1");
        assertThat(instance.path("healthy").asBoolean()).isFalse();
        assertThat(instance.path("ephemeral").asBoolean()).isFalse();
        assertThat(data("/nacos/v3/admin/ns/service?serviceName=hand")
                        .path("clusterMap")
                        .path("DEFAULT")
                        .path("healthChecker")
                        .path("type")
                        .asString())
                .isEqualTo("NONE");
    }

    @Test
    void findsPublishersOfBothKindsAndWithFiltersOfNull() {
        ok("POST", "/nacos/v3/admin/ns/instance", "serviceName=kept&ip=10.0.0.1&port=1&ephemeral=false");

        JsonNode publishers =
                data("/nacos/v3/admin/ns/client/service/publisher/list?serviceName=kept&ip=null&port=null");
        assertThat(publishers.toString())
                .isEqualTo("[{\"clientId\":\"10.0.0.1:1#false\",\"ip\":\"10.0.0.1\",\"port\":1,"
                        + "\"clusterName\":\"DEFAULT\"}]");
        assertThat(data("/nacos/v3/admin/ns/client/service/publisher/list?serviceName=kept&port=2")
                        .size())
                .isZero();
        assertThat(data("/nacos/v3/admin/ns/client?clientId=10.0.0.1:1%23false")
                        .path("ephemeral")
                        .asBoolean())
                .isFalse();
        assertThat(data("/nacos/v3/admin/ns/client/distro?ip=10.0.0.1&port=1")
                        .path("responsibleServer")
                        .asString())
                .matches("[0-9.]+:[0-9]+");
    }

    @Test
    void countsClientsWithoutRegistrations() {
        try (WireClient client = cairn.newTransport()) {
            client.push(
                    "ConnectionSetupRequest",
                    "{\"clientVersion\":\"Nacos-Go-Client:v2.2.0\",\"labels\":{\"module\":\"naming\"}}");
            // Clients of other tests may still be disconnecting.
            await().untilAsserted(() -> {
                JsonNode metrics = data("/nacos/v3/admin/ns/ops/metrics?onlyStatus=false");
                List<String> listed = texts(data("/nacos/v3/admin/ns/client/list"));
                assertThat(metrics.path("clientCount").asInt()).isEqualTo(listed.size());
                assertThat(metrics.path("connectionBasedClientCount").asLong())
                        .isEqualTo(
                                listed.stream().filter(id -> !id.contains("#")).count())
                        .isPositive();
            });
        }
    }

    private static List<String> texts(JsonNode array) {
        return StreamSupport.stream(array.spliterator(), false)
                .map(JsonNode::asString)
                .toList();
    }

    @Test
    void findsPublishersAndSubscribersOverAConnection() {
        try (WireClient client = cairn.newTransport()) {
            client.push("ConnectionSetupRequest", """
                    {"clientVersion":"Nacos-Go-Client:v2.2.0","labels":{"module":"naming","AppName":"shop"}}""");
            await().until(() ->
                    client.request("HealthCheckRequest", "{}").path("success").asBoolean());
            String service = "\"namespace\":\"public\",\"groupName\":\"g\",\"serviceName\":\"wired\"";
            client.request(
                    "InstanceRequest",
                    "{" + service + ",\"type\":\"registerInstance\",\"instance\":{\"ip\":\"10.0.0.1\",\"port\":1}}");
            client.request("SubscribeServiceRequest", "{" + service + ",\"subscribe\":true,\"clusters\":\"\"}");

            JsonNode publisher = data("/nacos/v3/admin/ns/client/service/publisher/list?serviceName=wired&groupName=g")
                    .path(0);
            String id = publisher.path("clientId").asString();
            assertThat(id).matches("[0-9]+_127\\.0\\.0\\.1_[0-9]+");
            for (String path : List.of("/nacos/v2/ns/client", "/nacos/v3/admin/ns/client")) {
                assertThat(data(path + "/list").toString()).contains('"' + id + '"');
                JsonNode described = data(path + "?clientId=" + id);
                assertThat(described.path("clientType").asString()).isEqualTo("connection");
                assertThat(described.path("appName").asString()).isEqualTo("shop");
                assertThat(described.path("version").asString()).isEqualTo("Nacos-Go-Client:v2.2.0");
                assertThat(id).endsWith("_" + described.path("clientPort").asString());
                assertThat(data(path + "/publish/list?clientId=" + id).toString())
                        .contains("\"serviceName\":\"wired\"", "\"ip\":\"10.0.0.1\"");
                assertThat(data(path + "/subscribe/list?clientId=" + id).toString())
                        .contains("\"serviceName\":\"wired\"", "\"agent\":\"Nacos-Go-Client:v2.2.0\"");
                assertThat(data(path + "/service/subscriber/list?serviceName=wired&groupName=g")
                                .path(0)
                                .path("clientId")
                                .asString())
                        .isEqualTo(id);
            }
            assertThat(data("/v3/console/ns/service/subscribers?serviceName=wired&groupName=g")
                            .path("pageItems")
                            .path(0)
                            .path("appName")
                            .asString())
                    .isEqualTo("shop");
        }
    }

    @Test
    void mergesEqualSubscribersIntoOneRow() {
        String service = "\"namespace\":\"public\",\"serviceName\":\"rows\",\"groupName\":\"g\"";
        try (WireClient one = cairn.newClient();
                WireClient other = cairn.newClient();
                WireClient elsewhere = cairn.newTransport().setUp("10.0.0.8")) {
            for (WireClient client : List.of(one, other, elsewhere)) {
                client.request("SubscribeServiceRequest", "{" + service + ",\"subscribe\":true,\"clusters\":\"\"}");
            }
            one.request("SubscribeServiceRequest", "{" + service + ",\"subscribe\":true,\"clusters\":\"c1\"}");

            JsonNode page = data("/v3/console/ns/service/subscribers?serviceName=rows&groupName=g");
            assertThat(page.path("totalCount").asInt()).isEqualTo(3);
            assertThat(page.path("pageItems").findValuesAsString("ip"))
                    .containsExactly("10.0.0.8", "127.0.0.1", "127.0.0.1");
            assertThat(page.path("pageItems").findValuesAsString("clusters")).containsExactly("c1");
            JsonNode v1 = JSON.readTree(cairn.get("/v1/ns/service/subscribers?serviceName=rows&groupName=g&pageSize=2")
                    .body());
            assertThat(v1.path("count").asInt()).isEqualTo(3);
            assertThat(v1.path("subscribers").findValuesAsString("addrStr")).containsExactly("10.0.0.8", "127.0.0.1");
            // Each client by its id, without merging.
            assertThat(data("/nacos/v3/admin/ns/client/service/subscriber/list?serviceName=rows&groupName=g"))
                    .hasSize(4);
        }
    }

    @Test
    void findsSubscribersOverUdp() {
        String id = "127.0.0.1:43210#true";
        long before = System.currentTimeMillis();
        listWithPort("told", 43210);

        for (String path : List.of("/nacos/v2/ns/client", "/nacos/v3/admin/ns/client")) {
            assertThat(data(path + "/service/subscriber/list?serviceName=g@@told")
                            .path(0)
                            .path("clientId")
                            .asString())
                    .isEqualTo(id);
            assertThat(data(path + "/list").toString()).containsOnlyOnce('"' + id + '"');
            JsonNode described = data(path + "?clientId=127.0.0.1:43210%23true");
            assertThat(described.path("clientId").asString()).isEqualTo(id);
            assertThat(described.path("ephemeral").asBoolean()).isTrue();
            assertThat(described.path("clientType").asString()).isEqualTo("ipPort");
            assertThat(described.path("clientIp").asString()).isEqualTo("127.0.0.1");
            assertThat(described.path("clientPort").asString()).isEqualTo("43210");
            assertThat(described.path("lastUpdatedTime").asLong()).isBetween(before, System.currentTimeMillis());
            assertThat(data(path + "/publish/list?clientId=127.0.0.1:43210%23true"))
                    .isEmpty();
            JsonNode subscribed = data(path + "/subscribe/list?clientId=127.0.0.1:43210%23true");
            assertThat(subscribed).hasSize(1);
            assertThat(subscribed.toString())
                    .contains("\"serviceName\":\"told\"", "\"agent\":\"Nacos-Java-Client:v1.4.8\"");
        }
    }

    @Test
    void registrationAndUdpSubscriptionOfOnePortAreOneClient() {
        ok("POST", "/nacos/v2/ns/instance", "serviceName=own&groupName=g&ip=127.0.0.1&port=43211&ephemeral=true");
        long before = System.currentTimeMillis();
        listWithPort("others", 43211);

        for (String path : List.of("/nacos/v2/ns/client", "/nacos/v3/admin/ns/client")) {
            assertThat(data(path + "/list").toString()).containsOnlyOnce("\"127.0.0.1:43211#true\"");
            assertThat(data(path + "?clientId=127.0.0.1:43211%23true")
                            .path("lastUpdatedTime")
                            .asLong())
                    .as("listing counts as well")
                    .isGreaterThanOrEqualTo(before);
            assertThat(data(path + "/publish/list?clientId=127.0.0.1:43211%23true")
                            .toString())
                    .contains("\"serviceName\":\"own\"");
            assertThat(data(path + "/subscribe/list?clientId=127.0.0.1:43211%23true")
                            .toString())
                    .contains("\"serviceName\":\"others\"");
        }
    }

    private static void listWithPort(String service, int udpPort) {
        try (RawHttp http = RawHttp.connect(cairn.server())) {
            String target =
                    "/nacos/v1/ns/instance/list?serviceName=g@@" + service + "&clientIP=127.0.0.1&udpPort=" + udpPort;
            assertThat(http.request("GET", target, "User-Agent: Nacos-Java-Client:v1.4.8")
                            .answer()
                            .status())
                    .isEqualTo(200);
        }
    }

    @Test
    void theStatusPathAcceptsANamespace() {
        ok("POST", "/nacos/v2/ns/instance", "namespaceId=other&serviceName=s&ip=10.0.0.1&port=1");

        assertThat(exchange("GET", "/nacos/v2/ns/instance/statuses/other%23%23DEFAULT_GROUP%40%40s", "")
                        .text())
                .isEqualTo("{\"ips\":[\"10.0.0.1:1_true\"]}");
        assertThat(exchange("GET", "/nacos/v2/ns/instance/statuses/nogroup", "").status())
                .isEqualTo(400);
        assertThat(exchange("GET", "/nacos/v2/ns/instance/statuses/a%zz", "").status())
                .isEqualTo(400);
    }

    @Test
    void aWrongMethodGetsTheErrorTextOfEachVersion() {
        Answer two = exchange("PATCH", "/nacos/v2/ns/service", "");
        Answer three = exchange("PATCH", "/nacos/v3/admin/ns/service", "");

        assertThat(two.status()).isEqualTo(500);
        assertThat(two.text())
                .isEqualTo("{\"code\":500,\"message\":\"caused: Request method &#39;PATCH&#39; not supported;\","
                        + "\"data\":null}");
        assertThat(three.status()).isEqualTo(405);
        assertThat(three.header("Allow")).contains("GET", "POST", "PUT", "DELETE");
    }

    @Test
    void version1ReturnsOnlyHealthyInstancesWhileVersion3AppliesProtectionFirst() {
        String of = "serviceName=few";
        ok("POST", "/nacos/v3/admin/ns/service", of + "&protectThreshold=0.5");
        ok(
                "PUT",
                "/nacos/v3/admin/ns/cluster",
                of
                        + "&clusterName=DEFAULT&checkPort=80&useInstancePort4Check=true&healthChecker=%7B%22type%22%3A%22NONE%22%7D");
        ok("POST", "/nacos/v3/admin/ns/instance", of + "&ip=10.0.0.1&port=1&ephemeral=false");
        ok("POST", "/nacos/v3/admin/ns/instance", of + "&ip=10.0.0.2&port=1&ephemeral=false");
        ok("PUT", "/nacos/v3/admin/ns/health/instance", of + "&ip=10.0.0.2&port=1&healthy=false");

        JsonNode old = JSON.readTree(exchange("GET", "/nacos/v1/ns/instance/list?healthyOnly=true&" + of, "")
                .text());
        assertThat(old.path("hosts").size()).isEqualTo(1);
        assertThat(old.at("/hosts/0/ip").asString()).isEqualTo("10.0.0.1");
        assertThat(old.path("reachProtectionThreshold").asBoolean()).isFalse();
        JsonNode all = JSON.readTree(
                exchange("GET", "/nacos/v1/ns/instance/list?" + of, "").text());
        assertThat(all.path("hosts").size()).isEqualTo(2);
        assertThat(all.path("reachProtectionThreshold").asBoolean()).isTrue();
        assertThat(data("/nacos/v3/client/ns/instance/list?healthyOnly=true&" + of)
                        .size())
                .isEqualTo(2);
    }

    @ParameterizedTest
    @CsvSource({
        "POST, instance, serviceName=s&ip=1.1.1.1&port=1&weight=abc, 20002",
        "POST, instance, serviceName=s&ip=1.1.1.1&port=1&metadata=oops, 21002",
        "POST, instance, serviceName=%40%40s&ip=1.1.1.1&port=1, 21000",
        "POST, instance, serviceName=s&ip=1.1.1.1, 10000",
        "PUT, ops/switches, entry=pushCacheMillis&value=1, 20002",
        "POST, service, serviceName=s&selector=%7B%22type%22%3A%22nope%22%7D, 21006",
        "PUT, ops/switches, entry=pushCacheMillis, 10000",
        "POST, service, serviceName=t&protectThreshold=2, 20002",
        "PUT, cluster, serviceName=s&clusterName=c&checkPort=80, 10000"
    })
    void refusesUnreadableParameters(String method, String path, String form, int code) {
        Answer answer = exchange(method, "/nacos/v3/admin/ns/" + path, form);

        assertThat(answer.status()).as(answer.text()).isEqualTo(400);
        assertThat(JSON.readTree(answer.text()).path("code").asInt())
                .as(answer.text())
                .isEqualTo(code);
    }

    @ParameterizedTest
    @CsvSource({
        "GET, /v2/ns/service/list?pageNo=x&pageSize=1, pageNo",
        "GET, /v2/ns/catalog/instances?serviceName=s&pageNo=1&pageSize=x, pageSize",
        "GET, /v3/admin/ns/service/list?pageNo=x, pageNo",
        "POST, /v3/admin/ns/instance?serviceName=s&ip=1.1.1.1&port=1&weight=x, weight",
        "POST, /v3/admin/ns/service?serviceName=s&protectThreshold=x, protectThreshold",
        "GET, /v3/admin/cs/history?dataId=a&groupName=g&nid=x, nid",
        "DELETE, /v3/admin/cs/config/batch?ids=x, ids"
    })
    void reportsAParameterThatIsNotANumber(String method, String path, String parameter) {
        Answer answer = exchange(method, "/nacos" + path, "");

        assertThat(answer.status()).as(answer.text()).isEqualTo(400);
        assertThat(JSON.readTree(answer.text()).path("code").asInt()).isEqualTo(20002);
        assertThat(JSON.readTree(answer.text()).path("data").asString())
                .isEqualTo(parameter + ": For input string: \"x\"");
    }

    @Test
    void acceptsOnlyValidLogLevels() {
        ok("PUT", "/nacos/v3/admin/ns/ops/log", "logName=naming-main&logLevel=info");

        Answer refused = exchange("PUT", "/nacos/v3/admin/ns/ops/log", "logName=naming-main&logLevel=loud");
        assertThat(refused.status()).isEqualTo(400);
        assertThat(refused.text()).contains("loud").contains("DEBUG");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/nacos/v2/console/health/liveness",
                "/nacos/v2/console/health/readiness",
                "/nacos/v3/admin/core/state/liveness",
                "/nacos/v3/admin/core/state/readiness",
                "/nacos/v3/admin/core/ops/readiness",
                "/v3/console/health/readiness",
                "/nacos/v3/console/health/readiness"
            })
    void aHealthyServerReportsThatItIsUp(String path) {
        assertThat(data(path).asString()).isEqualTo("ok");
    }

    private static List<String> ips(JsonNode instances) {
        Stream<JsonNode> all = StreamSupport.stream(instances.spliterator(), false);
        return all.map(instance -> instance.path("ip").asString()).toList();
    }

    private static JsonNode data(String target) {
        Answer answer = exchange("GET", target, "");
        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
        return JSON.readTree(answer.text()).path("data");
    }

    private static void ok(String method, String path, String form) {
        assertThat(exchange(method, path, form).text())
                .isEqualTo("{\"code\":0,\"message\":\"success\",\"data\":\"ok\"}");
    }

    private static Answer exchange(String method, String target, String form) {
        try (RawHttp http = RawHttp.connect(cairn.server())) {
            if (form.isEmpty()) {
                http.request(method, target);
            } else {
                http.form(method, target, form);
            }
            return http.answer();
        }
    }
}
