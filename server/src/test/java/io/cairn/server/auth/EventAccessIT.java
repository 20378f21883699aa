package io.cairn.server.auth;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.http.events.EventHub;
import io.cairn.server.support.InspectableServer;
import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class EventAccessIT {

    @RegisterExtension
    static final InspectableServer cairn = AuthenticatedServer.open();

    private final AuthenticatedServer server = new AuthenticatedServer(cairn);

    @Test
    void eachCallerGetsReadableEventsAndTheStreamEndsWithTheSession() throws Exception {
        String admin = server.token("nacos", server.adminPassword());
        String gil = server.userWith(admin, "gil", "public:MINE:config/*", "r");
        List<String> lines = new ArrayList<>();
        HttpResponse<InputStream> answer = HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create(
                                        "http://127.0.0.1:" + cairn.httpPort() + "/nacos/v3/admin/core/events"))
                                .header("Authorization", "Bearer " + gil)
                                .build(),
                        HttpResponse.BodyHandlers.ofInputStream());
        assertThat(answer.statusCode()).isEqualTo(200);
        try (BufferedReader reader = new BufferedReader(new InputStreamReader(answer.body(), StandardCharsets.UTF_8))) {
            assertThat(reader.readLine()).isEqualTo("event: hello");
            publish(admin, "OTHER");
            publish(admin, "MINE");
            for (String line = reader.readLine(); !line.contains("MINE"); line = reader.readLine()) {
                lines.add(line);
            }
            assertThat(lines).noneMatch(line -> line.contains("OTHER") || line.contains("connections"));
            server.call(admin, "DELETE", "/v3/auth/user", "username", "gil");
            publish(admin, "MINE");
            assertThat(reader.lines()).noneMatch(line -> line.contains("MINE"));
        }
        Awaitility.await().until(() -> cairn.part(EventHub.class).size() == 0);
    }

    private void publish(String token, String group) {
        assertThat(server.call(
                                token,
                                "POST",
                                "/v3/admin/cs/config",
                                "dataId",
                                "a",
                                "groupName",
                                group,
                                "content",
                                "v" + System.nanoTime())
                        .statusCode())
                .isEqualTo(200);
    }
}
