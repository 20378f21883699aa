package io.cairn.server.http.v1;

import io.cairn.server.auth.Action;
import io.cairn.server.auth.ResourceType;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.naming.NamingParameters;
import io.cairn.server.http.route.HttpAccess;
import io.cairn.server.http.route.HttpRule;

/** What each route of version 1 needs. */
public final class V1Access {

    private static final HttpRule NAMESPACE = HttpRule.namespace("namespaceId");
    private static final HttpRule CHOSEN_NAMESPACE = HttpRule.namespace("customNamespaceId");
    private static final HttpRule SERVICES = HttpRule.some(Action.READ, ResourceType.NAMING, "namespaceId");

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
                "GET /v1/cs/health",
                "GET /v1/ns/**",
                "GET /v1/ns/operator/metrics",
                "GET /v1/ns/ops/metrics");
        access.put(
                HttpRule.KNOWN,
                "GET /v1/ns/operator/servers",
                "GET /v1/ns/ops/servers",
                "GET /v1/ns/health/server",
                "GET /v1/ns/health/checkers",
                "GET /v1/ns/service/selector/types");
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
                "POST /v1/core/ops/raft",
                "GET /v1/ns/instance/statuses",
                "GET /v1/ns/operator/distro/client",
                "PUT /v1/ns/operator/log",
                "GET /v1/ns/operator/push/state",
                "GET /v1/ns/operator/switches",
                "PUT /v1/ns/operator/switches",
                "GET /v1/ns/ops/distro/client",
                "PUT /v1/ns/ops/log",
                "GET /v1/ns/ops/push/state",
                "GET /v1/ns/ops/switches",
                "PUT /v1/ns/ops/switches");
        access.put(
                HttpRule.service(Action.READ, NamingParameters::service),
                "GET /v1/ns/instance",
                "GET /v1/ns/instance/list",
                "GET /v1/ns/service",
                "GET /v1/ns/service/subscribers",
                "GET /v1/ns/catalog/service",
                "GET /v1/ns/catalog/instances");
        access.put(
                HttpRule.service(Action.WRITE, NamingParameters::service),
                "POST /v1/ns/instance",
                "PUT /v1/ns/instance",
                "PATCH /v1/ns/instance",
                "DELETE /v1/ns/instance",
                "PUT /v1/ns/instance/beat",
                "PUT /v1/ns/instance/metadata/batch",
                "DELETE /v1/ns/instance/metadata/batch",
                "POST /v1/ns/service",
                "PUT /v1/ns/service",
                "DELETE /v1/ns/service",
                "PUT /v1/ns/cluster",
                "PUT /v1/ns/health",
                "PUT /v1/ns/health/instance");
        access.put(
                HttpRule.some(Action.READ, ResourceType.NAMING, "namespaceId"),
                "GET /v1/ns/service/list",
                "GET /v1/ns/catalog/services");
        access.put(
                (policy, who, request) -> (NamingParameters.given(request, "namespaceId") == null
                                ? HttpRule.someAnywhere(Action.READ)
                                : SERVICES)
                        .check(policy, who, request),
                "GET /v1/ns/service/names");
    }

    private static boolean is(HttpRequest request, String parameter, String value) {
        return value.equals(request.parameter(parameter));
    }
}
