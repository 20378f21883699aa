package io.cairn.server.http.v3;

import io.cairn.api.error.ParameterException;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.access.AccountActions;
import io.cairn.server.http.access.AccountErrors;
import io.cairn.server.http.access.OwnAccess;
import io.cairn.server.http.access.TokenActions;
import io.cairn.server.http.route.HttpEndpoint;
import io.cairn.server.http.route.HttpErrors;
import io.cairn.server.http.route.HttpRoute;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/** {@code /v3/auth}, and what Cairn has beside it: tokens for machines, the audit, and what somebody may do. */
public final class AuthEndpoints {

    private static final String USER = "/v3/auth/user";
    private static final String ROLE = "/v3/auth/role";
    private static final String PERMISSION = "/v3/auth/permission";
    private static final String TOKEN = "/v3/admin/auth/token";
    private static final String AUDIT = "/v3/admin/auth/audit";

    private static final String LOGIN_REFUSED = "User not found! Please check user exist or password is right!";

    private final AccountActions actions;
    private final TokenActions tokens;
    private final OwnAccess own;

    public AuthEndpoints(AccountActions actions, TokenActions tokens, OwnAccess own) {
        this.actions = actions;
        this.tokens = tokens;
        this.own = own;
    }

    public List<HttpRoute> routes() {
        HttpErrors errors = new AccountErrors();
        return List.of(
                HttpRoute.post(USER + "/login", errors, this::login),
                HttpRoute.post(USER + "/admin", errors, this::admin),
                HttpRoute.post(USER, errors, changing(actions::createUser)),
                HttpRoute.put(USER, errors, changing(actions::setPassword)),
                HttpRoute.delete(USER, errors, changing(actions::deleteUser)),
                HttpRoute.get(USER + "/list", errors, showing(actions::users)),
                HttpRoute.get(USER + "/search", errors, showing(actions::userNames)),
                HttpRoute.post(ROLE, errors, changing(actions::grantRole)),
                HttpRoute.delete(ROLE, errors, changing(actions::revokeRole)),
                HttpRoute.get(ROLE + "/list", errors, showing(actions::roles)),
                HttpRoute.get(ROLE + "/search", errors, showing(actions::roleNames)),
                HttpRoute.post(PERMISSION, errors, changing(actions::addPermission)),
                HttpRoute.delete(PERMISSION, errors, changing(actions::removePermission)),
                HttpRoute.get(PERMISSION + "/list", errors, showing(actions::permissions)),
                HttpRoute.get(PERMISSION, errors, showing(actions::hasPermission)),
                HttpRoute.get("/v3/auth/access", errors, showing(own::show)),
                HttpRoute.get("/v3/auth/access/check", errors, showing(own::check)),
                HttpRoute.post(TOKEN, errors, request -> tokens.create(request).thenApply(this::success)),
                HttpRoute.get(TOKEN + "/list", errors, showing(tokens::list)),
                HttpRoute.delete(
                        TOKEN, errors, request -> tokens.revoke(request).thenApply(this::success)),
                HttpRoute.post("/v3/admin/auth/secret", errors, request -> tokens.rotate(request)
                        .thenApply(this::success)),
                HttpRoute.get(AUDIT + "/list", errors, request -> tokens.audit(request)
                        .thenApply(this::success)),
                HttpRoute.get(AUDIT + "/export", errors, tokens::export));
    }

    /** Clients of 3.x go over to version 1 unless a login that cannot succeed is answered with 403. */
    private CompletionStage<HttpResponse> login(HttpRequest request) {
        try {
            return actions.login(request, LOGIN_REFUSED);
        } catch (ParameterException e) {
            return CompletableFuture.completedFuture(HttpResponse.of(403, HttpResponse.TEXT, LOGIN_REFUSED));
        }
    }

    /** The first user is made when the server starts for the first time, so there is one already. */
    private CompletionStage<HttpResponse> admin(HttpRequest request) {
        return CompletableFuture.completedFuture(actions.enveloped(409, "have admin user cannot use it.", null));
    }

    private HttpEndpoint changing(Function<HttpRequest, CompletionStage<String>> change) {
        return request -> change.apply(request).thenApply(this::success);
    }

    private HttpEndpoint showing(Function<HttpRequest, Object> data) {
        return request -> CompletableFuture.completedFuture(success(data.apply(request)));
    }

    private HttpResponse success(Object data) {
        return actions.enveloped(0, "success", data);
    }
}
