package io.cairn.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.api.config.ContentDigest;
import io.cairn.server.support.CairnExtension;
import io.cairn.server.support.WireClient;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The server's findings that need attention, and the delay of changes. */
class AttentionIT {

    private static final JsonMapper JSON = JsonMapper.builder().build();

    @RegisterExtension
    static final CairnExtension cairn = CairnExtension.temporary()
            .with("cairn.limits.watches-per-connection", "2")
            .timed(timings ->
                    timings.withChangeOnItsWay(Duration.ofMillis(500)).withPushHistoryPeriod(Duration.ofSeconds(1)));

    private static JsonNode data(String path) {
        var answer = cairn.get(path);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return JSON.readTree(answer.body()).path("data");
    }

    private static List<String> findings(String namespace) {
        List<String> all = new ArrayList<>();
        data("/v3/admin/core/attention?namespaceId=" + namespace)
                .forEach(finding -> all.add(finding.path("kind").asString()
                        + ' '
                        + finding.path("subject").asString()
                        + ' '
                        + finding.path("used").asLong()
                        + '/'
                        + finding.path("max").asLong()));
        return all;
    }

    @Test
    void reportsOutdatedListenersAndAReachedLimit() {
        try (WireClient late = cairn.newClient();
                WireClient present = cairn.newClient()) {
            late.publish("behind.yaml", "a: 1");
            late.listen("behind.yaml", ContentDigest.of("a: 0").toString());
            late.listen("nobody-publishes.yaml", "");
            present.listen("behind.yaml", ContentDigest.of("a: 1").toString());
            Awaitility.await().untilAsserted(() -> assertThat(findings("public"))
                    .contains("LISTENERS_BEHIND behind.yaml 1/2", "LIMIT_NEAR watches-per-connection 2/2"));
            assertThat(findings("elsewhere")).noneMatch(finding -> finding.startsWith("LISTENERS_BEHIND"));
        }
    }

    @Test
    void reportsARefusedHost() {
        for (int i = 0; i < 2; i++) {
            try (RawHttp http = RawHttp.connect(cairn.server())) {
                assertThat(http.send("GET /nacos/v1/cs/configs?dataId=d&group=g HTTP/1.1\r\n"
                                        + "Host: registry.example.org\r\n\r\n")
                                .answer()
                                .status())
                        .isEqualTo(403);
            }
        }

        assertThat(findings("public")).contains("HOST_REFUSED registry.example.org 2/0");
    }

    @Test
    void reportsAPathThatAProxyRequestsInVain() {
        try (RawHttp http = RawHttp.connect(cairn.server())) {
            String[] proxied = {"Accept: text/html,*/*", "X-Forwarded-For: 10.0.0.9"};
            http.request("GET", "/elsewhere/ui/", "Accept: text/html");
            assertThat(http.answer().status()).isEqualTo(404);
            http.request("GET", "/elsewhere/data", "X-Forwarded-For: 10.0.0.9");
            assertThat(http.answer().status()).isEqualTo(404);
            assertThat(findings("public")).noneMatch(finding -> finding.startsWith("PROXY_PATH_UNKNOWN"));

            assertThat(http.request("GET", "/registry/ui/", proxied).answer().status())
                    .isEqualTo(404);
        }

        assertThat(findings("public")).contains("PROXY_PATH_UNKNOWN /registry/ui/ 1/0");
        assertThat(data("/v3/admin/core/attention").findValuesAsString("detail"))
                .anyMatch(
                        detail -> detail.contains("Cairn answers below /nacos/ (expected: a proxy that passes on to"));
    }

    @Test
    void describesTheProcess() {
        JsonNode process = data("/v3/admin/core/process");

        assertThat(process.path("pid").asLong())
                .isEqualTo(ProcessHandle.current().pid());
        assertThat(process.path("javaHome").asString()).isEqualTo(System.getProperty("java.home"));
        assertThat(Path.of(process.path("dataFolder").asString()).resolve("cairn.lock"))
                .exists();
        assertThat(process.path("diskFree").asLong())
                .isPositive()
                .isLessThanOrEqualTo(process.path("diskTotal").asLong());
        assertThat(process.path("openFiles").asLong())
                .isPositive()
                .isLessThan(process.path("maxOpenFiles").asLong());
    }

    @Test
    void measuresTheDelayOfChanges() {
        try (WireClient client = cairn.newClient()) {
            client.publish("measured.yaml", "a: 1");
            client.listen("measured.yaml", ContentDigest.of("a: 1").toString());
            client.publish("measured.yaml", "a: 2");
            client.nextPush();
            Awaitility.await().untilAsserted(() -> {
                long count = 0;
                for (JsonNode sample : data("/v3/admin/core/push/latency").path("config")) {
                    count += sample.path("count").asLong();
                    if (sample.path("count").asLong() > 0) {
                        assertThat(sample.path("p99Micros").asLong()).isPositive();
                        assertThat(sample.path("meanMicros").asLong()).isPositive();
                    }
                }
                assertThat(count).isPositive();
            });
            assertThat(data("/v3/admin/core/push/latency").path("periodSeconds").asInt())
                    .isEqualTo(1);
        }
    }
}
