package io.cairn.server.wiring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.api.config.ContentDigest;
import io.cairn.api.wire.Payload;
import io.cairn.server.metrics.MeterNames;
import io.cairn.server.support.CairnExtension;
import io.cairn.server.support.LongLease;
import io.cairn.server.support.NamingClient;
import io.cairn.server.support.WireClient;
import java.lang.reflect.Field;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class MetersIT {

    private static final String SERVICE_PUSHES_SENT = "cairn_push_sent_total{kind=\"service\"}";
    private static final String SERVICE_PUSHES_ACKNOWLEDGED = "cairn_push_latency_seconds_count{kind=\"service\"}";

    @RegisterExtension
    static final CairnExtension cairn = CairnExtension.temporary();

    @RegisterExtension
    static final CairnExtension nacos =
            CairnExtension.temporary().timed(timings -> timings.withPushHistoryPeriod(Duration.ofSeconds(1)));

    @Test
    void everyMeterExistsAfterAFewRequests() {
        try (WireClient reader = cairn.newClient();
                WireClient writer = cairn.newClient()) {
            reader.listen("a.yaml", "");
            writer.publish("a.yaml", "a: 1");
            reader.nextPush();
            // As a client does that has fetched the change; another is told again after some seconds.
            reader.listen("a.yaml", ContentDigest.of("a: 1").toString());
            writer.query("a.yaml");
            writer.query("no-such.yaml");
            cairn.post("/v1/cs/configs", Map.of("dataId", "b.yaml", "group", "DEFAULT_GROUP", "content", "b: 1"));

            // A push is counted when its acknowledgement arrives, a request after its answer has left.
            awaitMeters(scraped -> {
                // Meters of TLS, a cluster, an issuer and a directory exist with these: TlsIT, ClusterIT,
                // IssuerTokensIT
                // and DirectoryLoginIT check them.
                assertThat(Arrays.stream(MeterNames.class.getFields())
                                .filter(constant -> !prometheusName(constant).startsWith("cairn_tls_")
                                        && !prometheusName(constant).startsWith("cairn_cluster_")
                                        && !prometheusName(constant).startsWith("cairn_issuer_")
                                        && !prometheusName(constant).startsWith("cairn_directory_")))
                        .hasSizeGreaterThan(10)
                        .allSatisfy(constant -> assertThat(scraped.lines())
                                .as("%s", constant)
                                .anyMatch(line -> line.startsWith(prometheusName(constant))));
                assertThat(scraped)
                        .contains("# HELP cairn_configs "
                                + MeterNames.described(MeterNames.CONFIGS).text() + "\n");
                assertThat(scraped.lines().filter(line -> line.startsWith("# HELP cairn_")))
                        .hasSizeGreaterThan(10)
                        .allMatch(line -> line.split(" ").length > 4, "has a description");
                assertThat(value(scraped, "cairn_configs")).isEqualTo(2);
                assertThat(value(scraped, "cairn_connections")).isEqualTo(2);
                assertThat(value(scraped, "cairn_config_listens")).isEqualTo(1);
                assertThat(value(scraped, "cairn_store_writes_total")).isEqualTo(2);
                assertThat(value(scraped, "cairn_store_commits_seconds_count")).isEqualTo(2);
                assertThat(value(scraped, "cairn_store_queue")).isZero();
                assertThat(value(scraped, "cairn_push_sent_total{kind=\"config\"}"))
                        .isEqualTo(1);
                assertThat(value(scraped, "cairn_push_latency_seconds_count{kind=\"config\"}"))
                        .isEqualTo(1);
                assertThat(value(scraped, "cairn_http_connections")).isPositive();
                assertThat(value(
                                scraped,
                                "cairn_grpc_requests_seconds_count{outcome=\"ok\",type=\"ConfigQueryRequest\"}"))
                        .isEqualTo(2);
                assertThat(value(
                                scraped,
                                "cairn_http_requests_seconds_count{route=\"POST /v1/cs/configs\",status=\"200\"}"))
                        .isEqualTo(1);
            });
        }
    }

    @Test
    void namingMetersCountInstancesAndAcknowledgedPushes() {
        try (NamingClient subscriber = NamingClient.connect(cairn)) {
            register("orders", "10.0.0.1");
            register("orders", "10.0.0.2");
            register("stock", "10.0.0.3");
            beat("orders", "10.0.0.1");
            beat("stock", "10.0.0.3");
            subscriber.subscribe("orders");
            assertThat(subscriber.nextHosts()).hasSize(2); // the answer, told once more
            awaitMeters(scraped -> {
                assertThat(value(scraped, "cairn_naming_services")).isEqualTo(2);
                assertThat(value(scraped, "cairn_naming_instances")).isEqualTo(3);
                assertThat(value(scraped, "cairn_naming_subscribers")).isEqualTo(1);
                assertThat(value(scraped, "cairn_naming_beats_total")).isEqualTo(2);
                assertThat(value(scraped, SERVICE_PUSHES_ACKNOWLEDGED)).isEqualTo(1);
            });

            subscriber.wire().acknowledge(push -> false);
            register("orders", "10.0.0.4");
            Payload push = subscriber.wire().nextPush();
            awaitMeters(scraped -> {
                assertThat(value(scraped, SERVICE_PUSHES_SENT)).isGreaterThan(1);
                assertThat(value(scraped, SERVICE_PUSHES_ACKNOWLEDGED)).isEqualTo(1);
            });

            subscriber.wire().acknowledge(again -> true);
            subscriber.wire().acknowledge(push);
            awaitMeters(scraped -> {
                assertThat(value(scraped, SERVICE_PUSHES_ACKNOWLEDGED)).isEqualTo(2);
                assertThat(value(scraped, "cairn_naming_instances")).isEqualTo(4);
            });
            subscriber.unsubscribe("orders");
            awaitMeters(scraped ->
                    assertThat(value(scraped, "cairn_naming_subscribers")).isZero());
        }
    }

    @Test
    void dashboardsMadeForNacosFindTheirNames() {
        String before = nacos.get("/actuator/prometheus").body();
        assertThat(value(before, "nacos_monitor{module=\"naming\",name=\"avgPushCost\"}"))
                .isEqualTo(-1);
        try (NamingClient subscriber = NamingClient.connect(nacos)) {
            nacos.post("/v1/cs/configs", Map.of("dataId", "b.yaml", "group", "DEFAULT_GROUP", "content", "b: 1"));
            subscriber.wire().publish("c.yaml", "c: 1");
            subscriber.wire().query("c.yaml");
            register(nacos, "orders", "10.0.0.1");
            register(nacos, "stock", "10.0.0.2");
            subscriber.subscribe("orders");
            assertThat(subscriber.nextHosts()).hasSize(1);

            await().untilAsserted(() -> {
                String scraped = nacos.get("/actuator/prometheus").body();
                Map.of(
                                "config\",name=\"configCount", 2,
                                "config\",name=\"publish", 2,
                                "config\",name=\"getConfig", 1,
                                "config\",name=\"longPolling", 0,
                                "naming\",name=\"serviceCount", 2,
                                "naming\",name=\"ipCount", 2,
                                "naming\",name=\"subscriberCount", 1,
                                "naming\",name=\"totalPush", 1,
                                "naming\",name=\"failedPush", 0,
                                "core\",name=\"longConnection", 1)
                        .forEach(
                                (name, expected) -> assertThat(value(scraped, "nacos_monitor{module=\"" + name + "\"}"))
                                        .as(name)
                                        .isEqualTo(expected.doubleValue()));
                assertThat(value(scraped, "nacos_naming_publisher{version=\"v1\"}"))
                        .isEqualTo(2);
                assertThat(value(scraped, "nacos_naming_publisher{version=\"v2\"}"))
                        .isZero();
                assertThat(value(scraped, "nacos_naming_subscriber{version=\"v1\"}"))
                        .isZero();
                assertThat(value(scraped, "nacos_naming_subscriber{version=\"v2\"}"))
                        .isEqualTo(1);
                assertThat(value(scraped, "nacos_timer_seconds_count{module=\"config\",name=\"writeConfigRt\"}"))
                        .isEqualTo(2);
                assertThat(value(scraped, "nacos_timer_seconds_sum{module=\"config\",name=\"readConfigRt\"}"))
                        .isPositive();
                assertThat(value(scraped, "nacos_exception_total{module=\"config\",name=\"db\"}"))
                        .isZero();
                for (String type : List.of("http", "tcp", "mysql")) {
                    assertThat(value(scraped, "nacos_monitor{module=\"naming\",name=\"" + type + "HealthCheck\"}"))
                            .isZero();
                }
            });
            // A period is over soon, so that changes go on until one of them is seen in it.
            AtomicInteger changes = new AtomicInteger();
            await().untilAsserted(() -> {
                register(nacos, "orders", "10.0.1." + changes.incrementAndGet());
                assertThat(value(
                                nacos.get("/actuator/prometheus").body(),
                                "nacos_monitor{module=\"naming\",name=\"maxPushCost\"}"))
                        .as("of the last period")
                        .isPositive();
            });
        }
    }

    /** Over HTTP, to stay for the whole test without a beat. */
    private static void register(String service, String ip) {
        register(cairn, service, ip);
    }

    private static void register(CairnExtension server, String service, String ip) {
        assertThat(server.post(
                                "/v1/ns/instance",
                                Map.of(
                                        "serviceName",
                                        service,
                                        "ip",
                                        ip,
                                        "port",
                                        "8080",
                                        "metadata",
                                        LongLease.METADATA))
                        .statusCode())
                .isEqualTo(200);
    }

    private static void beat(String service, String ip) {
        String form = CairnExtension.encode(Map.of("serviceName", service, "ip", ip, "port", "8080"));
        assertThat(cairn.send(HttpRequest.newBuilder(cairn.uri("/v1/ns/instance/beat?" + form))
                                .PUT(HttpRequest.BodyPublishers.noBody()))
                        .statusCode())
                .isEqualTo(200);
    }

    private static void awaitMeters(Consumer<String> asExpected) {
        await().untilAsserted(() -> asExpected.accept(scrape()));
    }

    private static String scrape() {
        return cairn.get("/actuator/prometheus").body();
    }

    private static String prometheusName(Field constant) {
        try {
            return ((String) constant.get(null)).replace('.', '_');
        } catch (IllegalAccessException e) {
            throw new AssertionError(e);
        }
    }

    private static double value(String scraped, String meter) {
        return scraped.lines()
                .filter(line -> line.startsWith(meter + ' '))
                .map(line -> Double.parseDouble(line.substring(meter.length() + 1)))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no " + meter + " in:\n" + scraped));
    }
}
