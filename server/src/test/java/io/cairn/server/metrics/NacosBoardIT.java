package io.cairn.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.server.support.CairnExtension;
import io.cairn.server.support.WireClient;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The series that the two official Grafana boards draw: the board for Nacos 2.4 and later, and the one before it. */
class NacosBoardIT {

    /** Each as the expressions of the board for 2.4 and later select it: the name, and the labels. */
    private static final List<String> SERIES = List.of(
            "nacos_monitor name=\"configCount\"",
            "nacos_monitor name=\"serviceCount\"",
            "nacos_monitor name=\"ipCount\"",
            "nacos_monitor name=\"longPolling\"",
            "nacos_monitor module=\"core\" name=\"longConnection\"",
            "nacos_monitor name=\"subscriberCount\"",
            "nacos_monitor module=\"naming\" name=\"pushPendingTaskCount\"",
            "nacos_monitor module=\"config\" name=\"notifyClientTask\"",
            "nacos_config_subscriber version=\"v1\"",
            "nacos_config_subscriber version=\"v2\"",
            "http_server_requests_seconds_sum method=\"POST\" uri=\"/v1/cs/configs\"",
            "http_server_requests_seconds_count method=\"POST\" uri=\"/v1/cs/configs\"",
            "http_server_requests_seconds_count method=\"GET\" uri=\"/v1/ns/instance/list\"",
            "grpc_server_requests_seconds_sum requestClass=\"ConfigQueryRequest\"",
            "grpc_server_requests_seconds_count requestClass=\"ConfigQueryRequest\"",
            "grpc_server_executor module=\"core\" type=\"grpcSdkServer\" name=\"poolSize\"",
            "grpc_server_executor module=\"core\" type=\"grpcSdkServer\" name=\"maximumPoolSize\"",
            "grpc_server_executor module=\"core\" type=\"grpcSdkServer\" name=\"inQueueTaskCount\"",
            "jvm_memory_used_bytes area=\"heap\"",
            "jvm_memory_max_bytes area=\"heap\"",
            "jvm_threads_daemon_threads",
            "system_cpu_usage");

    /**
     * Each as the expressions of the older board select it. Not among them: Raft ({@code leaderStatus}, {@code leaderSendBeatFailed}),
     * queues and exceptions that only Nacos has, and paths of naming with the context path {@code /nacos}, which the newer board lacks.
     */
    private static final List<String> SERIES_OF_THE_OLDER_BOARD = List.of(
            "nacos_monitor name=\"configCount\"",
            "nacos_monitor name=\"serviceCount\"",
            "nacos_monitor name=\"ipCount\"",
            "nacos_monitor name=\"longPolling\"",
            "nacos_monitor name=\"publish\"",
            "nacos_monitor name=\"getConfig\"",
            "nacos_monitor name=\"avgPushCost\"",
            "nacos_monitor name=\"maxPushCost\"",
            "nacos_monitor name=\"failedPush\"",
            "nacos_monitor name=\"httpHealthCheck\"",
            "nacos_monitor name=\"tcpHealthCheck\"",
            "nacos_monitor name=\"mysqlHealthCheck\"",
            "nacos_timer_seconds_sum",
            "nacos_timer_seconds_count",
            "nacos_exception_total name=\"db\"",
            "http_server_requests_seconds_sum uri=\"/v1/cs/configs\"",
            "http_server_requests_seconds_count uri=\"/v1/cs/configs\"",
            "system_load_average_1m",
            "system_cpu_usage",
            "jvm_memory_used_bytes area=\"heap\"",
            "jvm_memory_max_bytes area=\"heap\"",
            "jvm_threads_daemon_threads");

    @RegisterExtension
    static final CairnExtension cairn = CairnExtension.temporary();

    @Test
    void boardsFindTheSeriesThatTheServerHasFiguresFor() {
        try (WireClient client = cairn.newClient()) {
            cairn.post("/v1/cs/configs", Map.of("dataId", "a", "group", "DEFAULT_GROUP", "content", "1"));
            cairn.get("/v1/ns/instance/list?serviceName=none");
            client.query("a");
            client.listen("a", "");

            await().untilAsserted(() -> {
                String scraped = cairn.get("/actuator/prometheus").body();
                assertHasAll(scraped, SERIES);
                assertHasAll(scraped, SERIES_OF_THE_OLDER_BOARD);
                assertThat(value(scraped, "nacos_config_subscriber{version=\"v2\"}"))
                        .isEqualTo(1);
                assertThat(value(scraped, "nacos_config_subscriber{version=\"v1\"}"))
                        .isZero();
                assertThat(value(
                                scraped,
                                "grpc_server_executor{module=\"core\",name=\"poolSize\",type=\"grpcSdkServer\"}"))
                        .isPositive();
            });
        }
        String scraped = cairn.get("/actuator/prometheus").body();
        String ofCairn = "cairn_http_requests_seconds_count{route=\"POST /v1/cs/configs\",status=\"200\"}";
        assertThat(value(
                        scraped,
                        "http_server_requests_seconds_count{method=\"POST\",status=\"200\",uri=\"/v1/cs/configs\"}"))
                .as("the same requests under both names")
                .isEqualTo(value(scraped, ofCairn))
                .isEqualTo(1);
    }

    private static void assertHasAll(String scraped, List<String> wanted) {
        for (String series : wanted) {
            String[] parts = series.split(" ");
            assertThat(scraped.lines()
                            .filter(line -> line.startsWith(parts[0] + "{") || line.startsWith(parts[0] + " "))
                            .filter(line -> List.of(parts).subList(1, parts.length).stream()
                                    .allMatch(line::contains)))
                    .as(series)
                    .isNotEmpty();
        }
    }

    private static double value(String scraped, String series) {
        return scraped.lines()
                .filter(line -> line.startsWith(series + " "))
                .mapToDouble(line -> Double.parseDouble(Pattern.compile(" ").split(line.substring(series.length()))[1]))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no " + series));
    }
}
