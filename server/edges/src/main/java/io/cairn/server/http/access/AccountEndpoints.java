package io.cairn.server.http.access;

import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.route.Endpoints;
import io.cairn.server.http.route.HttpEndpoint;
import io.cairn.server.http.route.HttpRoute;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import java.util.function.Function;

/** Users, roles and permissions, as versions 1 and 3 both offer them at paths of their own. */
public final class AccountEndpoints {

    private final AccountActions actions;
    private final Endpoints endpoints = new Endpoints(new AccountErrors());

    public AccountEndpoints(AccountActions actions) {
        this.actions = actions;
    }

    /**
     * In what the versions differ.
     *
     * @param users the path of users
     * @param list what the paths of lists end in
     * @param changed wraps the text that a change is answered with
     * @param shown wraps the data that a question is answered with
     */
    public record Version(
            String users,
            String roles,
            String permissions,
            String list,
            Function<String, HttpResponse> changed,
            Function<Object, HttpResponse> shown) {}

    /** A login. */
    public HttpRoute login(String path, HttpEndpoint login) {
        return endpoints.post(path, AccountActions.LOGIN, login);
    }

    /** Creating the first administrator, which is refused: the first start of a server makes it. */
    public HttpRoute firstAdmin(Version version, HttpResponse refusal) {
        return endpoints.post(
                version.users + "/admin",
                AccountActions.FIRST_ADMIN,
                request -> CompletableFuture.completedFuture(refusal));
    }

    public HttpRoute createUser(Version version) {
        return endpoints
                .post(version.users, AccountActions.CREATE_USER, changing(version, actions::createUser))
                .behind(actions::refusalWhenOff);
    }

    /** The other endpoints that both versions offer. */
    public List<HttpRoute> routes(Version version) {
        String users = version.users;
        String roles = version.roles;
        String permissions = version.permissions;
        String list = version.list;
        return needingAccounts(List.of(
                endpoints.put(users, AccountActions.SET_PASSWORD, changing(version, actions::setPassword)),
                endpoints.delete(users, AccountActions.DELETE_USER, changing(version, actions::deleteUser)),
                endpoints.get(users + list, AccountActions.USERS, showing(version, actions::users)),
                endpoints.get(users + "/search", AccountActions.USER_NAMES, showing(version, actions::userNames)),
                endpoints.post(roles, AccountActions.GRANT_ROLE, changing(version, actions::grantRole)),
                endpoints.delete(roles, AccountActions.REVOKE_ROLE, changing(version, actions::revokeRole)),
                endpoints.get(roles + list, AccountActions.ROLES, showing(version, actions::roles)),
                endpoints.get(roles + "/search", AccountActions.ROLE_NAMES, showing(version, actions::roleNames)),
                endpoints.post(permissions, AccountActions.ADD_PERMISSION, changing(version, actions::addPermission)),
                endpoints.delete(
                        permissions, AccountActions.REMOVE_PERMISSION, changing(version, actions::removePermission))));
    }

    /** The same routes, refused without authentication. */
    public List<HttpRoute> needingAccounts(List<HttpRoute> routes) {
        return routes.stream()
                .map(route -> route.behind(actions::refusalWhenOff))
                .toList();
    }

    private static <T> Endpoints.Action<T> changing(
            Version version, BiFunction<T, HttpRequest, CompletionStage<String>> change) {
        return (request, http) -> change.apply(request, http).thenApply(version.changed);
    }

    private static <T> Endpoints.Action<T> showing(Version version, Function<T, Object> question) {
        return (request, http) -> CompletableFuture.completedFuture(version.shown.apply(question.apply(request)));
    }
}
