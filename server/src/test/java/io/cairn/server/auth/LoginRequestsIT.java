package io.cairn.server.auth;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.support.InspectableServer;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Logins whose credentials come as JSON, or do not come. */
class LoginRequestsIT {

    @RegisterExtension
    static final InspectableServer server = AuthenticatedServer.open();

    private final AuthenticatedServer client = new AuthenticatedServer(server);

    @ParameterizedTest
    @ValueSource(strings = {"/v1/auth/login", "/v1/auth/users/login", "/v3/auth/user/login"})
    void readsCredentialsFromJson(String path) {
        HttpResponse<String> response = login(
                path, "Application/JSON", "{\"username\":\"nacos\",\"password\":\"" + client.adminPassword() + "\"}");
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        assertThat(response.body()).contains("\"accessToken\":\"ey", "\"globalAdmin\":true");

        assertThat(login(path, "application/json", "{\"username\":\"nacos\",\"password\":\"wrong\"}")
                        .statusCode())
                .isEqualTo(403);
        assertThat(login(path, "application/json", "{\"username\":").statusCode())
                .isEqualTo(400);
        assertThat(login(path, "application/json", "{\"username\":{}}").body())
                .contains("username: an object (expected: text)");
    }

    @ParameterizedTest
    @CsvSource({
        "application/json, {}",
        "application/json, {\"username\":\"nacos\"}",
        "application/x-www-form-urlencoded, password=x",
        "application/x-www-form-urlencoded, username=nacos",
        "application/x-www-form-urlencoded, ''"
    })
    void answersTheMissingCredentialsOfAVersion3LoginWith403(String type, String body) {
        HttpResponse<String> response = login("/v3/auth/user/login", type, body);
        assertThat(response.statusCode()).isEqualTo(403);
        assertThat(response.body()).isEqualTo("User not found! Please check user exist or password is right!");
    }

    @Test
    void answersTheMissingCredentialsOfAVersion1LoginAsRecorded() {
        HttpResponse<String> response = login("/v1/auth/login", "application/x-www-form-urlencoded", "password=x");
        assertThat(response.statusCode()).isEqualTo(500);
        assertThat(response.body()).contains("Required request parameter");
    }

    private HttpResponse<String> login(String path, String type, String body) {
        return client.send(HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.httpPort() + "/nacos" + path))
                .header("Content-Type", type)
                .POST(HttpRequest.BodyPublishers.ofString(body)));
    }
}
