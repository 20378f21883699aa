package io.cairn.server.http.route;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What those endpoints take and answer that are the same in several versions of the API and at several paths, so that it is
 * written once: those of health, of logins, and those of version 1 that tell things apart by a parameter. All others declare
 * it themselves.
 */
public final class NamedOperations {

    private static final String PAGE = "pageNo:integer pageSize:integer ";

    private final Map<String, OldOperation> others = new HashMap<>();

    public NamedOperations() {
        state();
        logins();
        accounts();
        version1();
    }

    /** Version 1 tells apart what is asked for at one path by a parameter. */
    private void version1() {
        other(
                "POST /v1/console/namespaces",
                "Creates a namespace",
                "customNamespaceId namespaceId namespaceName! namespaceDesc",
                "boolean");
        other(
                "PUT /v1/console/namespaces",
                "Renames a namespace",
                "namespace! namespaceShowName! namespaceDesc",
                "boolean");
        other(
                "DELETE /v1/console/namespaces",
                "Deletes a namespace, but nothing that it holds",
                "namespaceId!",
                "boolean");
        other(
                "GET /v1/console/namespaces",
                "Lists the namespaces; with show or checkNamespaceIdExist looks for one",
                "show namespaceId checkNamespaceIdExist customNamespaceId",
                "object");
    }

    private void state() {
        for (String base : List.of("/v1/console/health", "/v2/console/health", "/v3/console/health")) {
            other("GET " + base + "/liveness", "Says that the process is there", "", "string");
            other("GET " + base + "/readiness", "Tells whether the server can do its work", "", "string");
        }
        other("GET /v3/admin/core/state/liveness", "Says that the process is there", "", "string");
        for (String path : List.of("/v3/admin/core/state/readiness", "/v3/admin/core/ops/readiness", "/v1/cs/health")) {
            other("GET " + path, "Tells whether the server can do its work", "", "string");
        }
        for (String path : List.of("/v1/console/server/state", "/v3/admin/core/state", "/v3/console/server/state")) {
            other("GET " + path, "Tells version and settings", "", "object");
        }
    }

    private void logins() {
        for (String path : List.of("/v1/auth/login", "/v1/auth/users/login", "/v3/auth/user/login")) {
            others.put(
                    "POST " + path,
                    OldOperation.of("Gives a token for a name and a password", "username! password!", "object")
                            .as(OldOperation.Form.BARE));
        }
    }

    /** Users, roles and permissions, in both versions that have them. */
    private void accounts() {
        String page = "search pageNo:integer pageSize:integer accurate:boolean ";
        for (String user : List.of("/v1/auth/users", "/v3/auth/user")) {
            other("POST " + user + "/admin", "Creates the first administrator", "password", "object");
            other("POST " + user, "Creates a user", "username! password!", "string");
            other("PUT " + user, "Sets a password", "username! newPassword! oldPassword", "string");
            other("DELETE " + user, "Deletes a user", "username!", "string");
            other("GET " + user, "Lists users", page + "username", "object");
            other("GET " + user + "/list", "Lists users", page + "username", "object");
            other("GET " + user + "/search", "Lists the names of users", "username", "[string]");
        }
        String token = "/v3/admin/auth/token";
        String record = "who type action target address from:integer until:integer pageNo:integer pageSize:integer ";
        other("GET /v3/auth/access", "Tells what the sender may do", "username namespaceId", "object");
        other(
                "GET /v3/auth/access/check",
                "Tells whether a user may read and write a resource, and by which rights",
                "username namespaceId groupName! type! name!",
                "object");
        other("POST " + token, "Makes a token for a program", "name! scopes! ttlSeconds:integer", "object");
        other("GET " + token + "/list", "Lists the tokens of programs", PAGE, "object");
        other("DELETE " + token, "Ends a token of a program", "id!", "string");
        other("POST /v3/admin/auth/secret", "Changes the secret that tokens are signed with", "", "object");
        other("GET /v3/admin/auth/audit/list", "Lists who did what", record, "object");
        other("GET /v3/admin/auth/audit/export", "Exports who did what", record, "string");
        for (String role : List.of("/v1/auth/roles", "/v3/auth/role")) {
            other("POST " + role, "Gives a role to a user", "role! username!", "string");
            other("DELETE " + role, "Takes a role from a user, or deletes it", "role! username", "string");
            other("GET " + role, "Lists roles and who has them", page + "role username", "object");
            other("GET " + role + "/list", "Lists roles and who has them", page + "role username", "object");
            other("GET " + role + "/search", "Lists the names of roles", "role", "[string]");
        }
        for (String permission : List.of("/v1/auth/permissions", "/v3/auth/permission")) {
            String rule = "role resource action ";
            other("POST " + permission, "Gives a right to a role", rule, "string");
            other("DELETE " + permission, "Takes a right from a role", rule, "string");
            other("GET " + permission, "Lists rights, or tells whether there is one", page + rule, "object");
            other("GET " + permission + "/list", "Lists rights", page + rule, "object");
        }
    }

    private void other(String route, String summary, String parameters, String answer) {
        others.put(route, OldOperation.of(summary, parameters, answer));
    }

    /** The route with what it takes and answers, where it does not say so itself and it is known here. */
    public HttpRoute describe(HttpRoute route) {
        if (route.old() != null) {
            return route;
        }
        OldOperation known = others.get(route.method() + ' ' + route.path());
        return known == null ? route : route.does(known);
    }
}
