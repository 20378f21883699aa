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

/** Users, roles and permissions at the paths of versions 1 and 3. */
public final class AccountEndpoints {

    private final AccountActions actions;
    private final Endpoints endpoints = new Endpoints(new AccountErrors());

    public AccountEndpoints(AccountActions actions) {
        this.actions = actions;
    }

    /**
     * The differences between the versions.
     *
     * @param users the path of users
     * @param list the end of paths of lists
     * @param changed wraps the text of a change
     * @param shown wraps data
     */
    public record Version(
            String users,
            String roles,
            String permissions,
            String list,
            Function<String, HttpResponse> changed,
            Function<Object, HttpResponse> shown) {}

    public HttpRoute login(String path, HttpEndpoint login) {
        return endpoints.post(path, AccountActions.LOGIN, login);
    }

    /** Refuses to create the first administrator: the first start of a server creates it. */
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

    public List<HttpRoute> routesOfUsers(Version version) {
        String users = version.users;
        return needingAccounts(List.of(
                endpoints.put(users, AccountActions.SET_PASSWORD, changing(version, actions::setPassword)),
                endpoints.delete(users, AccountActions.DELETE_USER, changing(version, actions::deleteUser)),
                endpoints.get(users + version.list, AccountActions.USERS, showing(version, actions::users)),
                endpoints.get(users + "/search", AccountActions.USER_NAMES, showing(version, actions::userNames))));
    }

    public HttpRoute ownPassword(String path, HttpResponse done, HttpResponse wrong) {
        return endpoints
                .put(path, AccountActions.OWN_PASSWORD, (request, http) -> actions.setOwnPassword(request, http)
                        .thenApply(isDone -> isDone ? done : wrong))
                .behind(actions::refusalWhenOff);
    }

    public List<HttpRoute> routes(Version version) {
        String roles = version.roles;
        String permissions = version.permissions;
        String list = version.list;
        return needingAccounts(List.of(
                endpoints.post(roles, AccountActions.GRANT_ROLE, changing(version, actions::grantRole)),
                endpoints.delete(roles, AccountActions.REVOKE_ROLE, changing(version, actions::revokeRole)),
                endpoints.get(roles + list, AccountActions.ROLES, showing(version, actions::roles)),
                endpoints.get(roles + "/search", AccountActions.ROLE_NAMES, showing(version, actions::roleNames)),
                endpoints.post(permissions, AccountActions.ADD_PERMISSION, changing(version, actions::addPermission)),
                endpoints.delete(
                        permissions, AccountActions.REMOVE_PERMISSION, changing(version, actions::removePermission))));
    }

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
