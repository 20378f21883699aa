package io.cairn.server.http.v1;

import io.cairn.server.http.HttpAnswer;
import io.cairn.server.http.HttpCall;
import io.cairn.server.http.HttpErrors;
import io.cairn.server.http.HttpRoute;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * The login of clients that have a user configured, on a server that asks nobody who he is: any name is answered with the
 * word that Nacos answers with when its authentication is off. It is no secret and opens nothing.
 */
public final class LoginEndpoint {

    private static final String NO_TOKEN = "AUTH_DISABLED";
    private static final int TTL_SECONDS = 18_000;

    private final JsonMapper json;

    public LoginEndpoint(JsonMapper json) {
        this.json = json;
    }

    public List<HttpRoute> routes() {
        HttpErrors errors = new V1ConfigErrors();
        return List.of(
                HttpRoute.post("/v1/auth/users/login", errors, this::login),
                HttpRoute.post("/v1/auth/login", errors, this::login),
                HttpRoute.post("/v3/auth/user/login", errors, this::login));
    }

    private CompletionStage<HttpAnswer> login(HttpCall call) {
        @Nullable String username = call.parameter("username");
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("accessToken", NO_TOKEN);
        answer.put("tokenTtl", TTL_SECONDS);
        answer.put("globalAdmin", true);
        answer.put("username", username == null ? "" : username);
        return CompletableFuture.completedFuture(
                HttpAnswer.status(200).contentType(HttpAnswer.JSON).body(json.writeValueAsBytes(answer)));
    }
}
