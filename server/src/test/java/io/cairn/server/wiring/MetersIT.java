package io.cairn.server.wiring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.server.metrics.MeterNames;
import io.cairn.server.support.CairnExtension;
import io.cairn.server.support.WireClient;
import java.lang.reflect.Field;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class MetersIT {

    @RegisterExtension
    static final CairnExtension cairn = CairnExtension.temporary();

    @Test
    void everyMeterIsThereAfterAFewRequests() {
        try (WireClient reader = cairn.newClient();
                WireClient writer = cairn.newClient()) {
            reader.listen("a.yaml", "");
            writer.publish("a.yaml", "a: 1");
            reader.nextPush();
            writer.query("a.yaml");
            writer.query("no-such.yaml");
            cairn.post("/v1/cs/configs", Map.of("dataId", "b.yaml", "group", "DEFAULT_GROUP", "content", "b: 1"));

            // A push is counted when its acknowledgement arrives, a request after its answer has left.
            await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> {
                String scraped = cairn.get("/actuator/prometheus").body();
                // What is measured of TLS is there where TLS is: TlsIT looks at it.
                assertThat(Arrays.stream(MeterNames.class.getFields())
                                .filter(constant -> !prometheusName(constant).startsWith("cairn_tls_")))
                        .hasSizeGreaterThan(10)
                        .allSatisfy(constant -> assertThat(scraped.lines())
                                .as("%s", constant)
                                .anyMatch(line -> line.startsWith(prometheusName(constant))));
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
