package io.cairn.server.naming;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.server.CairnServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The health of a persistent instance outlives a restart of the server, whether an operator has set it or a check. */
class StoredHealthIT {

    private final HttpClient http = HttpClient.newHttpClient();

    @TempDir
    Path home;

    private CairnServer start() {
        return CairnServer.builder().home(home).setting("server.port", "0").start();
    }

    @Test
    void asSetByHandItIsTheSameAfterARestart() throws Exception {
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
    void asFoundOutByChecksItIsTheSameAfterARestart() throws Exception {
        try (Socket silent = new Socket()) {
            // Bound and not listening: nobody else gets the port, and nobody is let in.
            silent.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            int port = silent.getLocalPort();
            String instance = "serviceName=checked&ip=127.0.0.1&port=" + port;
            try (CairnServer server = start()) {
                send(server, "POST", "instance?ephemeral=false&" + instance);
                assertThat(isHealthy(server, instance)).isTrue();
                await().atMost(Duration.ofSeconds(60)).until(() -> !isHealthy(server, instance));
            }

            try (CairnServer server = start()) {
                // The first check comes two seconds after the start at the earliest.
                assertThat(isHealthy(server, instance)).isFalse();
                silent.close();
                try (ServerSocket listening = new ServerSocket(port, 16, InetAddress.getLoopbackAddress())) {
                    await().atMost(Duration.ofSeconds(60))
                            .until(() -> !listening.isClosed() && isHealthy(server, instance));
                }
            }
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
