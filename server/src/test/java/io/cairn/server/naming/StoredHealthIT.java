package io.cairn.server.naming;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import io.cairn.server.CairnServer;
import io.cairn.server.TimedServer;
import io.cairn.server.naming.health.FirstCheck;
import io.cairn.server.wiring.settings.InternalTimings;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The health of a persistent instance survives a restart of the server, set by an operator or found by a check. */
@Tag("full")
class StoredHealthIT {

    private static final FirstCheck SOON = new FirstCheck(Duration.ofMillis(100), Duration.ofMillis(200));

    private final HttpClient http = HttpClient.newHttpClient();

    @TempDir
    Path home;

    private CairnServer start() {
        return TimedServer.builder(InternalTimings.PRODUCTION.withFirstHealthCheck(SOON))
                .home(home)
                .setting("server.port", "0")
                .start();
    }

    @Test
    void healthSetByHandSurvivesARestart() throws Exception {
        String instance = "serviceName=by-hand&ip=10.0.0.1&port=80";
        try (CairnServer server = start()) {
            send(server, "POST", "instance?ephemeral=false&" + instance);
            send(
                    server,
                    "PUT",
                    "cluster?serviceName=by-hand&clusterName=DEFAULT&checkPort=80&useInstancePort4Check=true"
                            + "&healthChecker=%7B%22type%22%3A%22NONE%22%7D");
            send(server, "PUT", "health?healthy=false&" + instance);
            assertThat(isHealthy(server, instance)).isFalse();
        }

        try (CairnServer server = start()) {
            assertThat(isHealthy(server, instance)).isFalse();
            send(server, "PUT", "health?healthy=true&" + instance);
            assertThat(isHealthy(server, instance)).isTrue();
        }
    }

    @Test
    void anUnhealthyInstanceStaysUnhealthyAfterARestartUntilACheckSucceeds() throws Exception {
        CountDownLatch answers = new CountDownLatch(1);
        HttpServer target = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        ExecutorService threads = Executors.newCachedThreadPool();
        target.setExecutor(threads);
        target.createContext("/", asked -> {
            try {
                answers.await();
                asked.sendResponseHeaders(200, -1);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } finally {
                asked.close();
            }
        });
        target.start();
        int port = target.getAddress().getPort();
        String instance = "serviceName=checked&ip=127.0.0.1&port=" + port;
        try {
            try (CairnServer server = start()) {
                send(server, "POST", "instance?ephemeral=false&" + instance);
                send(
                        server,
                        "PUT",
                        "cluster?serviceName=checked&clusterName=DEFAULT&checkPort=80&useInstancePort4Check=true"
                                + "&healthChecker=%7B%22type%22%3A%22HTTP%22%2C%22path%22%3A%22%2F%22%7D");
                assertThat(isHealthy(server, instance)).isTrue();
                await().atMost(PATIENCE.multipliedBy(2)).until(() -> !isHealthy(server, instance));
            }

            try (CairnServer server = start()) {
                // An instance that does not answer becomes unhealthy after three checks, which take six seconds in
                // total.
                assertThat(isHealthy(server, instance)).isFalse();
                answers.countDown();
                await().atMost(PATIENCE.multipliedBy(2)).until(() -> isHealthy(server, instance));
            }
        } finally {
            answers.countDown();
            target.stop(0);
            threads.shutdownNow();
        }
    }

    private boolean isHealthy(CairnServer server, String instance) throws Exception {
        return send(server, "GET", "instance?" + instance).contains("\"healthy\":true");
    }

    private String send(CairnServer server, String method, String call) throws Exception {
        HttpResponse<String> answer = http.send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.httpPort() + "/nacos/v1/ns/" + call))
                        .method(method, HttpRequest.BodyPublishers.noBody())
                        .build(),
                HttpResponse.BodyHandlers.ofString());
        assertThat(answer.statusCode()).as(call + ": " + answer.body()).isEqualTo(200);
        return answer.body();
    }
}
