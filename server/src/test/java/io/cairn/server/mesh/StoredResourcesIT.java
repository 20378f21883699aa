package io.cairn.server.mesh;

import static io.cairn.testing.Patience.PATIENCE;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ConfigType;
import io.cairn.api.config.ContentDigest;
import io.cairn.api.config.Namespace;
import io.cairn.server.config.Author;
import io.cairn.server.config.ConfigAttributes;
import io.cairn.server.config.ConfigService;
import io.cairn.server.config.ConfigView;
import io.cairn.server.config.PublishConfig;
import io.cairn.server.gray.GrayClient;
import io.cairn.server.mesh.StoredResources.Reader;
import io.cairn.server.support.InspectableServer;
import io.cairn.server.support.WireClient;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Resources of the mesh that people write: refused where they are faulty, read where they are stored. */
class StoredResourcesIT {

    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final String GROUP = "CAIRN_XDS";
    private static final String LISTENER = "type.googleapis.com/envoy.config.listener.v3.Listener";
    private static final String ROUTE = "type.googleapis.com/envoy.config.route.v3.RouteConfiguration";
    private static final String GOOD = """
            virtual_hosts:
              - name: all
                domains: ["*"]
                routes:
                  - match: {prefix: /}
                    route: {cluster: CLUSTER}
            """;
    private static final String FAULTY = """
            virtual_hosts:
              - name: all
                domains: ["*"]
                routes:
                  - match: {prefix: /}
                    route: {cluster: orders, timeout: 3}
            """;
    private static final String PROBLEM = "content: line 6, column 34: virtual_hosts[0].routes[0].route.timeout:"
            + " '3' (expected: a duration in seconds, such as 0.25s or 30s)";

    @RegisterExtension
    static final InspectableServer cairn = InspectableServer.temporary().with("cairn.config.validation", "off");

    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private static String good(String cluster) {
        return GOOD.replace("CLUSTER", cluster);
    }

    private HttpResponse<String> post(String path, Map<String, String> form) throws Exception {
        String body = form.entrySet().stream()
                .map(field -> field.getKey() + '=' + URLEncoder.encode(field.getValue(), UTF_8))
                .collect(Collectors.joining("&"));
        return send(request(path)
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(BodyPublishers.ofString(body)));
    }

    private static HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + cairn.httpPort() + "/nacos" + path));
    }

    private HttpResponse<String> send(HttpRequest.Builder request) throws IOException, InterruptedException {
        return http.send(request.build(), BodyHandlers.ofString());
    }

    private HttpResponse<String> publish(String dataId, String content, String... more) throws Exception {
        Map<String, String> form =
                new LinkedHashMap<>(Map.of("dataId", dataId, "groupName", GROUP, "content", content, "type", "yaml"));
        for (int i = 0; i < more.length; i += 2) {
            form.put(more[i], more[i + 1]);
        }
        return post("/v3/admin/cs/config", form);
    }

    private static ConfigKey key(String dataId) {
        return new ConfigKey(Namespace.DEFAULT, GROUP, dataId);
    }

    private static boolean isStored(String dataId) {
        return cairn.part(ConfigView.class).entry(key(dataId)) != null;
    }

    @Test
    void refusesFaultyResourceOverHttpWithFieldAndLine() throws Exception {
        HttpResponse<String> v3 = publish("route.faulty", FAULTY);
        assertThat(v3.statusCode()).isEqualTo(400);
        assertThat(v3.body()).contains(PROBLEM);
        HttpResponse<String> v1 =
                post("/v1/cs/configs", Map.of("dataId", "route.faulty", "group", GROUP, "content", FAULTY));
        assertThat(v1.statusCode()).isEqualTo(400);
        assertThat(v1.body()).contains(PROBLEM);
        assertThat(isStored("route.faulty")).isFalse();
    }

    @Test
    void refusesFaultyResourceOverGrpc() {
        try (WireClient client = cairn.newClient()) {
            JsonNode answer = client.request(
                    "ConfigPublishRequest",
                    JSON.writeValueAsString(Map.of("dataId", "route.faulty-grpc", "group", GROUP, "content", FAULTY)));
            assertThat(answer.path("resultCode").asInt()).isEqualTo(500);
            assertThat(answer.path("message").asString()).contains(PROBLEM);
            assertThat(isStored("route.faulty-grpc")).isFalse();
        }
    }

    @Test
    void refusesChangeSetAndImportAndGrayReleaseWithFaultyResource() throws Exception {
        String changes = JSON.writeValueAsString(Map.of(
                "changes",
                List.of(
                        Map.of("dataId", "plain.txt", "groupName", "G", "content", "a"),
                        Map.of("dataId", "route.faulty-set", "groupName", GROUP, "content", FAULTY))));
        HttpResponse<String> set = send(request("/v3/admin/cs/config/changeset")
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(changes)));
        assertThat(set.statusCode()).isEqualTo(400);
        assertThat(set.body()).contains("route.faulty-set", PROBLEM);
        assertThat(isStored("route.faulty-set")).isFalse();

        HttpResponse<String> gray = send(request("/v1/cs/configs")
                .header("Content-Type", "application/x-www-form-urlencoded")
                .header("betaIps", "10.0.0.1")
                .POST(BodyPublishers.ofString(
                        "dataId=route.faulty-gray&group=" + GROUP + "&content=" + URLEncoder.encode(FAULTY, UTF_8))));
        assertThat(gray.statusCode()).isEqualTo(400);
        assertThat(gray.body()).contains(PROBLEM);

        HttpResponse<String> imported = upload(Map.of(GROUP + "/route.faulty-import", FAULTY));
        assertThat(imported.body()).contains(GROUP + "/route.faulty-import", PROBLEM);
        assertThat(isStored("route.faulty-import")).isFalse();
    }

    private HttpResponse<String> upload(Map<String, String> entries) throws Exception {
        ByteArrayOutputStream archive = new ByteArrayOutputStream();
        try (ZipOutputStream zip = new ZipOutputStream(archive)) {
            for (Map.Entry<String, String> entry : entries.entrySet()) {
                zip.putNextEntry(new ZipEntry(entry.getKey()));
                zip.write(entry.getValue().getBytes(UTF_8));
            }
        }
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        body.writeBytes(("--BB\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.zip\"\r\n"
                        + "Content-Type: application/zip\r\n\r\n")
                .getBytes(UTF_8));
        body.writeBytes(archive.toByteArray());
        body.writeBytes("\r\n--BB--\r\n".getBytes(UTF_8));
        return send(request("/v1/cs/configs?import=true")
                .header("Content-Type", "multipart/form-data; boundary=BB")
                .POST(BodyPublishers.ofByteArray(body.toByteArray())));
    }

    @Test
    void refusesSecretsEndpointsAndFormatsThatItCannotRead() throws Exception {
        assertThat(publish("secret.tls", "a: 1").body())
                .contains("a private key must not lie in a plain configuration");
        assertThat(publish("endpoints.orders", "a: 1").body()).contains("they come from the registered instances");
        assertThat(publish("route.encrypted", good("a"), "encryptedDataKey", "k")
                        .body())
                .contains("cannot be encrypted");
        assertThat(publish("route.toml", "a = 1", "type", "toml").body()).contains("(expected: yaml or json)");
        assertThat(publish("readme.md", "anything").statusCode()).isEqualTo(200);
        assertThat(isStored("secret.tls")).isFalse();
    }

    @Test
    void checksWithoutStoring() throws Exception {
        HttpResponse<String> registered =
                post("/v1/ns/instance", Map.of("serviceName", "checked-service", "ip", "10.0.0.1", "port", "80"));
        assertThat(registered.statusCode()).as(registered.body()).isEqualTo(200);
        JsonNode sound = check("route.checked", good("'checked-service~version=2'"));
        assertThat(sound.path("valid").asBoolean()).isTrue();
        assertThat(sound.path("typeUrl").asString()).isEqualTo(ROUTE);
        assertThat(sound.path("name").asString()).isEqualTo("checked");
        assertThat(sound.path("clusters")).hasToString("[{\"name\":\"checked-service~version=2\",\"exists\":true}]");
        assertThat(check("route.checked", good("no-such-service")).path("clusters"))
                .hasToString("[{\"name\":\"no-such-service\",\"exists\":false}]");
        JsonNode faulty = check("route.checked", FAULTY);
        assertThat(faulty.path("valid").asBoolean()).isFalse();
        assertThat(faulty.path("typeUrl").isNull()).isTrue();
        JsonNode problem = faulty.path("problems").path(0);
        assertThat(problem.path("path").asString()).isEqualTo("virtual_hosts[0].routes[0].route.timeout");
        assertThat(problem.path("line").asInt()).isEqualTo(6);
        assertThat(problem.path("column").asInt()).isEqualTo(34);
        assertThat(check("readme.md", "a")
                        .path("problems")
                        .path(0)
                        .path("message")
                        .asString())
                .contains("names no resource");
        assertThat(isStored("route.checked")).isFalse();
    }

    @Test
    void checkSaysWhichRoutesOfAListenerExist() throws Exception {
        String listener = """
                address: {socket_address: {address: 0.0.0.0, port_value: 8080}}
                filter_chains:
                - filters:
                  - name: envoy.filters.network.http_connection_manager
                    typed_config:
                      "@type": type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager
                      stat_prefix: checked
                      rds: {route_config_name: checked-later, config_source: {ads: {}, resource_api_version: V3}}
                      http_filters:
                      - name: envoy.filters.http.router
                        typed_config: {"@type": type.googleapis.com/envoy.extensions.filters.http.router.v3.Router}
                """;
        assertThat(check("listener.checked", listener).path("routes"))
                .hasToString("[{\"name\":\"checked-later\",\"exists\":false}]");
        assertThat(publish("route.checked-later", good("no-such-service")).statusCode())
                .isEqualTo(200);
        assertThat(check("listener.checked", listener).path("routes"))
                .hasToString("[{\"name\":\"checked-later\",\"exists\":true}]");
    }

    private JsonNode check(String dataId, String content) throws Exception {
        HttpResponse<String> answer = post("/v3/admin/mesh/check", Map.of("dataId", dataId, "content", content));
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return JSON.readTree(answer.body()).path("data");
    }

    @Test
    void grayReleaseReachesTheNodesOfItsRuleAlone() throws Exception {
        StoredResources stored = started();
        assertThat(publish("route.gray", good("gray-a")).statusCode()).isEqualTo(200);
        awaitCluster(stored, "gray", "", "10.9.9.9", "", "gray-a");

        HttpResponse<String> beta = send(request("/v1/cs/configs")
                .header("Content-Type", "application/x-www-form-urlencoded")
                .header("betaIps", "10.9.9.1, 10.9.9.2, ")
                .POST(BodyPublishers.ofString("dataId=route.gray&group=" + GROUP + "&type=yaml&content="
                        + URLEncoder.encode(good("gray-b"), UTF_8))));
        assertThat(beta.statusCode()).as(beta.body()).isEqualTo(200);
        assertThat(post(
                                "/v1/cs/configs",
                                Map.of(
                                        "dataId",
                                        "route.gray",
                                        "group",
                                        GROUP,
                                        "content",
                                        good("gray-c"),
                                        "tag",
                                        "blue"))
                        .statusCode())
                .isEqualTo(200);
        awaitCluster(stored, "gray", "", "10.9.9.1", "", "gray-b");
        awaitCluster(stored, "gray", "", "10.9.9.9", "blue", "gray-c");
        awaitCluster(stored, "gray", "", "10.9.9.9", "", "gray-a");
        // Nodes that get the same are one kind of reader, whatever their addresses and tags are.
        assertThat(stored.readerOf(Namespace.DEFAULT, "any", new GrayClient("10.1.1.1", "red")))
                .isEqualTo(stored.readerOf(Namespace.DEFAULT, "other", new GrayClient("10.1.1.2", null)))
                .isEqualTo(Reader.any(Namespace.DEFAULT));
        Reader betaReader = stored.readerOf(Namespace.DEFAULT, "any", new GrayClient("10.9.9.1", "red"));
        assertThat(betaReader)
                .isNotEqualTo(Reader.any(Namespace.DEFAULT))
                .isEqualTo(stored.readerOf(Namespace.DEFAULT, "other", new GrayClient("10.9.9.2", null)));
        assertThat(betaReader.grayReleases()).hasSize(1);
        assertThat(stored.isCurrent(betaReader)).isTrue();

        assertThat(send(request("/v1/cs/configs?beta=true&dataId=route.gray&group=" + GROUP)
                                .DELETE())
                        .statusCode())
                .isEqualTo(200);
        awaitCluster(stored, "gray", "", "10.9.9.1", "", "gray-a");
        assertThat(stored.isCurrent(betaReader)).isFalse();
    }

    @Test
    void resourceOfAnApplicationReachesItsNodesAlone() throws Exception {
        StoredResources stored = started();
        LinkedBlockingQueue<Namespace> changed = new LinkedBlockingQueue<>();
        stored.follow(changed::add);
        assertThat(publish("route.owned", good("owned-a"), "appName", "shop").statusCode())
                .isEqualTo(200);
        assertThat(changed.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEqualTo(Namespace.DEFAULT);
        awaitCluster(stored, "owned", "shop", "10.0.0.1", "", "owned-a");
        assertThat(resource(stored, "owned", "other", "10.0.0.1", "")).isNull();

        // A change of the application alone counts as well.
        assertThat(publish("route.owned", good("owned-a"), "appName", "store").statusCode())
                .isEqualTo(200);
        awaitCluster(stored, "owned", "store", "10.0.0.1", "", "owned-a");
        assertThat(resource(stored, "owned", "shop", "10.0.0.1", "")).isNull();

        assertThat(send(request("/v1/cs/configs?dataId=route.owned&group=" + GROUP)
                                .DELETE())
                        .statusCode())
                .isEqualTo(200);
        Awaitility.await().untilAsserted(() -> assertThat(resource(stored, "owned", "store", "10.0.0.1", ""))
                .isNull());
    }

    @Test
    void keepsLastGoodVersionAndReportsTheUnreadableOne() throws Exception {
        StoredResources stored = started();
        assertThat(publish("route.broken", good("broken-a")).statusCode()).isEqualTo(200);
        awaitCluster(stored, "broken", "", "10.0.0.1", "", "broken-a");

        // As a program does that writes into the database.
        storePastTheCheck("route.broken", FAULTY);
        storePastTheCheck("listener.broken", "a: 1");
        Awaitility.await().untilAsserted(() -> assertThat(findings())
                .containsOnlyOnce("route.broken false " + PROBLEM.substring(9) + "; proxies keep the version before")
                .anyMatch(text -> text.startsWith("listener.broken true line 1, column 1: a: is no field of")));
        assertThat(resource(stored, "broken", "", "10.0.0.1", "").clusters()).containsExactly("broken-a");
        assertThat(stored.of(reader(stored, "", "10.0.0.1", "")).getOrDefault(LISTENER, Map.of()))
                .doesNotContainKey("broken");

        assertThat(publish("route.broken", good("broken-b")).statusCode()).isEqualTo(200);
        awaitCluster(stored, "broken", "", "10.0.0.1", "", "broken-b");
        assertThat(findings()).noneMatch(text -> text.startsWith("route.broken"));
    }

    private static void storePastTheCheck(String dataId, String content) {
        byte[] utf8 = content.getBytes(UTF_8);
        cairn.part(ConfigService.class)
                .publish(new PublishConfig(
                        key(dataId),
                        utf8,
                        ContentDigest.of(utf8),
                        null,
                        ConfigAttributes.ofType(ConfigType.YAML),
                        null,
                        new Author("anna", "10.0.0.9")))
                .toCompletableFuture()
                .join();
    }

    private List<String> findings() throws Exception {
        JsonNode found =
                JSON.readTree(send(request("/v3/admin/core/attention")).body()).path("data");
        List<String> texts = new ArrayList<>();
        for (JsonNode finding : found) {
            if (finding.path("kind").asString().equals("MESH_RESOURCE_UNREADABLE")) {
                texts.add(finding.path("subject").asString()
                        + ' '
                        + finding.path("urgent").asBoolean()
                        + ' '
                        + finding.path("detail").asString());
            }
        }
        return texts;
    }

    private static StoredResources started() {
        StoredResources stored = cairn.part(StoredResources.class);
        stored.start();
        return stored;
    }

    private static Reader reader(StoredResources stored, String cluster, String address, String tag) {
        return stored.readerOf(Namespace.DEFAULT, cluster, new GrayClient(address, tag));
    }

    private static StoredResource resource(
            StoredResources stored, String name, String cluster, String address, String tag) {
        return stored.of(reader(stored, cluster, address, tag))
                .getOrDefault(ROUTE, Map.of())
                .get(name);
    }

    private static void awaitCluster(
            StoredResources stored, String name, String cluster, String address, String tag, String expected) {
        Awaitility.await().untilAsserted(() -> {
            StoredResource resource = resource(stored, name, cluster, address, tag);
            assertThat(resource).isNotNull();
            assertThat(resource.clusters()).containsExactly(expected);
            assertThat(resource.hash()).isEqualTo(ContentHash.of(resource.value()));
        });
    }
}
