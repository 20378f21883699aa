package io.cairn.server.http.route;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What those endpoints take and answer that are the same in several versions of the API and at several paths, so that it is
 * written once: those of the registry, of health, of logins, and those of version 1 that tell things apart by a parameter. All others declare
 * it themselves.
 */
public final class NamedOperations {

    private static final String SERVICE = "serviceName! groupName namespaceId ";
    private static final String INSTANCE = SERVICE + "ip! port!:integer clusterName cluster ";
    private static final String PUBLISHED = INSTANCE + "weight:number healthy:boolean enabled:boolean enable:boolean"
            + " ephemeral:boolean metadata app ";
    private static final String PATCHED = INSTANCE + "weight:number enabled:boolean metadata ";
    private static final String SETTINGS = SERVICE + "protectThreshold:number metadata selector ";
    private static final String BATCH = SERVICE + "metadata! instances consistencyType";
    private static final String PAGE = "pageNo:integer pageSize:integer ";
    private static final String CLUSTER = SERVICE
            + "clusterName! checkPort!:integer useInstancePort4Check!:boolean healthChecker! metadata healthCheckType";
    private static final String CLIENTS = SERVICE + "ephemeral:boolean ip port:integer";

    private final Map<String, OldOperation> registry = new HashMap<>();
    private final Map<String, OldOperation> others = new HashMap<>();

    public NamedOperations() {
        instances();
        services();
        operations();
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

    private void instances() {
        naming("POST /instance", "Registers an instance", PUBLISHED, "string");
        other(
                "POST /v3/client/ns/instance",
                "Registers an instance; with heartBeat sends its beat",
                PUBLISHED + "heartBeat:boolean",
                "string");
        naming("DELETE /instance", "Deregisters an instance", INSTANCE + "ephemeral:boolean", "string");
        naming("PUT /instance", "Sets weight, metadata and whether traffic goes to an instance", PUBLISHED, "string");
        naming("PATCH /instance", "Sets what is given of an instance", PATCHED, "string");
        other("PATCH /v1/ns/instance", "Sets what is given of an instance", PATCHED + "healthy:boolean", "string");
        naming("PUT /instance/partial", "Sets what is given of an instance", PATCHED, "string");
        naming("GET /instance", "Shows an instance", INSTANCE, "object");
        naming(
                "GET /instance/list",
                "Lists the instances of a service",
                SERVICE + "clusterName cluster clusters healthyOnly:boolean clientIP udpPort:integer app ip"
                        + " port:integer tid isCheck:boolean env " + PAGE,
                "object");
        naming("PUT /instance/metadata/batch", "Adds metadata to instances", BATCH, "object");
        naming("DELETE /instance/metadata/batch", "Removes metadata from instances", BATCH, "object");
        naming(
                "PUT /instance/beat",
                "Takes the beat of an instance",
                SERVICE + "beat ip port:integer clusterName cluster",
                "object");
        naming("GET /instance/statuses", "Tells which instances of a service are well", "key! namespaceId", "object");
        naming("GET /instance/statuses/**", "Tells which instances of a service are well", "", "object");
        naming(
                "GET /catalog/instances",
                "Lists the instances of a service by pages",
                SERVICE + PAGE + "clusterName cluster healthyOnly:boolean enabledOnly:boolean",
                "object");
        naming(
                "PUT /health",
                "Sets whether a persistent instance is well",
                INSTANCE + "healthy!:boolean valid:boolean",
                "string");
        naming(
                "PUT /health/instance",
                "Sets whether a persistent instance is well",
                INSTANCE + "healthy!:boolean valid:boolean",
                "string");
        naming("GET /health/checkers", "Lists the ways in which instances are asked", "", "object");
        naming("GET /health/server", "Tells how much this server keeps", "", "string");
    }

    private void services() {
        naming("POST /service", "Creates a service", SETTINGS + "ephemeral:boolean", "string");
        other("POST /v1/ns/service", "Creates a persistent service", SETTINGS, "string");
        naming("PUT /service", "Sets what is told of a service", SETTINGS, "string");
        naming("DELETE /service", "Deletes a service without instances", SERVICE, "string");
        naming("GET /service", "Shows a service", SERVICE, "object");
        naming("GET /service/list", "Lists the names of a group's services", "namespaceId groupName " + PAGE, "object");
        naming("GET /service/names", "Lists the names of services", "namespaceId expr", "object");
        naming(
                "GET /service/subscribers",
                "Lists who subscribes to a service",
                SERVICE + PAGE + "aggregation:boolean",
                "object");
        naming("GET /service/selector/types", "Lists the kinds of selectors", "", "object");
        naming("GET /catalog/service", "Shows a service with its clusters", SERVICE, "object");
        naming(
                "GET /catalog/services",
                "Lists services with their clusters",
                "namespaceId serviceNameParam groupNameParam instance containedInstance hasIpCount:boolean"
                        + " withInstances:boolean " + PAGE,
                "object");
        naming("PUT /cluster", "Sets how instances of a cluster are asked", CLUSTER, "string");
        naming("PUT /service/cluster", "Sets how instances of a cluster are asked", CLUSTER, "string");
    }

    private void operations() {
        naming("GET /operator/switches", "Shows the switches of the registry", "", "object");
        naming("PUT /operator/switches", "Sets a switch of the registry", "entry! value! debug:boolean", "string");
        naming("GET /operator/metrics", "Tells how much the registry keeps", "onlyStatus:boolean", "object");
        naming("GET /operator/push/state", "Counts pushes", "detail:boolean reset:boolean", "object");
        naming("GET /operator/distro/client", "Tells which node keeps a client", "ip! port!", "object");
        naming("GET /operator/servers", "Lists the nodes, in the words of 1.4", "healthy:boolean", "object");
        naming("PUT /operator/log", "Sets how much the registry logs", "logName! logLevel!", "string");
        naming("GET /client", "Shows a client of the registry", "clientId!", "object");
        naming("GET /client/list", "Lists the clients of the registry", "", "[string]");
        naming("GET /client/distro", "Tells which node keeps a client", "ip! port!", "object");
        naming("GET /client/publish/list", "Lists what a client has registered", "clientId!", "array");
        naming("GET /client/subscribe/list", "Lists what a client subscribes to", "clientId!", "array");
        naming(
                "GET /client/service/publisher/list",
                "Lists who has registered instances of a service",
                CLIENTS,
                "array");
        naming("GET /client/service/subscriber/list", "Lists who subscribes to a service", CLIENTS, "array");
        naming("GET /**", "Says that there is no such endpoint", "", "object");
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

    private void naming(String route, String summary, String parameters, String answer) {
        registry.put(route, OldOperation.of(summary, parameters, answer));
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
        if (known == null) {
            String inRegistry = inRegistry(route.path());
            known = inRegistry == null ? null : registry.get(route.method() + ' ' + inRegistry);
        }
        return known == null ? route : route.does(known);
    }

    private static @Nullable String inRegistry(String path) {
        int registry = path.indexOf("/ns/");
        if (registry < 0) {
            return null;
        }
        String tail = path.substring(registry + "/ns".length());
        return tail.startsWith("/ops/") ? "/operator" + tail.substring("/ops".length()) : tail;
    }
}
