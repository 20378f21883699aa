package io.cairn.server.http.v3;

import io.cairn.server.auth.AccessPolicy;
import io.cairn.server.auth.Action;
import io.cairn.server.auth.Denial;
import io.cairn.server.auth.Identity;
import io.cairn.server.auth.ResourceType;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.naming.NamingParameters;
import io.cairn.server.http.route.HttpAccess;
import io.cairn.server.http.route.HttpRule;
import org.jspecify.annotations.Nullable;

/** What each route of version 3 needs. */
public final class V3Access {

    private V3Access() {}

    public static void addTo(HttpAccess access) {
        access.put(
                HttpRule.OPEN,
                "POST /v3/auth/user/login",
                "GET /v3/console/server/announcement",
                "GET /v3/console/server/guide",
                "POST /v3/auth/user/admin",
                "GET /v3/admin/core/state",
                "GET /v3/admin/core/state/liveness",
                "GET /v3/admin/core/state/readiness",
                "GET /v3/admin/core/ops/readiness",
                "GET /v3/console/server/state",
                "GET /v3/console/health/liveness",
                "GET /v3/console/health/readiness");
        access.put(
                HttpRule.KNOWN,
                "GET /v3/admin/core/namespace/list",
                "GET /v3/console/core/namespace/list",
                // What may not be read is left out of it.
                "GET /v3/admin/core/events");
        access.put(
                HttpRule.namespace("namespaceId"),
                "GET /v3/admin/core/namespace",
                "GET /v3/admin/core/namespace/check",
                "GET /v3/console/core/namespace");
        access.put(HttpRule.namespace("customNamespaceId"), "GET /v3/console/core/namespace/exist");
        access.put((policy, who, request) -> policy.checkSelf(who, request.parameter("username")), "PUT /v3/auth/user");
        access.put(V3Access::ownOrAdmin, "GET /v3/auth/access", "GET /v3/auth/access/check");
        access.put(
                HttpRule.ADMIN,
                "GET /v3/admin/auth/audit/export",
                "GET /v3/admin/auth/audit/list",
                "POST /v3/admin/auth/secret",
                "DELETE /v3/admin/auth/token",
                "POST /v3/admin/auth/token",
                "GET /v3/admin/auth/token/list",
                "PUT /v3/admin/core/cluster/lookup",
                "GET /v3/admin/core/attention",
                "GET /v3/admin/core/backup",
                "GET /v3/admin/core/process",
                "GET /v3/admin/core/push/latency",
                "POST /v3/admin/core/restore",
                "GET /v3/admin/core/cluster/node/list",
                "PUT /v3/admin/core/cluster/node/list",
                "GET /v3/admin/core/cluster/node/self",
                "GET /v3/admin/core/cluster/node/self/health",
                "GET /v3/admin/core/limits",
                "GET /v3/admin/core/loader/cluster",
                "GET /v3/admin/core/loader/current",
                "POST /v3/admin/core/loader/reloadClient",
                "POST /v3/admin/core/loader/reloadCurrent",
                "POST /v3/admin/core/loader/smartReloadCluster",
                "DELETE /v3/admin/core/namespace",
                "POST /v3/admin/core/namespace",
                "PUT /v3/admin/core/namespace",
                "GET /v3/admin/core/ops/ids",
                "PUT /v3/admin/core/ops/log",
                "POST /v3/admin/core/ops/raft",
                "DELETE /v3/auth/permission",
                "GET /v3/auth/permission",
                "POST /v3/auth/permission",
                "GET /v3/auth/permission/list",
                "DELETE /v3/auth/role",
                "POST /v3/auth/role",
                "GET /v3/auth/role/list",
                "GET /v3/auth/role/search",
                "DELETE /v3/auth/user",
                "POST /v3/auth/user",
                "GET /v3/auth/user/list",
                "GET /v3/auth/user/search",
                "GET /v3/console/core/cluster/nodes",
                "DELETE /v3/console/core/namespace",
                "POST /v3/console/core/namespace",
                "PUT /v3/console/core/namespace");
    }

    /** Everybody may know his own rights; those of others only who may do everything. */
    private static @Nullable Denial ownOrAdmin(AccessPolicy policy, Identity who, HttpRequest request) {
        String username = request.parameter("username");
        return username == null || username.isBlank() ? policy.checkKnown(who) : policy.checkSelf(who, username);
    }
}
