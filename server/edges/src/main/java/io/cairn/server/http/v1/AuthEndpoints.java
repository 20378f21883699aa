package io.cairn.server.http.v1;

import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.access.AccountActions;
import io.cairn.server.http.access.AccountActions.PermissionEntry;
import io.cairn.server.http.access.AccountEndpoints;
import io.cairn.server.http.access.AccountErrors;
import io.cairn.server.http.access.AccountParameters;
import io.cairn.server.http.access.AccountQuery;
import io.cairn.server.http.route.Endpoints;
import io.cairn.server.http.route.HttpRoute;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** {@code /v1/auth}: login, users, roles, permissions. */
public final class AuthEndpoints {

    private static final AccountEndpoints.Version VERSION = version("/v1/auth/users");
    /** Nacos also serves users below this path. */
    private static final AccountEndpoints.Version SHORT = version("/v1/auth");

    private static final HttpResponse PASSWORD_SET = AccountActions.enveloped(200, null, "Update password success");
    private static final HttpResponse PASSWORD_WRONG = AccountActions.enveloped(401, null, "Old password is invalid");

    private final AccountActions actions;
    private final AccountEndpoints accounts;

    public AuthEndpoints(AccountActions actions) {
        this.actions = actions;
        this.accounts = new AccountEndpoints(actions);
    }

    private static AccountEndpoints.Version version(String users) {
        return new AccountEndpoints.Version(
                users,
                "/v1/auth/roles",
                "/v1/auth/permissions",
                "",
                text -> AccountActions.enveloped(200, null, text),
                AccountActions::json);
    }

    public List<HttpRoute> routes() {
        List<HttpRoute> routes = new ArrayList<>(accounts.routes(VERSION));
        for (AccountEndpoints.Version version : List.of(VERSION, SHORT)) {
            String users = version.users();
            routes.addAll(accounts.routesOfUsers(version));
            routes.add(accounts.login(users + "/login", this::login));
            routes.add(
                    accounts.firstAdmin(version, AccountActions.enveloped(409, null, "have admin user cannot use it")));
            routes.add(accounts.createUser(version).behind(this::refusesToCreate));
            routes.add(accounts.ownPassword(users + "/password", PASSWORD_SET, PASSWORD_WRONG));
        }
        routes.addAll(accounts.needingAccounts(List.of(new Endpoints(new AccountErrors())
                .get(VERSION.permissions(), AccountActions.PERMISSIONS_OR_ONE, this::permissions))));
        return routes;
    }

    private CompletionStage<HttpResponse> login(HttpRequest request) {
        return actions.login(request, "user not found!");
    }

    private @Nullable CompletionStage<HttpResponse> refusesToCreate(HttpRequest request) {
        return "nacos".equals(AccountParameters.USERNAME.orNull(request))
                ? CompletableFuture.completedFuture(AccountActions.enveloped(
                        409, null, "User `nacos` is the name of the first user, which the server makes by itself."))
                : actions.refusalWhenOff(request);
    }

    private CompletionStage<HttpResponse> permissions(HttpRequest request) {
        boolean isOne = AccountParameters.RESOURCE.isIn(request)
                && AccountParameters.ACTION.isIn(request)
                && !AccountQuery.PAGE_NO.isIn(request);
        return CompletableFuture.completedFuture(
                isOne
                        ? AccountActions.enveloped(0, "success", actions.hasPermission(PermissionEntry.read(request)))
                        : AccountActions.json(actions.permissions(AccountQuery.permissions(request))));
    }
}
