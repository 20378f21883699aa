package io.cairn.server.wiring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.server.support.CairnExtension;
import io.cairn.server.support.WireClient;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Percentiles can be drawn of the latencies, at the price of a few series. */
class LatencyBucketsIT {

    @RegisterExtension
    static final CairnExtension cairn = CairnExtension.temporary();

    @RegisterExtension
    static final CairnExtension fresh = CairnExtension.temporary();

    @Test
    void latenciesAreHistogramsWithAFewBoundaries() {
        try (WireClient reader = cairn.newClient();
                WireClient writer = cairn.newClient()) {
            reader.listen("h.yaml", "");
            writer.publish("h.yaml", "a: 1");
            reader.nextPush();
            cairn.post("/v1/cs/configs", Map.of("dataId", "h2.yaml", "group", "DEFAULT_GROUP", "content", "b: 1"));
            awaitMeters(scraped -> {
                for (String series : List.of(
                        "cairn_grpc_requests_seconds_bucket{outcome=\"ok\",type=\"ConfigPublishRequest\"",
                        "cairn_http_requests_seconds_bucket{route=\"POST /v1/cs/configs\",status=\"200\"",
                        "cairn_push_latency_seconds_bucket{kind=\"config\"",
                        "cairn_store_commits_seconds_bucket{")) {
                    List<String> buckets = scraped.lines()
                            .filter(line -> line.startsWith(series))
                            .toList();
                    assertThat(buckets).as(series).hasSize(LatencyBuckets.BOUNDARIES.length + 1);
                    assertThat(buckets.get(0)).contains("le=\"0.001\"");
                    assertThat(buckets.get(buckets.size() - 1)).contains("le=\"+Inf\"");
                }
                assertThat(value(scraped, "cairn_push_latency_seconds_bucket{kind=\"config\",le=\"+Inf\"}"))
                        .isEqualTo(value(scraped, "cairn_push_latency_seconds_count{kind=\"config\"}"));
                assertThat(scraped.lines().filter(line -> line.startsWith("cairn_http_requests_seconds_bucket")))
                        .as("a route that nobody has asked for has no series")
                        .noneMatch(line -> line.contains("/v3/console/ns/service\""));
                assertThat(scraped.length()).as("bytes of a scrape").isLessThan(250_000);
            });
        }
    }

    @Test
    void metersShowBuildAndAgeOfTheOldestBeta() {
        assertThat(scrape().lines().filter(line -> line.startsWith("cairn_build_info{")))
                .singleElement()
                .asString()
                .matches("cairn_build_info\\{java=\"[^\"]+\",revision=\"[^\"]+\",version=\"[^\"]+\"} 1(\\.0)?");
        assertThat(value(fresh.get("/actuator/prometheus").body(), "cairn_config_gray_oldest_seconds"))
                .isZero();
        assertThat(cairn.post(
                                "/v1/cs/configs",
                                Map.of("dataId", "beta.yaml", "group", "DEFAULT_GROUP", "content", "b: 1"),
                                "betaIps",
                                "10.0.0.1")
                        .statusCode())
                .isEqualTo(200);
        awaitMeters(scraped ->
                assertThat(value(scraped, "cairn_config_gray_oldest_seconds")).isPositive());
    }

    private static void awaitMeters(Consumer<String> asExpected) {
        await().untilAsserted(() -> asExpected.accept(scrape()));
    }

    private static String scrape() {
        return cairn.get("/actuator/prometheus").body();
    }

    private static double value(String scraped, String meter) {
        return scraped.lines()
                .filter(line -> line.startsWith(meter + ' '))
                .map(line -> Double.parseDouble(line.substring(meter.length() + 1)))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no " + meter + " in:\n" + scraped));
    }
}
