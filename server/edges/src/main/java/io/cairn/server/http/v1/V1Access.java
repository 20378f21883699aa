package io.cairn.server.http.v1;

import io.cairn.api.config.ConfigKey;
import io.cairn.server.auth.AccessPolicy;
import io.cairn.server.auth.Action;
import io.cairn.server.auth.Denial;
import io.cairn.server.auth.Identity;
import io.cairn.server.auth.ResourceType;
import io.cairn.server.config.ConfigDraft;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.route.HttpAccess;
import io.cairn.server.http.route.HttpRule;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What each route of version 1 needs. */
public final class V1Access {

    private static final HttpRule NAMESPACE = HttpRule.namespace("namespaceId");
    private static final HttpRule CHOSEN_NAMESPACE = HttpRule.namespace("customNamespaceId");
    private static final HttpRule CONFIGS = HttpRule.some(Action.READ, ResourceType.CONFIG, "tenant");
    private static final HttpRule ANY_CONFIG = HttpRule.someAnywhere(Action.READ);

    private V1Access() {}

    public static void addTo(HttpAccess access) {
        access.put(HttpRule.some(Action.READ, ResourceType.CONFIG, "tenant"), "GET /v1/cs/history/configs");
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
                (policy, who, request) -> policy.checkSelf(who, request.parameter("username")), "PUT /v1/auth/users");
        access.put(
                HttpRule.ADMIN,
                "GET /v1/auth/users",
                "POST /v1/auth/users",
                "GET /v1/cs/capacity",
                "POST /v1/cs/capacity",
                "POST /v1/cs/ops/localCache",
                "PUT /v1/cs/ops/log",
                "GET /v1/cs/ops/derby",
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
                config(Action.READ),
                "GET /v1/cs/configs/catalog",
                "GET /v1/cs/configs/listener",
                "GET /v1/cs/communication/configWatchers",
                "GET /v1/cs/history",
                "GET /v1/cs/history/previous");
        access.put(configs(Action.READ), "GET /v1/cs/configs");
        access.put(configs(Action.WRITE), "POST /v1/cs/configs", "DELETE /v1/cs/configs");
        access.put(HttpRule.readable(V1Access::listen), "POST /v1/cs/configs/listener");
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
