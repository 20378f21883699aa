package io.cairn.server.http.v2;

import io.cairn.server.auth.Action;
import io.cairn.server.auth.ResourceType;
import io.cairn.server.http.config.ConfigForm;
import io.cairn.server.http.naming.NamingParameters;
import io.cairn.server.http.route.HttpAccess;
import io.cairn.server.http.route.HttpRule;

/** What each route of version 2 needs. */
public final class V2Access {

    private V2Access() {}

    public static void addTo(HttpAccess access) {
        access.put(HttpRule.KNOWN, "GET /v2/ns/operator/metrics", "GET /v2/ns/ops/metrics");
        access.put(
                HttpRule.ADMIN,
                "GET /v2/ns/client",
                "GET /v2/ns/client/list",
                "GET /v2/ns/client/publish/list",
                "GET /v2/ns/client/service/publisher/list",
                "GET /v2/ns/client/service/subscriber/list",
                "GET /v2/ns/client/subscribe/list",
                "GET /v2/ns/instance/statuses/**",
                "GET /v2/ns/operator/switches",
                "PUT /v2/ns/operator/switches",
                "GET /v2/ns/ops/switches",
                "PUT /v2/ns/ops/switches");
        access.put(
                HttpRule.config(Action.READ, ConfigForm.V2::key),
                "GET /v2/cs/config",
                "GET /v2/cs/history",
                "GET /v2/cs/history/detail",
                "GET /v2/cs/history/list",
                "GET /v2/cs/history/previous");
        access.put(HttpRule.config(Action.WRITE, ConfigForm.V2::key), "POST /v2/cs/config", "DELETE /v2/cs/config");
        access.put(HttpRule.some(Action.READ, ResourceType.CONFIG, "tenant"), "GET /v2/cs/config/searchDetail");
        access.put(HttpRule.some(Action.READ, ResourceType.CONFIG, "namespaceId"), "GET /v2/cs/history/configs");
        access.put(
                HttpRule.service(Action.READ, NamingParameters::service),
                "GET /v2/ns/instance",
                "GET /v2/ns/instance/list",
                "GET /v2/ns/service",
                "GET /v2/ns/catalog/instances");
        access.put(
                HttpRule.service(Action.WRITE, NamingParameters::service),
                "POST /v2/ns/instance",
                "PUT /v2/ns/instance",
                "PATCH /v2/ns/instance",
                "DELETE /v2/ns/instance",
                "PUT /v2/ns/instance/beat",
                "PUT /v2/ns/instance/metadata/batch",
                "DELETE /v2/ns/instance/metadata/batch",
                "POST /v2/ns/service",
                "PUT /v2/ns/service",
                "DELETE /v2/ns/service",
                "PUT /v2/ns/health",
                "PUT /v2/ns/health/instance");
        access.put(HttpRule.some(Action.READ, ResourceType.NAMING, "namespaceId"), "GET /v2/ns/service/list");
    }
}
