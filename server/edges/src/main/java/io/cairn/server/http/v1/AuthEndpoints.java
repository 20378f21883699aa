package io.cairn.server.http.v1;

import io.cairn.server.http.HttpAnswer;
import io.cairn.server.http.HttpCall;
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

    private CompletionStage<HttpAnswer> login(HttpCall call) {
        return actions.login(call, "user not found!");
    }

    /** The first user is made when the server starts for the first time, so there is one already. */
    private CompletionStage<HttpAnswer> admin(HttpCall call) {
        return CompletableFuture.completedFuture(actions.enveloped(409, null, "have admin user cannot use it"));
    }

    private CompletionStage<HttpAnswer> createUser(HttpCall call) {
        if ("nacos".equals(call.parameter("username"))) {
            return CompletableFuture.completedFuture(actions.enveloped(
                    409, null, "User `nacos` is the name of the first user, which the server makes by itself."));
        }
        return changing(actions::createUser).handle(call);
    }

    private CompletionStage<HttpAnswer> permissions(HttpCall call) {
        if (call.has("resource") && call.has("action") && !call.has("pageNo")) {
            return CompletableFuture.completedFuture(actions.enveloped(0, "success", actions.hasPermission(call)));
        }
        return CompletableFuture.completedFuture(actions.json(200, actions.permissions(call)));
    }

    private HttpEndpoint changing(Function<HttpCall, CompletionStage<String>> change) {
        return call -> change.apply(call).thenApply(text -> actions.enveloped(200, null, text));
    }

    private HttpEndpoint showing(Function<HttpCall, Object> list) {
        return call -> CompletableFuture.completedFuture(actions.json(200, list.apply(call)));
    }
}
