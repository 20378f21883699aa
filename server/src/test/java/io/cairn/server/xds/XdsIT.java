package io.cairn.server.xds;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.cairn.server.CairnServer;
import io.cairn.server.support.CairnExtension;
import io.cairn.server.support.NamingClient;
import io.cairn.server.support.WireClient;
import io.cairn.server.xds.resource.XdsType;
import io.cairn.server.xds.stream.Frames;
import io.grpc.Status;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;

/** The mesh edge of a running server. */
class XdsIT {

    private static final JsonMapper JSON = JsonMapper.builder().build();

    @RegisterExtension
    static final CairnExtension cairn = CairnExtension.temporary();

    @Test
    void envoyGetsServicesAndFollowsThem() throws Exception {
        try (NamingClient provider = NamingClient.connect(cairn);
                AdsClient envoy =
                        AdsClient.sotw(cairn.server().grpcPort(), "envoy", Map.of("services", "followed-*"))) {
            provider.register("followed-a", "10.1.0.1:8080");
            envoy.ask(XdsType.CDS, "");
            Frames.Response clusters = envoy.next();
            assertThat(clusters.resources()).containsOnlyKeys("followed-a");
            envoy.ask(XdsType.CDS, clusters.nonce());
            envoy.ask(XdsType.EDS, "", "followed-a");
            byte[] bytes = envoy.nextBytes();
            assertThat(new String(bytes, StandardCharsets.ISO_8859_1)).contains("10.1.0.1");
            Frames.Response endpoints = Frames.read(bytes, false);
            envoy.ask(XdsType.EDS, endpoints.nonce(), "followed-a");

            try (NamingClient second = NamingClient.connect(cairn)) {
                second.register("followed-a", "10.1.0.2:8080");
                bytes = envoy.nextBytes();
                assertThat(new String(bytes, StandardCharsets.ISO_8859_1)).contains("10.1.0.1", "10.1.0.2");
                envoy.ask(XdsType.EDS, Frames.read(bytes, false).nonce(), "followed-a");
            }
            bytes = envoy.nextBytes();
            assertThat(new String(bytes, StandardCharsets.ISO_8859_1))
                    .contains("10.1.0.1")
                    .doesNotContain("10.1.0.2");
            envoy.ask(XdsType.EDS, Frames.read(bytes, false).nonce(), "followed-a");

            provider.register("followed-b", "10.1.0.3:8080");
            assertThat(envoy.next().resources()).containsOnlyKeys("followed-a", "followed-b");
            assertThat(Thread.getAllStackTraces().keySet())
                    .extracting(Thread::getName)
                    .contains("cairn-mesh");
        }
    }

    private static HttpRequest.Builder drain(String service, String address, String wait) {
        String[] parts = address.split(":");
        return HttpRequest.newBuilder(cairn.uri("/v3/admin/ns/instance/drain?serviceName=" + service + "&ip=" + parts[0]
                        + "&port=" + parts[1] + "&wait=" + wait))
                .PUT(HttpRequest.BodyPublishers.noBody());
    }

    private static AdsClient endpointsOf(String service, String nodeId) throws Exception {
        AdsClient envoy = AdsClient.open(
                cairn.server().grpcPort(), false, Map.of(), Frames.node(nodeId, "envoy", Map.of("services", service)));
        envoy.ask(XdsType.EDS, "", service);
        envoy.ask(XdsType.EDS, envoy.next().nonce(), service);
        return envoy;
    }

    @Test
    void drainIsAnsweredWhenTheProxyHasAcknowledgedTheDrainingEndpoint() throws Exception {
        try (NamingClient provider = NamingClient.connect(cairn)) {
            provider.registerAll("drained", "10.6.0.1:8080", "10.6.0.2:8080");
            try (AdsClient envoy = endpointsOf("drained", "drained-1")) {
                CompletableFuture<HttpResponse<String>> answer =
                        CompletableFuture.supplyAsync(() -> cairn.send(drain("drained", "10.6.0.1:8080", "60s")));
                byte[] bytes = envoy.nextBytes();
                assertThat(new String(bytes, StandardCharsets.ISO_8859_1)).contains("10.6.0.1", "10.6.0.2");
                assertThat(answer).isNotDone();

                envoy.ask(XdsType.EDS, Frames.read(bytes, false).nonce(), "drained");

                JsonNode data = JSON.readTree(answer.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)
                                .body())
                        .path("data");
                assertThat(data.path("acknowledged").asBoolean())
                        .as(data.toString())
                        .isTrue();
                assertThat(data.path("subscribers").asInt()).isEqualTo(1);

                provider.registerAll("drained", "10.6.0.2:8080");
                assertThat(new String(envoy.nextBytes(), StandardCharsets.ISO_8859_1))
                        .contains("10.6.0.2")
                        .doesNotContain("10.6.0.1");
            }
        }
    }

    @Test
    void proxyWithoutAnAcknowledgementIsNamedAtTheTimeLimit() throws Exception {
        try (NamingClient provider = NamingClient.connect(cairn)) {
            provider.registerAll("silent", "10.7.0.1:8080", "10.7.0.2:8080");
            try (AdsClient silent = endpointsOf("silent", "silent-1");
                    AdsClient refusing = endpointsOf("silent", "silent-2")) {
                CompletableFuture<HttpResponse<String>> answer =
                        CompletableFuture.supplyAsync(() -> cairn.send(drain("silent", "10.7.0.1:8080", "2s")));
                refusing.refuse(refusing.next(), "bad endpoints", "silent");

                JsonNode data = JSON.readTree(answer.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)
                                .body())
                        .path("data");

                assertThat(data.path("acknowledged").asBoolean()).isFalse();
                assertThat(data.path("waiting").values())
                        .extracting(
                                late -> late.path("kind").asString(),
                                late -> late.path("clientId").asString(),
                                late -> late.path("agent").asString(),
                                late -> late.path("reason").asString())
                        .containsExactlyInAnyOrder(
                                tuple("xds", "silent-1", "envoy/1.40.0", ""),
                                tuple("xds", "silent-2", "envoy/1.40.0", "bad endpoints"));
                assertThat(data.path("waiting").path(0).path("node").asString()).startsWith("127.0.0.1:");
                assertThat(silent.next().resources()).containsOnlyKeys("silent");
            }
        }
    }

    @Test
    void deltaStreamGetsChangesAlone() throws Exception {
        try (NamingClient provider = NamingClient.connect(cairn);
                AdsClient envoy = AdsClient.delta(cairn.server().grpcPort(), "envoy", Map.of("services", "delta-*"))) {
            provider.register("delta-a", "10.2.0.1:8080");
            envoy.subscribe(XdsType.CDS);
            Frames.Response clusters = envoy.next();
            assertThat(clusters.resources()).containsOnlyKeys("delta-a");
            envoy.ackDelta(clusters);
            provider.register("delta-b", "10.2.0.2:8080");
            assertThat(envoy.next().resources()).containsOnlyKeys("delta-b");
        }
    }

    @Test
    void grpcLibraryGetsTheFourResourcesOfAName() throws Exception {
        try (NamingClient provider = NamingClient.connect(cairn);
                AdsClient library = AdsClient.sotw(cairn.server().grpcPort(), "gRPC Java", Map.of())) {
            provider.register("asked", "10.3.0.1:8080");
            for (XdsType type : new XdsType[] {XdsType.LDS, XdsType.RDS, XdsType.CDS, XdsType.EDS}) {
                library.ask(type, "", "asked");
                Frames.Response response = library.next();
                assertThat(response.type()).isEqualTo(type.shortName());
                assertThat(response.resources()).containsOnlyKeys("asked");
                library.ask(type, response.nonce(), "asked");
            }
        }
    }

    @Test
    void unknownNamesHaveNoClusterButEmptyEndpointsUntilTheyAreRegistered() throws Exception {
        try (NamingClient provider = NamingClient.connect(cairn);
                AdsClient library = AdsClient.sotw(cairn.server().grpcPort(), "gRPC Java", Map.of())) {
            library.ask(XdsType.CDS, "", "not-yet");
            Frames.Response clusters = library.next();
            assertThat(clusters.resources()).isEmpty();
            library.ask(XdsType.CDS, clusters.nonce(), "not-yet");
            library.ask(XdsType.EDS, "", "not-yet");
            Frames.Response endpoints = library.next();
            assertThat(endpoints.resources()).containsOnlyKeys("not-yet");
            library.ask(XdsType.EDS, endpoints.nonce(), "not-yet");
            provider.register("not-yet", "10.4.0.1:8080");
            assertThat(library.next().resources()).containsOnlyKeys("not-yet");
        }
    }

    @Test
    void listOfProxiesShowsRefusalsWithTheirReason() throws Exception {
        try (NamingClient provider = NamingClient.connect(cairn);
                AdsClient envoy = AdsClient.open(
                        cairn.server().grpcPort(),
                        false,
                        Map.of(),
                        Frames.node("listed-1", "envoy", Map.of("services", "listed-*")))) {
            provider.register("listed-a", "10.5.0.1:8080");
            envoy.ask(XdsType.CDS, "");
            envoy.refuse(envoy.next(), "unknown field in cluster");
            JsonNode proxy = await().until(
                            () -> proxies("node=listed-1&state=refusing")
                                    .path("pageItems")
                                    .path(0),
                            found -> !found.isMissingNode());
            assertThat(proxy.path("agent").asString()).isEqualTo("envoy/1.40.0");
            assertThat(proxy.path("types").path(0).path("error").asString()).isEqualTo("unknown field in cluster");
            assertThat(read("summary?type=cds&resource=listed-a").path("behind").asInt())
                    .isEqualTo(1);
            String id = proxy.path("id").asString();
            assertThat(read("resource?type=cds&name=listed-a&proxy=" + id)
                            .path("source")
                            .asString())
                    .isEqualTo("registry");
            assertThat(read("proxy?id=" + id)
                            .path("subscriptions")
                            .path(0)
                            .path("type")
                            .asString())
                    .isEqualTo("cds");
            assertThat(cairn.get("/actuator/prometheus").body())
                    .contains("cairn_xds_refusing{type=\"cds\"} 1.0", "cairn_xds_nacks_total{type=\"cds\"} 1.0")
                    .contains("cairn_xds_waiting{type=\"cds\"} 0.0");

            assertThat(cairn.get("/v3/admin/core/attention").body())
                    .contains("MESH_PROXY_REFUSES", "listed-1", "cds: unknown field in cluster");

            provider.register("listed-b", "10.5.0.2:8080");
            Frames.Response next = envoy.next();
            envoy.ask(XdsType.CDS, next.nonce());
            await().until(() ->
                    proxies("node=listed-1&state=current").path("totalCount").asInt() == 1);
            assertThat(read("summary?type=cds&resource=listed-a").path("behind").asInt())
                    .isZero();
            assertThat(cairn.get("/actuator/prometheus").body()).contains("cairn_xds_refusing{type=\"cds\"} 0.0");
        }
        await().until(() -> proxies("node=listed-1").path("totalCount").asInt() == 0);
    }

    @Test
    void settingOfAServiceThatCannotBeReadIsAFinding() throws Exception {
        Map<String, String> service = Map.of(
                "serviceName", "misset", "metadata", "{\"xds.connect-timeout\":\"soon\",\"xds.protocol\":\"tls\"}");
        assertThat(cairn.post("/v3/admin/ns/service", service).statusCode()).isEqualTo(200);
        try (AdsClient envoy = AdsClient.sotw(cairn.server().grpcPort(), "envoy", Map.of("services", "misset"))) {
            envoy.ask(XdsType.CDS, "");
            assertThat(envoy.next().resources()).containsOnlyKeys("misset");
            JsonNode finding = await().until(() -> settingFindings().path(0), found -> !found.isMissingNode());
            assertThat(finding.path("subject").asString()).isEqualTo("misset");
            assertThat(finding.path("groupName").asString()).isEqualTo("DEFAULT_GROUP");
            assertThat(finding.path("detail").asString())
                    .contains("xds.connect-timeout: 'soon'", "; xds.protocol: 'tls'");
            HttpRequest.Builder mended = HttpRequest.newBuilder(cairn.uri("/v3/admin/ns/service"))
                    .header("Content-Type", "application/x-www-form-urlencoded")
                    .PUT(HttpRequest.BodyPublishers.ofString(CairnExtension.encode(
                            Map.of("serviceName", "misset", "metadata", "{\"xds.connect-timeout\":\"2s\"}"))));
            assertThat(cairn.send(mended).statusCode()).isEqualTo(200);
            await().until(() -> settingFindings().isEmpty());
        }
    }

    private static JsonNode settingFindings() {
        ArrayNode found = JSON.createArrayNode();
        for (JsonNode finding :
                JSON.readTree(cairn.get("/v3/admin/core/attention").body()).path("data")) {
            if (finding.path("kind").asString().equals("MESH_SERVICE_SETTING")) {
                found.add(finding);
            }
        }
        return found;
    }

    private static JsonNode proxies(String query) {
        return read("proxies?" + query);
    }

    private static JsonNode read(String query) {
        return JSON.readTree(cairn.get("/v3/admin/mesh/" + query).body()).path("data");
    }

    @Test
    void storedResourcesReachTheProxiesThatTheyAreFor() throws Exception {
        try (NamingClient provider = NamingClient.connect(cairn);
                AdsClient canary = AdsClient.open(
                        cairn.server().grpcPort(),
                        false,
                        Map.of(),
                        Frames.node("canary", "envoy", Map.of("services", "stored-*", "tag", "canary")));
                AdsClient other = AdsClient.sotw(cairn.server().grpcPort(), "envoy", Map.of("services", "stored-*"))) {
            provider.register("stored-a", "10.6.0.1:8080", "\"metadata\":{\"version\":\"2\"}");
            for (AdsClient each : new AdsClient[] {canary, other}) {
                each.ask(XdsType.CDS, "");
                each.ask(XdsType.CDS, each.next().nonce());
                each.ask(XdsType.EDS, "", "stored-a");
                each.ask(XdsType.EDS, each.next().nonce(), "stored-a");
                each.ask(XdsType.RDS, "", "main");
                Frames.Response none = each.next();
                assertThat(none.resources()).isEmpty();
                each.ask(XdsType.RDS, none.nonce(), "main");
            }
            publish("route.main", route("stored-a"));
            for (AdsClient each : new AdsClient[] {canary, other}) {
                Frames.Response routes = each.next();
                assertThat(routes.resources()).containsOnlyKeys("main");
                each.ask(XdsType.RDS, routes.nonce(), "main");
            }
            // A release for one proxy, to a subset: its cluster comes first, and its endpoints, then the route.
            assertThat(cairn.post(
                                    "/v3/admin/cs/config",
                                    Map.of(
                                            "dataId", "route.main",
                                            "groupName", "CAIRN_XDS",
                                            "content", route("stored-a~version=2"),
                                            "type", "yaml"),
                                    "betaIps",
                                    "127.0.0.1")
                            .statusCode())
                    .isEqualTo(200);
            for (AdsClient each : new AdsClient[] {canary, other}) {
                Frames.Response clusters = each.next();
                assertThat(clusters.resources()).containsOnlyKeys("stored-a", "stored-a~version=2");
                each.close();
            }
        }
    }

    @Test
    void eachResponseNamesItsServer() throws Exception {
        for (boolean delta : new boolean[] {false, true}) {
            try (AdsClient client = AdsClient.open(
                    cairn.server().grpcPort(), delta, Map.of(), Frames.node("named", "envoy", Map.of()))) {
                if (delta) {
                    client.subscribe(XdsType.RDS, "none");
                } else {
                    client.ask(XdsType.RDS, "", "none");
                }
                assertThat(client.next().controlPlane()).matches("cairn@[0-9.]+:[0-9]+");
            }
        }
    }

    @Test
    void listenerWithoutPortGoesToGrpcClientsOnly() throws Exception {
        String manager = """
                "@type": type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager
                    stat_prefix: ports
                    rds: {route_config_name: ports, config_source: {ads: {}, resource_api_version: V3}}
                    http_filters:
                    - name: envoy.filters.http.router
                      typed_config: {"@type": type.googleapis.com/envoy.extensions.filters.http.router.v3.Router}
                """;
        publish("listener.without-port", "api_listener:\n  api_listener:\n    " + manager);
        publish(
                "listener.with-port",
                "address: {socket_address: {address: 0.0.0.0, port_value: 8080}}\nfilter_chains:\n- filters:\n"
                        + "  - name: http\n    typed_config:\n      "
                        + manager.replace("\n    ", "\n      "));
        try (AdsClient envoy = AdsClient.open(
                        cairn.server().grpcPort(), false, Map.of(), Frames.node("ports-1", "envoy", Map.of()));
                AdsClient grpc = AdsClient.open(
                        cairn.server().grpcPort(), false, Map.of(), Frames.node("ports-2", "gRPC Java", Map.of()))) {
            envoy.ask(XdsType.LDS, "");
            Frames.Response listeners = envoy.next();
            if (listeners.resources().isEmpty()) {
                // The view shows a publish a moment later.
                envoy.ask(XdsType.LDS, listeners.nonce());
                listeners = envoy.next();
            }
            assertThat(listeners.resources()).containsOnlyKeys("with-port");
            grpc.ask(XdsType.LDS, "", "without-port");
            assertThat(grpc.next().resources()).containsOnlyKeys("without-port");
            for (String[] each :
                    new String[][] {{"listener.without-port", "ports-2"}, {"listener.with-port", "ports-1"}}) {
                JsonNode preview = preview(
                        "groupName=CAIRN_XDS&dataId=" + each[0] + "&grayName=all&grayType=percentage&grayRuleExp=100");
                assertThat(preview.path("clients").values()).singleElement().satisfies(client -> assertThat(
                                client.path("identity").asString())
                        .isEqualTo(each[1]));
            }

            String id = read("proxies?resource=with-port&type=lds")
                    .path("pageItems")
                    .path(0)
                    .path("id")
                    .asString();
            JsonNode listed = read("config?proxy=" + id + "&type=lds");
            assertThat(listed.path("totalCount").asInt()).isEqualTo(1);
            JsonNode row = listed.path("pageItems").path(0);
            JsonNode resource = read("resource?type=lds&name=with-port&proxy=" + id);
            assertThat(row.path("name").asString()).isEqualTo("with-port");
            assertThat(row.path("source").asString()).isEqualTo("stored");
            assertThat(row.path("version").asString())
                    .isEqualTo(resource.path("version").asString());
            assertThat(row.path("bytes").asInt())
                    .isEqualTo(resource.path("bytes").asInt())
                    .isPositive();
            assertThat(read("config?proxy=" + id + "&type=eds")
                            .path("totalCount")
                            .asInt())
                    .isZero();
        } finally {
            for (String dataId : new String[] {"listener.without-port", "listener.with-port"}) {
                assertThat(cairn.delete("/v3/admin/cs/config?groupName=CAIRN_XDS&dataId=" + dataId)
                                .statusCode())
                        .isEqualTo(200);
            }
        }
    }

    @Test
    void releaseReachesOneProxyAndRollbackTakesAChangeBack() throws Exception {
        String config = "groupName=CAIRN_XDS&dataId=route.back";
        try (AdsClient blue = AdsClient.open(
                        cairn.server().grpcPort(),
                        false,
                        Map.of(),
                        Frames.node("blue", "envoy", Map.of("tag", "blue")));
                AdsClient other = AdsClient.sotw(cairn.server().grpcPort(), "envoy", Map.of())) {
            for (AdsClient each : List.of(blue, other)) {
                each.ask(XdsType.RDS, "", "back");
                nextRoute(each, "back");
            }
            publish("route.back", route("first"));
            for (AdsClient each : List.of(blue, other)) {
                assertThat(nextRoute(each, "back")).contains("first");
            }
            JsonNode preview = preview(config + "&grayName=tag_blue&grayType=tag&grayRuleExp=blue");
            publish("route.back", route("released"), "tag", "blue");
            assertThat(nextRoute(blue, "back")).contains("released");
            assertThat(preview.path("listeners").asInt()).isEqualTo(2);
            assertThat(preview.path("clients").values()).singleElement().satisfies(client -> {
                assertThat(client.path("identity").asString()).isEqualTo("blue");
                assertThat(client.path("identityBy").asString()).isEqualTo("NODE");
                assertThat(client.path("proxy").asString()).isNotEmpty();
                assertThat(client.path("before").asString()).isEmpty();
                assertThat(client.path("gets").asBoolean()).isTrue();
            });

            publish("route.back", route("second"));
            assertThat(nextRoute(other, "back")).contains("second");
            HttpResponse<String> rollback = cairn.post(
                    "/v3/admin/cs/history/rollback",
                    Map.of(
                            "dataId",
                            "route.back",
                            "groupName",
                            "CAIRN_XDS",
                            "nid",
                            history(config).path(0).path("id").asString()));
            assertThat(rollback.statusCode()).as(rollback.body()).isEqualTo(200);
            assertThat(nextRoute(other, "back")).contains("first");
            assertThat(blue.poll()).as("what the release hides").isNull();

            assertThat(cairn.delete("/v3/admin/cs/config?tag=blue&" + config).statusCode())
                    .isEqualTo(200);
            assertThat(nextRoute(blue, "back")).contains("first");
            assertThat(other.poll()).isNull();
        }
        assertThat(history(config)
                        .valueStream()
                        .map(each -> each.path("opType").asString()
                                + ' '
                                + each.path("publishType").asString()))
                .containsExactly("D gray", "U formal", "U formal", "I gray", "I formal");
    }

    /** The proxies in the preview of a release get it, and the others do not. */
    @Test
    void previewNamesTheProxiesThatGetARelease() throws Exception {
        String config = "groupName=CAIRN_XDS&dataId=route.shared";
        Map<String, AdsClient> proxies = new LinkedHashMap<>();
        try {
            for (int i = 0; i < 8; i++) {
                AdsClient proxy = AdsClient.open(
                        cairn.server().grpcPort(),
                        false,
                        Map.of(),
                        Frames.node("edge-" + i, "envoy", Map.of("zone", "z" + i % 4)));
                proxies.put("edge-" + i, proxy);
                proxy.ask(XdsType.RDS, "", "shared");
                nextRoute(proxy, "shared");
            }
            publish("route.shared", route("for-all"));
            for (AdsClient proxy : proxies.values()) {
                assertThat(nextRoute(proxy, "shared")).contains("for-all");
            }
            assertThat(preview("groupName=CAIRN_XDS&dataId=route.absent&grayName=a&grayType=percentage&grayRuleExp=100")
                            .path("listeners")
                            .asInt())
                    .as("proxies that do not subscribe")
                    .isZero();

            for (Map<String, String> rule : List.of(
                    Map.of("grayType", "label", "grayRuleExp", "zone in (z1, z3)"),
                    Map.of("grayType", "percentage", "grayRuleExp", "40"))) {
                Map<String, String> release = new HashMap<>(rule);
                release.put("grayName", "some");
                JsonNode preview = preview(config + '&' + CairnExtension.encode(release));
                assertThat(preview.path("listeners").asInt()).isEqualTo(8);
                List<String> named = preview.path("clients")
                        .valueStream()
                        .map(client -> client.path("identity").asString())
                        .toList();
                assertThat(named).isNotEmpty().hasSizeLessThan(8);

                publish("route.shared", route("for-some"), release);
                for (String id : named) {
                    assertThat(nextRoute(proxies.get(id), "shared")).as(id).contains("for-some");
                }
                assertThat(cairn.delete("/v3/admin/cs/config?grayName=some&" + config)
                                .statusCode())
                        .isEqualTo(200);
                for (String id : named) {
                    assertThat(nextRoute(proxies.get(id), "shared")).as(id).contains("for-all");
                }
            }
            // The next response of each is this one: the others got nothing before.
            publish("route.shared", route("for-everybody"));
            for (Map.Entry<String, AdsClient> each : proxies.entrySet()) {
                assertThat(nextRoute(each.getValue(), "shared"))
                        .as(each.getKey())
                        .contains("for-everybody");
            }
        } finally {
            proxies.values().forEach(AdsClient::close);
        }
    }

    private static JsonNode preview(String query) {
        HttpResponse<String> preview = cairn.get("/v3/admin/cs/config/gray/preview?" + query);
        assertThat(preview.statusCode()).as(preview.body()).isEqualTo(200);
        return JSON.readTree(preview.body()).path("data");
    }

    /** The changes of a configuration, newest first. */
    private static JsonNode history(String config) {
        return JSON.readTree(cairn.get("/v3/admin/cs/history/list?" + config).body())
                .at("/data/pageItems");
    }

    /** The next version of a route, as text; acknowledges it. */
    private static String nextRoute(AdsClient proxy, String name) throws InterruptedException {
        byte[] bytes = proxy.nextBytes();
        proxy.ask(XdsType.RDS, Frames.read(bytes, false).nonce(), name);
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    private static String route(String cluster) {
        return """
                virtual_hosts:
                  - name: all
                    domains: ["*"]
                    routes:
                      - match: {prefix: /}
                        route: {cluster: "%s"}
                """.formatted(cluster);
    }

    private static void publish(String dataId, String content) {
        publish(dataId, content, "desc", "");
    }

    private static void publish(String dataId, String content, String parameter, String value) {
        publish(dataId, content, Map.of(parameter, value));
    }

    private static void publish(String dataId, String content, Map<String, String> more) {
        Map<String, String> form = new HashMap<>(more);
        form.putAll(Map.of("dataId", dataId, "groupName", "CAIRN_XDS", "content", content, "type", "yaml"));
        HttpResponse<String> answer = cairn.post("/v3/admin/cs/config", form);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    }

    @Test
    void streamsOfServerThatStopsEndWithoutLosingAnything() throws Exception {
        CairnServer server = CairnServer.builder().temporary().start();
        AdsClient envoy = AdsClient.delta(server.grpcPort(), "envoy", Map.of());
        try (envoy;
                NamingClient provider = new NamingClient(
                        WireClient.connect("127.0.0.1", server.grpcPort()).setUp())) {
            provider.register("stops", "10.7.0.1:8080");
            envoy.subscribe(XdsType.CDS);
            envoy.subscribe(XdsType.EDS, "stops");
            assertThat(envoy.next().resources()).containsOnlyKeys("stops");
            assertThat(envoy.next().resources()).containsOnlyKeys("stops");
            server.close();
            assertThat(envoy.end.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).getCode())
                    .isEqualTo(Status.Code.UNAVAILABLE);
            assertThat(envoy.getsSomethingWithin(0)).isFalse();
        } finally {
            server.close();
        }
    }

    @Test
    void clientWithoutIdIsRefused() throws Exception {
        try (AdsClient client =
                AdsClient.open(cairn.server().grpcPort(), false, Map.of(), new Frames.Message().text(1, ""))) {
            client.ask(XdsType.CDS, "");
            Status status = client.end.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            assertThat(status.getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
            assertThat(status.getDescription()).contains("node.id");
        }
    }
}
