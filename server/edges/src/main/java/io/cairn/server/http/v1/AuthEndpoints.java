package io.cairn.server.http.v1;

import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.access.AccountActions;
import io.cairn.server.http.access.AccountErrors;
import io.cairn.server.http.route.HttpEndpoint;
import io.cairn.server.http.route.HttpErrors;
import io.cairn.server.http.route.HttpRoute;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/** {@code /v1/auth}: login, users, roles, permissions. */
public final class AuthEndpoints {

    private static final String USERS = "/v1/auth/users";
    private static final String ROLES = "/v1/auth/roles";
    private static final String PERMISSIONS = "/v1/auth/permissions";

    private final AccountActions actions;

    public AuthEndpoints(AccountActions actions) {
        this.actions = actions;
    }

    public List<HttpRoute> routes() {
        HttpErrors errors = new AccountErrors();
        return List.of(
                HttpRoute.post("/v1/auth/users/login", errors, this::login),
                HttpRoute.post("/v1/auth/login", errors, this::login),
                HttpRoute.post(USERS + "/admin", errors, this::admin),
                HttpRoute.post(USERS, errors, this::createUser),
                HttpRoute.put(USERS, errors, changing(actions::setPassword)),
                HttpRoute.delete(USERS, errors, changing(actions::deleteUser)),
                HttpRoute.get(USERS, errors, showing(actions::users)),
                HttpRoute.get(USERS + "/search", errors, showing(actions::userNames)),
                HttpRoute.post(ROLES, errors, changing(actions::grantRole)),
                HttpRoute.delete(ROLES, errors, changing(actions::revokeRole)),
                HttpRoute.get(ROLES, errors, showing(actions::roles)),
                HttpRoute.get(ROLES + "/search", errors, showing(actions::roleNames)),
                HttpRoute.post(PERMISSIONS, errors, changing(actions::addPermission)),
                HttpRoute.delete(PERMISSIONS, errors, changing(actions::removePermission)),
                HttpRoute.get(PERMISSIONS, errors, this::permissions));
    }

    private CompletionStage<HttpResponse> login(HttpRequest request) {
        return actions.login(request, "user not found!");
    }

    /** The first user is made when the server starts for the first time, so there is one already. */
    private CompletionStage<HttpResponse> admin(HttpRequest request) {
        return CompletableFuture.completedFuture(actions.enveloped(409, null, "have admin user cannot use it"));
    }

    private CompletionStage<HttpResponse> createUser(HttpRequest request) {
        if ("nacos".equals(request.parameter("username"))) {
            return CompletableFuture.completedFuture(actions.enveloped(
                    409, null, "User `nacos` is the name of the first user, which the server makes by itself."));
        }
        return changing(actions::createUser).handle(request);
    }

    private CompletionStage<HttpResponse> permissions(HttpRequest request) {
        if (request.has("resource") && request.has("action") && !request.has("pageNo")) {
            return CompletableFuture.completedFuture(actions.enveloped(0, "success", actions.hasPermission(request)));
        }
        return CompletableFuture.completedFuture(actions.json(200, actions.permissions(request)));
    }

    private HttpEndpoint changing(Function<HttpRequest, CompletionStage<String>> change) {
        return request -> change.apply(request).thenApply(text -> actions.enveloped(200, null, text));
    }

    private HttpEndpoint showing(Function<HttpRequest, Object> list) {
        return request -> CompletableFuture.completedFuture(actions.json(200, list.apply(request)));
    }
}
