package io.cairn.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.cairn.cli.CairnCommandIT.Answer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands for the mesh, answered as the server answers its admin endpoints. */
class MeshCommandsIT {

    private static final String PROXIES = """
            {"totalCount":2,"pageNumber":1,"pagesAvailable":1,"pageItems":[
             {"id":"17_a","nodeId":"sidecar-1","nodeCluster":"orders","address":"10.0.0.7:41234","server":"10.0.0.1:8848",
              "agent":"envoy/1.40.0","flavour":"envoy","protocol":"delta","namespaceId":"public","user":"token:mesh","tag":"",
              "connectedAt":0,"state":"refusing","hostNames":0,"types":[
               {"type":"cds","wildcard":true,"names":0,"resources":3,"sentVersion":"17","acknowledgedVersion":"17",
                "state":"current","error":null,"since":0},
               {"type":"lds","wildcard":true,"names":0,"resources":1,"sentVersion":"17","acknowledgedVersion":"16",
                "state":"refusing","error":"error adding listener:\\nport 80 is taken","since":60000}]},
             {"id":"17_b","nodeId":"sidecar-2","nodeCluster":"orders","address":"10.0.0.8:40000","server":"10.0.0.1:8848",
              "agent":"grpc-java/1.83.1","flavour":"grpc","protocol":"sotw","namespaceId":"dev","user":"","tag":"",
              "connectedAt":0,"state":"current","hostNames":0,"types":[]}]}""";

    private final List<String> requests = new CopyOnWriteArrayList<>();
    private final Map<String, String> answers = new ConcurrentHashMap<>();
    private HttpServer server;

    @TempDir
    Path folder;

    @BeforeEach
    void start() throws Exception {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            String form = URLDecoder.decode(new String(exchange.getRequestBody().readAllBytes(), UTF_8), UTF_8);
            requests.add((exchange.getRequestMethod() + ' ' + exchange.getRequestURI() + ' ' + form).strip());
            String path = exchange.getRequestURI().getPath();
            String data = answers.get(path.substring(path.lastIndexOf('/') + 1));
            byte[] body = (data == null
                            ? "{\"code\":20004,\"message\":\"resource not found\",\"data\":null}"
                            : "{\"code\":0,\"message\":\"success\",\"data\":" + data + '}')
                    .getBytes(UTF_8);
            exchange.getResponseHeaders().add("Content-Type", "application/json");
            exchange.sendResponseHeaders(data == null ? 404 : 200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    private Answer cairn(String input, String... words) {
        List<String> all = new ArrayList<>(List.of(words));
        all.add(0, "mesh");
        return CairnCommandIT.run(
                Map.of("CAIRN_SERVER", "127.0.0.1:" + server.getAddress().getPort()),
                input,
                all.toArray(String[]::new));
    }

    @Test
    void listsEachProxyWithItsRefusalsAndReasons() {
        answers.put("proxies", PROXIES);

        Answer answer = cairn("", "proxies", "--state", "refusing", "--type", "lds", "--address", "10.0");

        assertThat(answer.status()).as(answer.toString()).isZero();
        assertThat(answer.out().lines())
                .containsExactly(
                        "NODE       CLUSTER  ADDRESS         AGENT             PROTOCOL  NAMESPACE  STATE     CONNECTED             WHY",
                        "sidecar-1  orders   10.0.0.7:41234  envoy/1.40.0      delta     public     refusing  1970-01-01T00:00:00Z  "
                                + "lds refusing since 1970-01-01T00:01:00Z: error adding listener: port 80 is taken",
                        "sidecar-2  orders   10.0.0.8:40000  grpc-java/1.83.1  sotw      dev        current   1970-01-01T00:00:00Z");
        assertThat(requests)
                .containsExactly(
                        "GET /nacos/v3/admin/mesh/proxies?state=refusing&type=lds&address=10.0&pageNo=1&pageSize=5000");
    }

    @Test
    void listsRefusedProxiesWithTheReasonOfTheServer() {
        answers.put("proxies", """
                {"totalCount":1,"pageNumber":1,"pagesAvailable":1,"pageItems":[
                 {"id":"refused-1_17_a","nodeId":"sidecar-3","nodeCluster":"orders","address":"10.0.0.9:40000",
                  "server":"10.0.0.1:8848","agent":"envoy/1.40.0","flavour":"envoy","protocol":"delta","namespaceId":"public",
                  "user":"","tag":"","connectedAt":0,"state":"denied","hostNames":0,"reason":"'mesh' lacks\\nthe right",
                  "types":[]}]}""");

        Answer answer = cairn("", "proxies", "--state", "denied");

        assertThat(answer.status()).as(answer.toString()).isZero();
        assertThat(answer.out()).contains("sidecar-3", "denied  1970-01-01T00:00:00Z  'mesh' lacks the right");
        assertThat(cairn("", "resource", "cds", "orders", "--proxy", "sidecar-3")
                        .err())
                .contains("no proxy with the node id sidecar-3 is connected");
    }

    @Test
    void unknownStatesAndTypesAreRefusedWithoutARequest() {
        assertThat(cairn("", "proxies", "--state", "ok").err())
                .startsWith("cairn: --state: 'ok' (expected: current, waiting, refusing, starting, refused,"
                        + " denied, unauthenticated)");
        assertThat(cairn("", "resource", "xds", "orders").err())
                .startsWith("cairn: TYPE: 'xds' (expected: cds, eds, lds, rds)");
        assertThat(cairn("", "resource", "cds", "orders", "--proxy", "a", "--flavour", "grpc")
                        .err())
                .startsWith("cairn: --flavour: not with --proxy");
        assertThat(requests).isEmpty();
    }

    @Test
    void aResourceIsPrintedAsTheProxyGetsIt() {
        answers.put("proxies", PROXIES);
        answers.put("resource", """
                {"type":"eds","name":"orders","typeUrl":"type.googleapis.com/x","version":"4be4b64e5e1a7e0c",
                 "source":"registry","json":{"cluster_name":"orders","endpoints":[{"priority":0}],"none":[]},"base64":"AA==",
                 "bytes":1}""");

        Answer answer = cairn("", "resource", "eds", "orders", "--proxy", "sidecar-2");

        assertThat(answer.status()).as(answer.toString()).isZero();
        assertThat(answer.out()).isEqualTo("""
                        {
                          "cluster_name": "orders",
                          "endpoints": [
                            {
                              "priority": 0
                            }
                          ],
                          "none": []
                        }
                        """);
        assertThat(answer.err())
                .isEqualTo("cairn: orders is made from the registry, version 4be4b64e5e1a7e0c, 1 bytes\n");
        assertThat(requests)
                .containsExactly(
                        "GET /nacos/v3/admin/mesh/proxies?node=sidecar-2&pageNo=1&pageSize=5000",
                        "GET /nacos/v3/admin/mesh/resource?type=eds&name=orders&proxy=17_b&namespaceId=dev");
    }

    @Test
    void resourcesOfAProxyThatTakesAllAreListed() {
        answers.put("proxies", PROXIES);
        answers.put("config", """
                {"totalCount":2,"pageNumber":1,"pagesAvailable":1,"pageItems":[
                 {"name":"gateway","source":"stored","version":"4be4b64e5e1a7e0c","bytes":1234},
                 {"name":"orders","source":"registry","version":"00b4b64e5e1a7e0c","bytes":99}]}""");

        Answer answer = cairn("", "config", "listeners", "sidecar-2");

        assertThat(answer.status()).as(answer.toString()).isZero();
        assertThat(answer.out().lines())
                .containsExactly(
                        "NAME     SOURCE    VERSION           BYTES",
                        "gateway  stored    4be4b64e5e1a7e0c  1234",
                        "orders   registry  00b4b64e5e1a7e0c  99");
        assertThat(requests)
                .last()
                .isEqualTo(
                        "GET /nacos/v3/admin/mesh/config?proxy=17_b&namespaceId=dev&type=lds&pageNo=1&pageSize=5000");
        assertThat(cairn("", "config", "secrets", "sidecar-2").err())
                .startsWith("cairn: KIND: 'secrets' (expected: clusters, endpoints, listeners, routes)");
    }

    @Test
    void aResourceOrProxyThatIsNotThereIsNamed() {
        assertThat(cairn("", "resource", "cds", "nothing"))
                .isEqualTo(new Answer(1, "", "cairn: there is no cds resource nothing\n"));
        answers.put("proxies", PROXIES);
        assertThat(cairn("", "resource", "cds", "orders", "--proxy", "sidecar").err())
                .startsWith("cairn: no proxy with the node id sidecar is connected");
    }

    @Test
    void aCheckPrintsProblemsWithTheirPlaceAndEndsWithStatus1() throws Exception {
        Path file = Files.writeString(folder.resolve("route.yaml"), "virtual_hosts: []\n");
        answers.put("check", """
                {"valid":false,"typeUrl":null,"name":null,"problems":[{"path":"virtual_hosts[0].routes[0].match","line":7,
                 "column":5,"message":"is missing"}],"warnings":[{"path":"","line":1,"column":1,"message":"unknown field"}],
                 "clusters":[]}""");

        Answer answer = cairn("", "check", "route.orders", "--file", file.toString());

        assertThat(answer.status()).isEqualTo(1);
        assertThat(answer.out())
                .isEqualTo(file + ":7:5: virtual_hosts[0].routes[0].match: is missing\n" + file
                        + ":1:1: unknown field (warning)\n");
        assertThat(requests)
                .containsExactly(
                        "POST /nacos/v3/admin/mesh/check dataId=route.orders&content=virtual_hosts: []\n".strip());
    }

    @Test
    void aValidResourceMayNameClustersThatDoNotExist() {
        answers.put("check", """
                {"valid":true,"typeUrl":"type.googleapis.com/envoy.config.route.v3.RouteConfiguration","name":"orders",
                 "problems":[],"warnings":[],"clusters":[{"name":"orders","exists":true},{"name":"orders-v2","exists":false}],
                 "routes":[{"name":"orders","exists":false}]}""");

        Answer answer = cairn("virtual_hosts: []", "check", "route.orders");

        assertThat(answer.status()).as(answer.toString()).isZero();
        assertThat(answer.out().lines())
                .containsExactly(
                        "names cluster orders-v2, which does not exist: Envoy answers its requests with 503 until it does (warning)",
                        "names route orders, which does not exist: Envoy answers all requests with 404 until it does (warning)",
                        "route.orders is a valid RouteConfiguration");
    }

    @Test
    void aBootstrapNamesServerNodeAndScopeAndAsksNoServer() throws Exception {
        Path token = Files.writeString(folder.resolve("token"), "abc\n");

        Answer envoy = cairn(
                "",
                "bootstrap",
                "envoy",
                "--grpc",
                "cairn.example:9848",
                "--node-id",
                "sidecar-1",
                "--node-cluster",
                "orders",
                "--services",
                "orders,pay*",
                "--proxy-token-file",
                token.toString(),
                "--tls-ca",
                "/etc/ca.pem");
        assertThat(envoy.status()).as(envoy.toString()).isZero();
        assertThat(envoy.out())
                .contains(
                        "  id: \"sidecar-1\"\n  cluster: \"orders\"\n  metadata: {\"services\":[\"orders\",\"pay*\"]}\n",
                        "    api_type: DELTA_GRPC\n",
                        "      - { key: authorization, value: \"Bearer abc\" }\n",
                        "socket_address: { address: \"cairn.example\", port_value: 9848 }\n",
                        "            trusted_ca: { filename: \"/etc/ca.pem\" }\n");

        Answer grpc = cairn(
                "", "-n", "dev", "bootstrap", "grpc", "--node-id", "proxy-1", "--proxy-token-file", token.toString());
        int port = server.getAddress().getPort() + 1000;
        assertThat(Json.read(grpc.out())).isEqualTo(Json.read("""
                        {"xds_servers":[{"server_uri":"127.0.0.1:%d","channel_creds":[{"type":"insecure"}],
                          "server_features":["xds_v3"]}],
                         "node":{"id":"proxy-1","cluster":"proxies","metadata":{"namespace":"dev","accessToken":"abc"}},
                         "server_listener_resource_name_template":"grpc/server?xds.resource.listening_address=%%s"}""".formatted(port)));

        Answer mosn = cairn("", "bootstrap", "mosn", "--proxy-token-file", token.toString(), "--tag", "canary");
        assertThat(mosn.err()).isEmpty();
        assertThat(Json.fields(Json.fields(Json.read(mosn.out())).get("node")).get("metadata"))
                .isEqualTo(Map.of("tag", "canary", "accessToken", "abc"));
        Answer tls = cairn(
                "", "bootstrap", "mosn", "--tls-ca", "/ca.pem", "--tls-cert", "/own.pem", "--tls-key", "/own.key");
        assertThat(tls.out()).contains("/ca.pem", "/own.pem", "/own.key");
        assertThat(tls.err()).contains("--feature-gates XdsMtlsEnable=true");
        assertThat(requests).isEmpty();
    }

    @Test
    void bootstrapsNameAllNodesAndTheLocality() {
        String[] options = {
            "--grpc", "10.0.0.1:9848,cairn-2.example:9848,[::1]:9848", "--region", "north", "--zone", "a"
        };

        Answer envoy = bootstrap("envoy", options);
        assertThat(envoy.out())
                .contains(
                        "  locality: {\"region\":\"north\",\"zone\":\"a\"}\n",
                        "socket_address: { address: \"10.0.0.1\", port_value: 9848 }\n",
                        "socket_address: { address: \"cairn-2.example\", port_value: 9848 }\n",
                        "socket_address: { address: \"::1\", port_value: 9848 }\n",
                        "        retry_policy: { retry_back_off: { base_interval: 0.5s, max_interval: 5s } }\n");

        Object grpc = Json.read(bootstrap("grpc", options).out());
        assertThat(Json.items(Json.fields(grpc).get("xds_servers")))
                .extracting(server -> Json.text(server, "server_uri"))
                .containsExactly("10.0.0.1:9848", "cairn-2.example:9848", "[::1]:9848");
        assertThat(Json.fields(Json.fields(grpc).get("node")).get("locality"))
                .isEqualTo(Map.of("region", "north", "zone", "a"));

        assertThat(bootstrap("mosn", options).out()).contains("10.0.0.1", "cairn-2.example", "\"::1\"", "north");
        assertThat(requests).isEmpty();
    }

    private Answer bootstrap(String kind, String... options) {
        List<String> words = new ArrayList<>(List.of("bootstrap", kind));
        words.addAll(List.of(options));
        Answer answer = cairn("", words.toArray(String[]::new));
        assertThat(answer.status()).as(answer.toString()).isZero();
        return answer;
    }

    @Test
    void eachBootstrapHasANodeIdOfItsOwn() {
        String one = Json.text(Json.fields(Json.read(bootstrap("grpc").out())).get("node"), "id");
        String other = Json.text(Json.fields(Json.read(bootstrap("grpc").out())).get("node"), "id");
        assertThat(one).matches("proxy-[0-9a-f]{8}").isNotEqualTo(other);
        assertThat(bootstrap("envoy").out()).containsPattern("  id: \"proxy-[0-9a-f]{8}\"\n");
    }

    @Test
    void envoyReadsItsTokenFromAFileThatItWatches() {
        Answer envoy = bootstrap("envoy", "--proxy-token-path", "/etc/proxy/token");
        assertThat(envoy.out())
                .contains(
                        "          http2_protocol_options:\n            connection_keepalive: { interval: 30s, timeout: 5s }\n"
                                + "        http_filters:\n        - name: envoy.filters.http.credential_injector\n",
                        "path_config_source: { path: \"/etc/proxy/cairn-token.yaml\" }")
                .doesNotContain("initial_metadata");
        assertThat(envoy.err()).contains("mesh bootstrap envoy-token --proxy-token-path /etc/proxy/token");
        assertThat(bootstrap("envoy-token", "--proxy-token-path", "/etc/proxy/token")
                        .out())
                .contains("filename: \"/etc/proxy/token\"\n", "watched_directory: { path: \"/etc/proxy/\" }\n");
        for (String[] wrong : new String[][] {
            {"grpc", "--proxy-token-path", "/etc/proxy/token"},
            {"envoy", "--proxy-token-path", "token"},
            {"envoy", "--proxy-token-path", "/token", "--proxy-token-file", "/token"}
        }) {
            List<String> words = new ArrayList<>(List.of("bootstrap"));
            words.addAll(List.of(wrong));
            assertThat(cairn("", words.toArray(String[]::new)).err()).startsWith("cairn: --proxy-token-path: ");
        }
        assertThat(cairn("", "bootstrap", "envoy-token").err()).startsWith("cairn: envoy-token needs");
    }

    @Test
    void bootstrapsThatCannotWorkAreRefused() {
        assertThat(cairn("", "bootstrap", "nginx").err())
                .startsWith("cairn: KIND: 'nginx' (expected: envoy, grpc, mosn, envoy-token)");
        assertThat(cairn("", "bootstrap", "envoy", "--grpc", "9848").err())
                .startsWith("cairn: --grpc: '9848' (expected: host:port");
        assertThat(cairn("", "bootstrap", "mosn", "--tls-ca", "/ca.pem").err())
                .startsWith("cairn: MOSN uses TLS with a certificate of its own only");
        assertThat(cairn("", "bootstrap", "grpc", "--sotw").err()).startsWith("cairn: --sotw: for envoy only");
    }
}
