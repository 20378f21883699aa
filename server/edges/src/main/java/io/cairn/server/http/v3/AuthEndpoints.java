package io.cairn.server.http.v3;

import io.cairn.api.error.ParameterException;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.access.AccountActions;
import io.cairn.server.http.access.AccountActions.PermissionEntry;
import io.cairn.server.http.access.AccountEndpoints;
import io.cairn.server.http.access.AccountErrors;
import io.cairn.server.http.access.OwnAccess;
import io.cairn.server.http.access.RuleActions;
import io.cairn.server.http.access.TokenActions;
import io.cairn.server.http.access.TokenExplanation;
import io.cairn.server.http.route.ContainerErrors;
import io.cairn.server.http.route.Endpoints;
import io.cairn.server.http.route.HttpRoute;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import java.util.function.Function;

/** {@code /v3/auth}, and Cairn's additions: tokens of machines, the audit, rights of a user. */
public final class AuthEndpoints {

    private static final AccountEndpoints.Version VERSION = new AccountEndpoints.Version(
            "/v3/auth/user",
            "/v3/auth/role",
            "/v3/auth/permission",
            "/list",
            AuthEndpoints::success,
            AuthEndpoints::success);
    private static final String TOKEN = "/v3/admin/auth/token";
    private static final String RULE = "/v3/admin/auth/rule";
    private static final String AUDIT = "/v3/admin/auth/audit";

    private static final String LOGIN_REFUSED = "User not found! Please check user exist or password is right!";

    private final AccountActions actions;
    private final AccountEndpoints accounts;
    private final TokenActions tokens;
    private final OwnAccess own;
    private final TokenExplanation explanation;
    private final RuleActions rules;

    private final ContainerErrors container;

    public AuthEndpoints(
            AccountActions actions,
            TokenActions tokens,
            OwnAccess own,
            TokenExplanation explanation,
            RuleActions rules,
            ContainerErrors container) {
        this.explanation = explanation;
        this.rules = rules;
        this.container = container;
        this.actions = actions;
        this.accounts = new AccountEndpoints(actions);
        this.tokens = tokens;
        this.own = own;
    }

    public List<HttpRoute> routes() {
        Endpoints endpoints = new Endpoints(new AccountErrors());
        // Nacos words the failures of its own paths as version 1 does; these paths are Cairn's.
        Endpoints enveloped = new Endpoints(V3.errors(container));
        List<HttpRoute> routes = new ArrayList<>(accounts.routesOfUsers(VERSION));
        routes.addAll(accounts.routes(VERSION));
        routes.add(accounts.login(VERSION.users() + "/login", this::login));
        routes.add(accounts.firstAdmin(VERSION, AccountActions.enveloped(409, "have admin user cannot use it.", null)));
        routes.add(accounts.createUser(VERSION));
        routes.addAll(accounts.needingAccounts(List.of(
                endpoints.get(VERSION.permissions() + "/list", AccountActions.PERMISSIONS, now(actions::permissions)),
                endpoints.get(
                        VERSION.permissions(),
                        AccountActions.PERMISSIONS_OR_ONE,
                        now(request -> actions.hasPermission(PermissionEntry.read(request)))),
                enveloped.post(TOKEN, TokenActions.CREATE, later(tokens::create)),
                enveloped.get(TOKEN + "/list", TokenActions.LIST, now(tokens::list)),
                enveloped.delete(TOKEN, TokenActions.REVOKE, later(tokens::revoke)),
                enveloped.post(TOKEN + "/explain", TokenExplanation.EXPLAIN, (token, http) -> explanation
                        .explain(token)
                        .thenApply(AuthEndpoints::success)),
                enveloped.get(RULE + "/list", RuleActions.LIST, now(rules::list)),
                enveloped.post(RULE, RuleActions.CREATE, later(rules::create)),
                enveloped.put(RULE, RuleActions.UPDATE, later(rules::update)),
                enveloped.delete(RULE, RuleActions.DELETE, later(rules::delete)),
                enveloped.post("/v3/admin/auth/secret", TokenActions.ROTATE, later(tokens::rotate)))));
        routes.add(enveloped.get(
                "/v3/auth/access",
                OwnAccess.SHOW,
                (question, http) -> CompletableFuture.completedFuture(success(own.show(question, http)))));
        routes.add(enveloped.get(
                "/v3/auth/access/check",
                OwnAccess.CHECK,
                (question, http) -> CompletableFuture.completedFuture(success(own.check(question, http)))));
        routes.add(enveloped.get(AUDIT + "/list", TokenActions.AUDIT, later(tokens::audit)));
        routes.add(enveloped.get(AUDIT + "/export", TokenActions.EXPORT, tokens::export));
        return routes;
    }

    /** Clients of 3.x switch to version 1 unless a failed login has status 403. */
    private CompletionStage<HttpResponse> login(HttpRequest request) {
        try {
            return actions.login(request, LOGIN_REFUSED);
        } catch (ParameterException e) {
            return CompletableFuture.completedFuture(HttpResponse.of(403, HttpResponse.TEXT, LOGIN_REFUSED));
        }
    }

    private static <T> Endpoints.Action<T> now(Function<T, Object> question) {
        return (request, http) -> CompletableFuture.completedFuture(success(question.apply(request)));
    }

    private static <T, R> Endpoints.Action<T> later(BiFunction<T, HttpRequest, CompletionStage<R>> action) {
        return (request, http) -> action.apply(request, http).thenApply(AuthEndpoints::success);
    }

    private static HttpResponse success(Object data) {
        return AccountActions.enveloped(0, "success", data);
    }
}
