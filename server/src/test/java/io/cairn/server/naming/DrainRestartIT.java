package io.cairn.server.naming;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.server.CairnServer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A drain is stored: it goes on after a restart of the server, and ends at its time. */
class DrainRestartIT {

    private static final HttpClient HTTP = HttpClient.newHttpClient();

    @TempDir
    Path folder;

    private CairnServer start() {
        return CairnServer.builder().home(folder).setting("server.port", "0").start();
    }

    private static String call(CairnServer server, String method, String path)
            throws IOException, InterruptedException {
        HttpResponse<String> answer = HTTP.send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.httpPort() + "/nacos/v3/" + path))
                        .method(method, BodyPublishers.noBody())
                        .build(),
                BodyHandlers.ofString());
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return answer.body();
    }

    private static String list(CairnServer server, String service) throws IOException, InterruptedException {
        return call(server, "GET", "client/ns/instance/list?serviceName=" + service);
    }

    @Test
    void goesOnAfterARestartAndEndsAtItsTime() throws Exception {
        try (CairnServer server = start()) {
            for (String service : new String[] {"long", "short"}) {
                for (int port = 1; port <= 2; port++) {
                    call(
                            server,
                            "POST",
                            "admin/ns/instance?ephemeral=false&ip=10.3.0.1&port=" + port + "&serviceName=" + service);
                }
            }
            call(server, "PUT", "admin/ns/instance/drain?for=1h&ip=10.3.0.1&port=1&serviceName=long");
            call(server, "PUT", "admin/ns/instance/drain?for=1s&ip=10.3.0.1&port=1&serviceName=short");
        }

        try (CairnServer server = start()) {
            await().untilAsserted(() -> assertThat(list(server, "short")).contains("\"port\":1,", "\"port\":2,"));
            assertThat(list(server, "long")).doesNotContain("\"port\":1,").contains("\"port\":2,");
            assertThat(call(server, "GET", "admin/ns/instance/list?serviceName=long"))
                    .contains("\"drainedUntil\":");
        }
    }
}
