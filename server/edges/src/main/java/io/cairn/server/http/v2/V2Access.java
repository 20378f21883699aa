package io.cairn.server.http.v2;

import io.cairn.server.auth.Action;
import io.cairn.server.auth.ResourceType;
import io.cairn.server.http.route.HttpAccess;
import io.cairn.server.http.route.HttpRule;

/** What each route of version 2 needs. */
public final class V2Access {

    private V2Access() {}

    public static void addTo(HttpAccess access) {
        access.put(HttpRule.OPEN, "GET /v2/console/health/liveness", "GET /v2/console/health/readiness");
        access.put(HttpRule.KNOWN, "GET /v2/console/namespace/list");
        access.put(HttpRule.namespace("namespaceId"), "GET /v2/console/namespace");
        access.put(
                HttpRule.ADMIN,
                "POST /v2/console/namespace",
                "PUT /v2/console/namespace",
                "DELETE /v2/console/namespace",
                "PUT /v2/core/cluster/lookup",
                "GET /v2/core/cluster/node/list",
                "PUT /v2/core/cluster/node/list",
                "GET /v2/core/cluster/node/self",
                "GET /v2/core/cluster/node/self/health",
                "DELETE /v2/core/cluster/nodes",
                "GET /v2/core/loader/cluster",
                "GET /v2/core/loader/current",
                "GET /v2/core/loader/reloadClient",
                "GET /v2/core/loader/reloadCurrent",
                "GET /v2/core/loader/smartReloadCluster",
                "GET /v2/core/ops/ids",
                "PUT /v2/core/ops/log",
                "POST /v2/core/ops/raft");
        access.put(
        access.put(HttpRule.some(Action.READ, ResourceType.NAMING, "namespaceId"), "GET /v2/ns/service/list");
    }
}
