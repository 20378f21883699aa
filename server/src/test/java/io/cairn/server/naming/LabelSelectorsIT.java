package io.cairn.server.naming;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.cairn.server.CairnServer;
import io.cairn.server.support.CairnExtension;
import io.cairn.server.support.LongLease;
import io.cairn.server.support.NamingClient;
import io.cairn.server.support.WireClient;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Consumers of a service with a selector are told of the instances that have their labels, on every way there is. */
class LabelSelectorsIT {

    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final String SITE = selector("CONSUMER.label.site = PROVIDER.label.site");

    private final HttpClient http = HttpClient.newHttpClient();

    @TempDir
    Path home;

    private CairnServer server;

    @BeforeEach
    void start() throws Exception {
        label("""
                {"10.1.0.0/16": {"site": "north"}, "10.2.0.0/16": {"site": "south"}}
                """);
        server = builder().start();
        for (String ip : List.of("10.1.0.1", "10.2.0.1", "10.3.0.1")) {
            send(
                    "POST",
                    "/v1/ns/instance?serviceName=orders&ip=" + ip + "&port=80&"
                            + CairnExtension.encode(Map.of("metadata", LongLease.METADATA)));
        }
    }

    private CairnServer.Builder builder() {
        return CairnServer.builder()
                .home(home)
                .setting("server.port", "0")
                .setting("cairn.naming.labels-file", "labels.json")
                .setting("cairn.naming.labels-reload-interval", "100ms");
    }

    private void label(String json) throws IOException {
        Files.writeString(home.resolve("labels.json"), json);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @ParameterizedTest
    @CsvSource({
        "/v1/ns/instance/list?clientIP=%s&, /hosts",
        "/v2/ns/instance/list?ip=%s&, /data/hosts",
    })
    void usesTheLabelsThatAClientSends(String list, String hosts) throws Exception {
        select(SITE);

        for (String healthyOnly : List.of("", "&healthyOnly=true")) {
            String rest = "serviceName=orders" + healthyOnly;
            assertThat(ips(send("GET", list.formatted("10.1.9.9") + rest), hosts))
                    .containsExactly("10.1.0.1");
            assertThat(ips(send("GET", list.formatted("10.2.9.9") + rest), hosts))
                    .containsExactly("10.2.0.1");
            assertThat(ips(send("GET", list.formatted("10.3.9.9") + rest), hosts))
                    .hasSize(3);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "/v1/ns/instance/list?, /hosts",
        "/v2/ns/instance/list?, /data/hosts",
        "/v3/client/ns/instance/list?, /data",
        "/v3/client/ns/instance/list?healthyOnly=true&, /data"
    })
    void usesTheSourceAddressOfAConsumerWithoutLabels(String list, String hosts) throws Exception {
        select(SITE);

        assertThat(ips(send("GET", list + "serviceName=orders", "X-Forwarded-For", "10.2.9.9"), hosts))
                .containsExactly("10.2.0.1");
        assertThat(ips(send("GET", list + "serviceName=orders"), hosts)).hasSize(3);
    }

    @Test
    void notifiesSubscribersOfChangedLabelsAndSelectors() throws Exception {
        select(SITE);
        try (NamingClient north = at("10.1.9.9");
                NamingClient south = at("10.2.9.9")) {
            assertThat(north.hosts("orders")).containsExactly("10.1.0.1:80");
            assertThat(NamingClient.hosts(north.subscribe("orders"))).containsExactly("10.1.0.1:80");
            assertThat(NamingClient.hosts(south.subscribe("orders"))).containsExactly("10.2.0.1:80");

            send("POST", "/v1/ns/instance?serviceName=orders&ip=10.1.0.2&port=80");
            awaitHosts(north, "10.1.0.1:80", "10.1.0.2:80");

            label("""
                    {"10.2.0.0/16": {"site": "everywhere"}, "10.1.9.0/24": {"site": "everywhere"}}
                    """);
            awaitHosts(north, "10.2.0.1:80");
            awaitHosts(south, "10.2.0.1:80");

            select("");
            awaitHosts(north, "10.1.0.1:80", "10.2.0.1:80", "10.3.0.1:80", "10.1.0.2:80");
            awaitHosts(south, "10.1.0.1:80", "10.2.0.1:80", "10.3.0.1:80", "10.1.0.2:80");
        }
    }

    @Test
    void administratorsSeeAllInstances() throws Exception {
        select(SITE);

        assertThat(ips(
                        send("GET", "/v3/admin/ns/instance/list?serviceName=orders", "X-Forwarded-For", "10.1.9.9"),
                        "/data"))
                .hasSize(3);
        assertThat(ips(
                        send(
                                "GET",
                                "/v1/ns/catalog/instances?serviceName=orders&clusterName=DEFAULT&pageNo=1&pageSize=9",
                                "X-Forwarded-For",
                                "10.1.9.9"),
                        "/list"))
                .hasSize(3);
    }

    @Test
    void aSelectorOutlivesARestart() throws Exception {
        select(SITE);
        server.close();

        server = builder().start();

        assertThat(ips(send("GET", "/v1/ns/instance/list?clientIP=10.1.9.9&serviceName=orders"), "/hosts"))
                .containsExactly("10.1.0.1");
        assertThat(send("GET", "/v1/ns/service?serviceName=orders").body())
                .contains(
                        "\"selector\":{\"type\":\"label\",\"expression\":\"CONSUMER.label.site = PROVIDER.label.site\","
                                + "\"labels\":[\"site\"],\"contextType\":\"CMDB\"}");
    }

    @Test
    void anInvalidSelectorChangesNothing() throws Exception {
        select(SITE);

        HttpResponse<String> refused = put(selector("CONSUMER.label.site=PROVIDER.label.rack"));
        assertThat(refused.statusCode()).isEqualTo(400);
        assertThat(refused.body())
                .startsWith(
                        "Selector parses failed: parse expression failed! 'CONSUMER.label.site=PROVIDER.label.rack'")
                .contains("expected: CONSUMER.label.NAME=PROVIDER.label.NAME");
        assertThat(put("{\"type\":\"nope\"}").body()).isEqualTo("not match any type of selector!");
        HttpResponse<String> refusedBy3 =
                send("PUT", "/v3/admin/ns/service?serviceName=orders&selector=" + encoded(selector("nonsense")));
        assertThat(refusedBy3.statusCode()).isEqualTo(400);
        assertThat(JSON.readTree(refusedBy3.body()).path("code").asInt()).isEqualTo(21006);

        assertThat(ips(send("GET", "/v1/ns/instance/list?clientIP=10.1.9.9&serviceName=orders"), "/hosts"))
                .containsExactly("10.1.0.1");
    }

    @Test
    void invalidLabelsEndTheStart() throws Exception {
        server.close();
        label("{\"10.1.0.1/16\": {\"site\": \"north\"}}");

        assertThatThrownBy(() -> builder().start())
                .hasStackTraceContaining("cairn.naming.labels-file: " + home.resolve("labels.json")
                        + ": '10.1.0.1/16': the address has bits set after the first 16");
    }

    private NamingClient at(String ip) {
        return new NamingClient(
                WireClient.connect("127.0.0.1", server.grpcPort()).setUp(ip));
    }

    private static void awaitHosts(NamingClient client, String... expected) {
        await().until(() -> List.copyOf(client.nextHosts()), List.of(expected)::equals);
    }

    private static String selector(String expression) {
        return "{\"type\":\"label\",\"expression\":\"" + expression + "\"}";
    }

    private void select(String selector) throws Exception {
        assertThat(put(selector).body()).isEqualTo("ok");
    }

    private HttpResponse<String> put(String selector) throws Exception {
        return send("PUT", "/v1/ns/service?serviceName=orders&protectThreshold=0&selector=" + encoded(selector));
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    private HttpResponse<String> send(String method, String path, String... headers) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://" + server.address() + "/nacos" + path))
                .method(method, HttpRequest.BodyPublishers.noBody());
        if (headers.length > 0) {
            request.headers(headers);
        }
        return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    private static List<String> ips(HttpResponse<String> answer, String pointer) {
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        JsonNode hosts = JSON.readTree(answer.body()).at(pointer);
        return hosts.valueStream().map(host -> host.path("ip").asString()).toList();
    }
}
