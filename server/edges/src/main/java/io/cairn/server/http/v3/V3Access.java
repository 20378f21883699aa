package io.cairn.server.http.v3;

import io.cairn.server.auth.AccessPolicy;
import io.cairn.server.auth.Action;
import io.cairn.server.auth.Denial;
import io.cairn.server.auth.Identity;
import io.cairn.server.auth.ResourceType;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.config.ConfigForm;
import io.cairn.server.http.naming.NamingParameters;
import io.cairn.server.http.route.HttpAccess;
import io.cairn.server.http.route.HttpRule;
import org.jspecify.annotations.Nullable;

/** What each route of version 3 needs. */
public final class V3Access {

    private static final HttpRule CONFIGS = HttpRule.some(Action.READ, ResourceType.CONFIG, "namespaceId");
    private static final HttpRule ANY_CONFIG = HttpRule.someAnywhere(Action.READ);

    private V3Access() {}

    public static void addTo(HttpAccess access) {
        access.put(
                HttpRule.KNOWN,
                "GET /v3/admin/ns/health/checkers",
                "GET /v3/admin/ns/service/selector/types",
                "GET /v3/console/ns/service/selector/types",
                "GET /v3/admin/ns/ops/metrics");
        access.put(
                HttpRule.ADMIN,
                "POST /v3/admin/cs/ops/localCache",
                "PUT /v3/admin/cs/ops/log",
                "GET /v3/admin/cs/ops/derby",
                "POST /v3/admin/cs/ops/derby/import",
                "GET /v3/admin/cs/capacity",
                "POST /v3/admin/cs/capacity",
                "GET /v3/admin/ns/client",
                "GET /v3/admin/ns/client/distro",
                "GET /v3/admin/ns/client/list",
                "GET /v3/admin/ns/client/publish/list",
                "GET /v3/admin/ns/client/service/publisher/list",
                "GET /v3/admin/ns/client/service/subscriber/list",
                "GET /v3/admin/ns/client/subscribe/list",
                "PUT /v3/admin/ns/ops/log",
                "GET /v3/admin/ns/ops/switches",
                "PUT /v3/admin/ns/ops/switches");
        access.put(V3Access::listeners, "GET /v3/admin/cs/listener", "GET /v3/console/cs/config/listener/ip");
        access.put(
                (policy, who, request) ->
                        (request.has("namespaceId") ? CONFIGS : ANY_CONFIG).check(policy, who, request),
                "GET /v3/admin/cs/metrics/ip",
                "GET /v3/admin/cs/metrics/cluster");
        // Of many configurations, each is checked where it is found.
        access.put(
                HttpRule.some(Action.READ, ResourceType.CONFIG, "namespaceId"),
                "GET /v3/admin/cs/config/export",
                "GET /v3/console/cs/config/export2");
        access.put(
                HttpRule.some(Action.WRITE, ResourceType.CONFIG, "namespaceId"),
                "POST /v3/admin/cs/config/import",
                "POST /v3/admin/cs/config/clone",
                "POST /v3/admin/cs/config/clone/namespace",
                "POST /v3/console/cs/config/import");
        access.put(
                HttpRule.some(Action.WRITE, ResourceType.CONFIG, "targetNamespaceId"),
                "POST /v3/console/cs/config/clone");
        access.put(
                HttpRule.someAnywhere(Action.WRITE),
                "POST /v3/admin/cs/config/changeset",
                "DELETE /v3/admin/cs/config/batch",
                "DELETE /v3/console/cs/config/batchDelete");
        access.put(
                HttpRule.config(Action.READ, ConfigForm.V3::key),
                "GET /v3/client/cs/config",
                "GET /v3/admin/cs/config",
                "GET /v3/admin/cs/config/listener",
                "GET /v3/console/cs/config/listener",
                "GET /v3/admin/cs/config/beta",
                "GET /v3/admin/cs/config/gray",
                "GET /v3/admin/cs/config/watchers",
                "GET /v3/admin/cs/config/compare",
                "GET /v3/admin/cs/config/at",
                "GET /v3/admin/cs/history",
                "GET /v3/admin/cs/history/list",
                "GET /v3/admin/cs/history/previous",
                "GET /v3/console/cs/config",
                "GET /v3/console/cs/config/beta",
                "GET /v3/console/cs/config/gray",
                "GET /v3/console/cs/history",
                "GET /v3/console/cs/history/list",
                "GET /v3/console/cs/history/previous");
        access.put(
                HttpRule.config(Action.WRITE, ConfigForm.V3::key),
                "POST /v3/admin/cs/config",
                "DELETE /v3/admin/cs/config",
                "DELETE /v3/admin/cs/config/beta",
                "PUT /v3/admin/cs/config/metadata",
                "POST /v3/admin/cs/history/rollback",
                "POST /v3/console/cs/config",
                "DELETE /v3/console/cs/config",
                "DELETE /v3/console/cs/config/beta",
                "PUT /v3/console/cs/config/metadata",
                "POST /v3/console/cs/history/rollback");
        access.put(
                HttpRule.some(Action.READ, ResourceType.CONFIG, "namespaceId"),
                "GET /v3/admin/cs/config/list",
                "GET /v3/admin/cs/history/configs",
                "GET /v3/console/cs/config/list",
                "GET /v3/console/cs/config/searchDetail",
                "GET /v3/console/cs/history/configs");
        access.put(
                HttpRule.service(Action.READ, NamingParameters::service),
                "GET /v3/client/ns/instance/list",
                "GET /v3/admin/ns/instance",
                "GET /v3/admin/ns/instance/list",
                "GET /v3/admin/ns/service",
                "GET /v3/admin/ns/service/subscribers",
                "GET /v3/console/ns/instance/list",
                "GET /v3/console/ns/service",
                "GET /v3/console/ns/service/subscribers");
        access.put(
                HttpRule.service(Action.WRITE, NamingParameters::service),
                "POST /v3/client/ns/instance",
                "DELETE /v3/client/ns/instance",
                "POST /v3/admin/ns/instance",
                "PUT /v3/admin/ns/instance",
                "DELETE /v3/admin/ns/instance",
                "PUT /v3/admin/ns/instance/metadata/batch",
                "DELETE /v3/admin/ns/instance/metadata/batch",
                "PUT /v3/admin/ns/instance/partial",
                "POST /v3/admin/ns/service",
                "PUT /v3/admin/ns/service",
                "DELETE /v3/admin/ns/service",
                "PUT /v3/admin/ns/cluster",
                "PUT /v3/admin/ns/health/instance",
                "PUT /v3/console/ns/instance",
                "POST /v3/console/ns/service",
                "PUT /v3/console/ns/service",
                "DELETE /v3/console/ns/service",
                "PUT /v3/console/ns/service/cluster");
        access.put(
                HttpRule.some(Action.READ, ResourceType.NAMING, "namespaceId"),
                "GET /v3/admin/ns/service/list",
                "GET /v3/console/ns/service/list");
    }

    /** Of one namespace, or with {@code all} of all; what may not be read is left out. */
    private static @Nullable Denial listeners(AccessPolicy policy, Identity who, HttpRequest request) {
        return (NamingParameters.flag(request, "all", false) ? ANY_CONFIG : CONFIGS).check(policy, who, request);
    }
}
