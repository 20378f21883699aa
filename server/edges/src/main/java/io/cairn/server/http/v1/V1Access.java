package io.cairn.server.http.v1;

import io.cairn.api.config.ConfigKey;
import io.cairn.server.auth.AccessPolicy;
import io.cairn.server.auth.Action;
import io.cairn.server.auth.Denial;
import io.cairn.server.auth.Identity;
import io.cairn.server.auth.ResourceType;
import io.cairn.server.config.ConfigDraft;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.naming.NamingParameters;
import io.cairn.server.http.route.HttpAccess;
import io.cairn.server.http.route.HttpRule;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What each route of version 1 needs. */
public final class V1Access {

    private static final HttpRule CONFIGS = HttpRule.some(Action.READ, ResourceType.CONFIG, "tenant");
    private static final HttpRule SERVICES = HttpRule.some(Action.READ, ResourceType.NAMING, "namespaceId");
    private static final HttpRule ANY_CONFIG = HttpRule.someAnywhere(Action.READ);

    private V1Access() {}

    public static void addTo(HttpAccess access) {
        access.put(HttpRule.some(Action.READ, ResourceType.CONFIG, "tenant"), "GET /v1/cs/history/configs");
        access.put(HttpRule.OPEN, "GET /v1/ns/**", "GET /v1/ns/operator/metrics", "GET /v1/ns/ops/metrics");
        access.put(
                HttpRule.KNOWN,
                "GET /v1/ns/operator/servers",
                "GET /v1/ns/ops/servers",
                "GET /v1/ns/health/server",
                "GET /v1/ns/health/checkers",
                "GET /v1/ns/service/selector/types");
        // What may not be read is left out of it.
        access.put(
                (policy, who, request) ->
                        (is(request, "all", "true") ? ANY_CONFIG : CONFIGS).check(policy, who, request),
                "GET /v1/cs/listener");
        access.put(
                (policy, who, request) -> (request.has("tenant") ? CONFIGS : ANY_CONFIG).check(policy, who, request),
                "GET /v1/cs/communication/watcherConfigs",
                "GET /v1/cs/metrics/cluster",
                "GET /v1/cs/metrics/current");
        access.put(
                HttpRule.ADMIN,
                "GET /v1/cs/capacity",
                "POST /v1/cs/capacity",
                "POST /v1/cs/ops/localCache",
                "PUT /v1/cs/ops/log",
                "GET /v1/cs/ops/derby",
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
                config(Action.READ),
                "GET /v1/cs/configs/catalog",
                "GET /v1/cs/configs/listener",
                "GET /v1/cs/communication/configWatchers",
                "GET /v1/cs/history",
                "GET /v1/cs/history/previous");
        access.put(configs(Action.READ), "GET /v1/cs/configs");
        access.put(configs(Action.WRITE), "POST /v1/cs/configs", "DELETE /v1/cs/configs");
        access.put(HttpRule.readable(V1Access::listen), "POST /v1/cs/configs/listener");
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

    /** The same path means several things; told apart as the endpoint tells them apart, and where in doubt, more is asked for. */
    private static HttpRule configs(Action action) {
        HttpRule one = config(action);
        HttpRule search = HttpRule.some(action, ResourceType.CONFIG, "tenant");
        HttpRule export = HttpRule.some(Action.READ, ResourceType.CONFIG, "tenant");
        HttpRule imports = HttpRule.some(Action.WRITE, ResourceType.CONFIG, "namespace");
        HttpRule clone = HttpRule.some(Action.WRITE, ResourceType.CONFIG, "tenant");
        HttpRule batch = HttpRule.someAnywhere(Action.WRITE);
        return (policy, who, request) -> {
            HttpRule rule = one;
            if (request.has("search")) {
                rule = search;
            } else if (request.method().equals("GET") && !is(request, "show", "all") && isExport(request)) {
                rule = export;
            } else if (request.method().equals("POST") && is(request, "import", "true")) {
                rule = imports;
            } else if (request.method().equals("POST") && is(request, "clone", "true")) {
                rule = clone;
            } else if (request.method().equals("DELETE") && is(request, "delType", "ids")) {
                rule = batch;
            }
            return rule.check(policy, who, request);
        };
    }

    private static boolean isExport(HttpRequest request) {
        return is(request, "export", "true") || is(request, "exportV2", "true");
    }

    private static boolean is(HttpRequest request, String parameter, String value) {
        return value.equals(request.parameter(parameter));
    }

    private static HttpRule config(Action action) {
        return HttpRule.config(
                action,
                request -> ConfigDraft.key(
                        request.parameter("dataId"), request.parameter("group"), request.parameter("tenant")));
    }

    /** All or none: what of a list was left out would be missed without a word. */
    private static @Nullable Denial listen(AccessPolicy policy, Identity who, HttpRequest request) {
        String value = request.parameter("Listening-Configs");
        List<ListeningConfigs.Listened> records = value == null ? null : ListeningConfigs.parse(value);
        if (records == null || records.isEmpty()) {
            return policy.checkKnown(who);
        }
        for (ListeningConfigs.Listened listened : records) {
            ConfigKey key = listened.key();
            Denial denial =
                    policy.check(who, Action.READ, key.namespace(), key.group(), ResourceType.CONFIG, key.dataId());
            if (denial != null) {
                return denial;
            }
        }
        return null;
    }
}
