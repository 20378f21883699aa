package io.cairn.server.http.v1;

import io.cairn.server.auth.Action;
import io.cairn.server.auth.ResourceType;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.route.HttpAccess;
import io.cairn.server.http.route.HttpRule;

/** What each route of version 1 needs. */
public final class V1Access {

    private static final HttpRule NAMESPACE = HttpRule.namespace("namespaceId");
    private static final HttpRule CHOSEN_NAMESPACE = HttpRule.namespace("customNamespaceId");

    private V1Access() {}

    public static void addTo(HttpAccess access) {
        access.put(
                HttpRule.OPEN,
                "POST /v1/auth/login",
                "GET /v1/console/server/announcement",
                "GET /v1/console/server/guide",
                "POST /v1/auth/users/login",
                "POST /v1/auth/users/admin",
                "GET /v1/console/health/liveness",
                "GET /v1/console/health/readiness",
                "GET /v1/console/server/state",
                "GET /v1/cs/health");
        access.put(
                (policy, who, request) -> {
                    if (is(request, "show", "all")) {
                        return NAMESPACE.check(policy, who, request);
                    }
                    return (is(request, "checkNamespaceIdExist", "true") ? CHOSEN_NAMESPACE : HttpRule.KNOWN)
                            .check(policy, who, request);
                },
                "GET /v1/console/namespaces");
        access.put(
                (policy, who, request) -> policy.checkSelf(who, request.parameter("username")), "PUT /v1/auth/users");
        access.put(
                HttpRule.ADMIN,
                "GET /v1/auth/users",
                "POST /v1/auth/users",
                "POST /v1/console/namespaces",
                "PUT /v1/console/namespaces",
                "DELETE /v1/console/namespaces",
                "DELETE /v1/auth/users",
                "GET /v1/auth/users/search",
                "GET /v1/auth/roles",
                "POST /v1/auth/roles",
                "DELETE /v1/auth/roles",
                "GET /v1/auth/roles/search",
                "GET /v1/auth/permissions",
                "POST /v1/auth/permissions",
                "DELETE /v1/auth/permissions",
                "GET /v1/core/cluster/health",
                "GET /v1/core/cluster/nodes",
                "POST /v1/core/cluster/report",
                "GET /v1/core/cluster/self",
                "POST /v1/core/cluster/server/leave",
                "GET /v1/core/cluster/simple/nodes",
                "POST /v1/core/cluster/switch/lookup",
                "GET /v1/core/ops/idInfo",
                "PUT /v1/core/ops/log",
                "POST /v1/core/ops/raft");
        access.put(
    }

    private static boolean is(HttpRequest request, String parameter, String value) {
        return value.equals(request.parameter(parameter));
    }
}
