package io.cairn.server.http.v3;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ContentDigest;
import io.cairn.api.config.Namespace;
import io.cairn.api.error.ParameterException;
import io.cairn.api.wire.JsonOutput;
import io.cairn.server.auth.Principal;
import io.cairn.server.config.ReadPool;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.config.ConfigForm;
import io.cairn.server.http.config.ConfigLookup;
import io.cairn.server.http.envelope.EnvelopeErrors;
import io.cairn.server.http.naming.NamingParameters;
import io.cairn.server.http.naming.Page;
import io.cairn.server.http.route.ContainerErrors;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.OldOperation;
import io.cairn.server.http.route.RequestCaller;
import io.cairn.server.subscription.ConfigListener;
import io.cairn.server.subscription.ConfigListeners;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;

/** Who listens to what, and which content he has: by configuration, and by address. */
public final class ListenerEndpoints {

    private static final String KEY = "dataId! groupName! namespaceId ";
    private static final OldOperation OF_CONFIG = OldOperation.of(
            "Tells which address has which md5 of a configuration", KEY + "aggregation:boolean", "Listeners");
    private static final OldOperation OF_CLIENT = OldOperation.of(
            "Tells which configurations an address listens to, and which md5 it has of each",
            "ip! all:boolean namespaceId aggregation:boolean",
            "Listeners");

    private final ConfigListeners listeners;
    private final ReadPool reads;
    private final EnvelopeErrors errors;

    /** @param reads where lists are put together, for they may be long */
    public ListenerEndpoints(ConfigListeners listeners, ReadPool reads, ContainerErrors container) {
        this.listeners = listeners;
        this.reads = reads;
        this.errors = V3.errors(container).forSingleParameters("ip");
    }

    public List<HttpRoute> adminRoutes() {
        List<HttpRoute> routes = new ArrayList<>();
        routes.add(HttpRoute.get("/v3/admin/cs/config/listener", errors, this::ofConfig)
                .does(OF_CONFIG));
        routes.add(
                HttpRoute.get("/v3/admin/cs/listener", errors, this::ofClient).does(OF_CLIENT));
        for (String path : List.of("/v3/admin/cs/metrics/ip", "/v3/admin/cs/metrics/cluster")) {
            routes.add(HttpRoute.get(path, errors, this::held)
                    .does(OldOperation.of(
                            "Tells what an address has of configurations, by connection",
                            "ip! dataId groupName namespaceId",
                            "object")));
        }
        routes.add(HttpRoute.get("/v3/admin/cs/config/watchers", errors, this::watchers)
                .does(OldOperation.of(
                        "Lists who listens to a configuration, which md5 he has, and whether it is the present one",
                        KEY + "pageNo:integer pageSize:integer",
                        "[Watcher]")));
        return routes;
    }

    public List<HttpRoute> consoleRoutes() {
        return List.of(
                HttpRoute.get("/v3/console/cs/config/listener", errors, this::ofConfig)
                        .does(OF_CONFIG),
                HttpRoute.get("/v3/console/cs/config/listener/ip", errors, this::ofClient)
                        .does(OF_CLIENT));
    }

    private CompletionStage<HttpResponse> ofConfig(HttpRequest request) {
        ConfigKey key = ConfigForm.V3.key(request);
        return reads.read(() -> {
            Map<String, String> byIp = new LinkedHashMap<>();
            for (ConfigListener listener : listeners.of(key)) {
                byIp.put(listener.clientIp(), md5(listener));
            }
            return answer("config", byIp);
        });
    }

    private CompletionStage<HttpResponse> ofClient(HttpRequest request) {
        boolean all = NamingParameters.flag(request, "all", false);
        Namespace namespace = ConfigLookup.namespace(request, "namespaceId");
        String ip = ip(request);
        return reads.read(() -> {
            Map<String, String> byKey = new LinkedHashMap<>();
            for (ConfigListener listener : visible(request, listeners.at(ip))) {
                if (all || listener.key().namespace().equals(namespace)) {
                    byKey.put(joined(listener.key()), md5(listener));
                }
            }
            return answer("ip", byKey);
        });
    }

    private static String ip(HttpRequest request) {
        String ip = request.parameter("ip");
        if (ip == null) {
            throw ParameterException.missing("ip");
        }
        return ip.trim();
    }

    private static HttpResponse answer(String queryType, Map<String, String> status) {
        return data(new JsonOutput(256)
                .text("queryType", queryType)
                .texts("listenersStatus", status)
                .toBytes());
    }

    private static HttpResponse data(byte[] json) {
        return V3.ENVELOPE.success(json.length, out -> out.json("data", json));
    }

    private CompletionStage<HttpResponse> held(HttpRequest request) {
        String dataId = NamingParameters.text(request, "dataId");
        String group = NamingParameters.text(request, "groupName");
        Namespace namespace = request.has("namespaceId") ? ConfigLookup.namespace(request, "namespaceId") : null;
        String ip = ip(request);
        return reads.read(() -> {
            Map<String, Map<String, String>> byConnection = new LinkedHashMap<>();
            for (ConfigListener listener : visible(request, listeners.at(ip))) {
                ConfigKey key = listener.key();
                if ((dataId == null || dataId.equals(key.dataId()))
                        && (group == null || group.equals(key.group()))
                        && (namespace == null || namespace.equals(key.namespace()))) {
                    byConnection
                            .computeIfAbsent(listener.connectionId(), id -> new LinkedHashMap<>())
                            .put(joined(key), md5(listener));
                }
            }
            JsonOutput out = new JsonOutput(256);
            byConnection.forEach((id, held) -> out.texts(id.isEmpty() ? "poll" : id, held));
            return data(out.toBytes());
        });
    }

    private CompletionStage<HttpResponse> watchers(HttpRequest request) {
        ConfigKey key = ConfigForm.V3.key(request);
        Page page =
                request.has("pageNo") || request.has("pageSize") ? NamingParameters.page(request, V3.PAGE_SIZE) : null;
        return reads.read(() -> {
            List<ConfigListener> all = listeners.of(key);
            return data(JsonOutput.array(
                    page == null ? all : page.of(all), (listener, out) -> out.text("clientIp", listener.clientIp())
                            .text("connectionId", listener.connectionId())
                            .text("client", listener.client())
                            .text("md5", md5(listener))
                            .flag("current", listener.isCurrent())));
        });
    }

    private static List<ConfigListener> visible(HttpRequest request, List<ConfigListener> all) {
        Principal principal = RequestCaller.of(request).principal();
        return principal.isAdmin()
                ? all
                : all.stream()
                        .filter(listener -> principal.mayRead(listener.key()))
                        .toList();
    }

    private static String md5(ConfigListener listener) {
        return listener.digest().map(ContentDigest::toString).orElse("");
    }

    /** A key in the one text that Nacos has for it. */
    private static String joined(ConfigKey key) {
        return escaped(key.dataId())
                + '+'
                + escaped(key.group())
                + '+'
                + escaped(key.namespace().id());
    }

    private static String escaped(String part) {
        return part.replace("%", "%25").replace("+", "%2B");
    }
}
