package io.cairn.server.auth;

import io.cairn.server.support.CairnExtension;
import io.cairn.server.support.InspectableServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Speaks HTTP to a server that asks who calls. */
public final class AuthenticatedServer {

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final InspectableServer server;
    private final HttpClient http = HttpClient.newHttpClient();

    public AuthenticatedServer(InspectableServer server) {
        this.server = server;
    }

    public static InspectableServer open() {
        return InspectableServer.temporary()
                .with("nacos.core.auth.enabled", "true")
                .with("server.address", "127.0.0.1");
    }

    public String adminPassword() {
        try {
            return Files.readString(server.part(SecretFolder.class).passwordFile())
                    .trim();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A request with its parameters in the query, and a token unless that is null. */
    HttpResponse<String> call(String token, String method, String path, String... parameters) {
        Map<String, String> query = new LinkedHashMap<>();
        for (int i = 0; i < parameters.length; i += 2) {
            query.put(parameters[i], parameters[i + 1]);
        }
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.httpPort()
                        + "/nacos" + path + (query.isEmpty() ? "" : "?" + CairnExtension.encode(query))))
                .method(method, HttpRequest.BodyPublishers.noBody());
        if (token != null) {
            request.header("accessToken", token);
        }
        return send(request);
    }

    /** Whether a request is refused, told by its status line alone. */
    boolean isDeniedAtOnce(String token, String path) {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.httpPort() + "/nacos" + path));
        if (token != null) {
            request.header("accessToken", token);
        }
        try {
            HttpResponse<InputStream> answer = http.send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
            answer.body().close();
            return answer.statusCode() == 403;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    HttpResponse<String> send(HttpRequest.Builder request) {
        try {
            return http.send(request.build(), HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    HttpResponse<String> login(String username, String password) {
        return call(null, "POST", "/v1/auth/users/login", "username", username, "password", password);
    }

    public String token(String username, String password) {
        HttpResponse<String> answer = login(username, password);
        if (answer.statusCode() != 200) {
            throw new AssertionError(answer.statusCode() + " " + answer.body());
        }
        return tree(answer).path("accessToken").asString();
    }

    /** A token for a machine, made by an administrator. */
    public String newToken(String admin, String name, Duration timeToLive, String scopes) {
        HttpResponse<String> answer = call(
                admin,
                "POST",
                "/v3/admin/auth/token",
                "name",
                name,
                "ttlSeconds",
                Long.toString(timeToLive.toSeconds()),
                "scopes",
                scopes);
        check(answer);
        return tree(answer).path("data").path("token").asString();
    }

    /** A user with one permission, logged in. */
    String userWith(String admin, String name, String resource, String action) {
        check(call(admin, "POST", "/v1/auth/users", "username", name, "password", "pw-of-" + name));
        check(call(admin, "POST", "/v1/auth/roles", "role", "R" + name, "username", name));
        check(call(admin, "POST", "/v1/auth/permissions", "role", "R" + name, "resource", resource, "action", action));
        return token(name, "pw-of-" + name);
    }

    private static void check(HttpResponse<String> answer) {
        if (answer.statusCode() != 200) {
            throw new AssertionError(answer.statusCode() + " " + answer.body());
        }
    }

    static JsonNode tree(HttpResponse<String> answer) {
        return JSON.readTree(answer.body());
    }
}
