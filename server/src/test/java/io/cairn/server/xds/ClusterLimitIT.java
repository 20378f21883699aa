package io.cairn.server.xds;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.server.support.CairnExtension;
import io.cairn.server.support.NamingClient;
import io.cairn.server.xds.resource.XdsType;
import io.cairn.server.xds.stream.Frames;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Two servers whose namespaces have more services than a client of the mesh may get. */
class ClusterLimitIT {

    private static final int MOST = 4;
    private static final JsonMapper JSON = JsonMapper.builder().build();

    @RegisterExtension
    static final CairnExtension cairn = limited();

    @RegisterExtension
    static final CairnExtension other = limited();

    private static CairnExtension limited() {
        return CairnExtension.temporary().with("cairn.xds.max-clusters", String.valueOf(MOST));
    }

    private static AdsClient envoy(CairnExtension at, String id) {
        return AdsClient.open(at.server().grpcPort(), false, Map.of(), Frames.node(id, "envoy", Map.of()));
    }

    private static Set<String> clustersOfFreshClient(CairnExtension at) throws InterruptedException {
        try (AdsClient fresh = envoy(at, "fresh")) {
            fresh.ask(XdsType.CDS, "");
            return fresh.next().resources().keySet();
        }
    }

    private static String meters() {
        return cairn.get("/actuator/prometheus").body();
    }

    @Test
    void serviceBeyondTheLimitTakesNothingFromConnectedClients() throws Exception {
        try (NamingClient provider = NamingClient.connect(cairn);
                AdsClient connected = envoy(cairn, "connected")) {
            for (int i = 1; i <= MOST; i++) {
                provider.register("service-" + i, "10.1.0." + i + ":8080");
            }
            connected.ask(XdsType.CDS, "");
            Frames.Response clusters = connected.next();
            assertThat(clusters.resources()).hasSize(MOST);
            connected.ask(XdsType.CDS, clusters.nonce());
            connected.ask(XdsType.EDS, "", "service-4");
            connected.ask(XdsType.EDS, connected.next().nonce(), "service-4");
            assertThat(meters())
                    .contains("cairn_limit_used{limit=\"mesh-clusters\"} 4.0")
                    .contains("cairn_limit_max{limit=\"mesh-clusters\"} 4.0");

            provider.register("service-5", "10.1.0.5:8080");
            await().atMost(PATIENCE).until(() -> meters().contains("cairn_limit_used{limit=\"mesh-clusters\"} 5.0"));
            provider.register("a-service", "10.1.0.6:8080");
            Frames.Response more = connected.next();
            assertThat(more.resources())
                    .containsOnlyKeys("service-1", "service-2", "service-3", "service-4", "a-service");
            connected.ask(XdsType.CDS, more.nonce());
            assertThat(clustersOfFreshClient(cairn))
                    .containsExactlyInAnyOrder("service-1", "service-2", "service-3", "a-service");
            assertThat(meters()).contains("cairn_limit_exceeded_total{limit=\"mesh-clusters\"} 1.0");
            assertThat(cairn.get("/v3/admin/core/attention").body())
                    .contains("LIMIT_NEAR", "mesh-clusters", "cairn.xds.max-clusters");

            try (NamingClient second = NamingClient.connect(cairn)) {
                second.register("service-4", "10.1.0.7:8080");
                assertThat(new String(connected.nextBytes(), StandardCharsets.ISO_8859_1))
                        .contains("10.1.0.4", "10.1.0.7");
            }
        }
    }

    @Test
    void eachServerChoosesTheSameServicesWhateverTheOrderOfTheirRegistration() throws Exception {
        try (NamingClient provider = NamingClient.connect(other)) {
            for (String name :
                    new String[] {"service-5", "service-3", "a-service", "service-4", "service-1", "service-2"}) {
                provider.register(name, "10.2.0.1:8080");
            }
            assertThat(clustersOfFreshClient(other))
                    .containsExactlyInAnyOrder("service-1", "service-2", "service-3", "a-service");
        }
    }

    @Test
    void refusedClientIsListedAndCounted() throws Exception {
        String longName = "x".repeat(3_000);
        try (AdsClient client = envoy(other, "too-long")) {
            client.ask(XdsType.CDS, "", longName);
            client.end.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }
        JsonNode proxy = await().atMost(PATIENCE)
                .until(
                        () -> read("proxies?node=too-long&state=refused")
                                .path("pageItems")
                                .path(0),
                        found -> !found.isMissingNode());
        assertThat(proxy.path("reason").asString()).isEqualTo("the name of a resource: 3000 bytes (limit: 2048)");
        assertThat(read("proxy?id=" + proxy.path("id").asString())
                        .path("proxy")
                        .path("state")
                        .asString())
                .isEqualTo("refused");
        assertThat(read("summary").path("refused").asInt()).isEqualTo(1);
        assertThat(other.get("/actuator/prometheus").body())
                .contains("cairn_xds_refused_streams_total{reason=\"limit\"} 1.0")
                .contains("cairn_xds_refused_streams_total{reason=\"denied\"} 0.0");
    }

    private static JsonNode read(String query) {
        return JSON.readTree(other.get("/v3/admin/mesh/" + query).body()).path("data");
    }
}
