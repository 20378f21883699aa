package io.cairn.server.http.v1;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ContentDigest;
import io.cairn.api.config.Namespace;
import io.cairn.api.wire.JsonOutput;
import io.cairn.server.auth.Principal;
import io.cairn.server.config.ReadPool;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.OldOperation;
import io.cairn.server.http.route.RequestCaller;
import io.cairn.server.subscription.ConfigListener;
import io.cairn.server.subscription.ConfigListeners;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/** Who listens to a configuration, and to what a client listens. */
public final class ListenerQueryEndpoints {

    private static final String KEY = "dataId! group! tenant";
    private static final OldOperation HELD = OldOperation.of(
            "Tells what an address has of configurations, by connection", "ip! dataId group tenant", "object");

    private final ConfigListeners listeners;
    private final ReadPool reads;

    /** @param reads where lists are put together, for they may be long */
    public ListenerQueryEndpoints(ConfigListeners listeners, ReadPool reads) {
        this.listeners = listeners;
        this.reads = reads;
    }

    public List<HttpRoute> routes() {
        V1ConfigErrors errors = new V1ConfigErrors();
        return List.of(
                HttpRoute.get(ConfigEndpoints.PATH + "/listener", errors, this::ofConfig),
                HttpRoute.get("/v1/cs/listener", errors, this::ofClient),
                // Nodes of the reference ask each other by these; scripts do as well.
                HttpRoute.get("/v1/cs/communication/configWatchers", errors, this::watchers)
                        .does(OldOperation.of(
                                "Tells which address has which md5 of a configuration", KEY, "Listeners")),
                HttpRoute.get("/v1/cs/communication/watcherConfigs", errors, this::watched)
                        .does(OldOperation.of(
                                "Tells which configurations an address listens to", "ip! tenant", "Listeners")),
                HttpRoute.get("/v1/cs/metrics/cluster", errors, this::held).does(HELD),
                HttpRoute.get("/v1/cs/metrics/current", errors, this::held).does(HELD));
    }

    private CompletionStage<HttpResponse> ofConfig(HttpRequest request) {
        return byIp(request, ListenerQueryEndpoints::answer);
    }

    private CompletionStage<HttpResponse> watchers(HttpRequest request) {
        return byIp(request, ListenerQueryEndpoints::plain);
    }

    private CompletionStage<HttpResponse> byIp(HttpRequest request, Function<Map<String, String>, HttpResponse> words) {
        HttpResponse refusal = V1ConfigErrors.missingOf(request, "dataId", "group");
        if (refusal != null) {
            return CompletableFuture.completedFuture(refusal);
        }
        ConfigKey key = ConfigEndpoints.key(request);
        return reads.read(() -> {
            Map<String, String> byIp = new LinkedHashMap<>();
            for (ConfigListener listener : listeners.of(key)) {
                byIp.put(listener.clientIp(), md5(listener));
            }
            return words.apply(byIp);
        });
    }

    private CompletionStage<HttpResponse> ofClient(HttpRequest request) {
        boolean all = "true".equalsIgnoreCase(request.parameter("all"));
        return byKey(request, all, ListenerQueryEndpoints::answer);
    }

    private CompletionStage<HttpResponse> watched(HttpRequest request) {
        return byKey(request, !request.has("tenant"), ListenerQueryEndpoints::plain);
    }

    private CompletionStage<HttpResponse> byKey(
            HttpRequest request, boolean all, Function<Map<String, String>, HttpResponse> words) {
        String ip = request.parameter("ip");
        if (ip == null) {
            return CompletableFuture.completedFuture(V1ConfigErrors.missing("ip"));
        }
        Namespace namespace = Namespace.ofNullable(request.parameter("tenant"));
        return reads.read(() -> {
            Map<String, String> byKey = new LinkedHashMap<>();
            for (ConfigListener listener : visible(request, listeners.at(ip))) {
                if (all || listener.key().namespace().equals(namespace)) {
                    byKey.put(joined(listener.key()), md5(listener));
                }
            }
            return words.apply(byKey);
        });
    }

    private CompletionStage<HttpResponse> held(HttpRequest request) {
        String ip = request.parameter("ip");
        if (ip == null) {
            return CompletableFuture.completedFuture(V1ConfigErrors.missing("ip"));
        }
        String dataId = request.parameter("dataId");
        String group = request.parameter("group");
        Namespace namespace = request.has("tenant") ? Namespace.ofNullable(request.parameter("tenant")) : null;
        return reads.read(() -> {
            Map<String, Map<String, String>> byConnection = new LinkedHashMap<>();
            for (ConfigListener listener : visible(request, listeners.at(ip))) {
                ConfigKey key = listener.key();
                if ((dataId == null || dataId.isBlank() || dataId.equals(key.dataId()))
                        && (group == null || group.isBlank() || group.equals(key.group()))
                        && (namespace == null || namespace.equals(key.namespace()))) {
                    byConnection
                            .computeIfAbsent(listener.connectionId(), id -> new LinkedHashMap<>())
                            .put(joined(key), md5(listener));
                }
            }
            JsonOutput out = new JsonOutput(256);
            byConnection.forEach((id, held) -> out.texts(id.isEmpty() ? "poll" : id, held));
            return ConfigLookups.json(out.toBytes());
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
        String joined = escaped(key.dataId()) + '+' + escaped(key.group());
        return key.namespace().isDefault()
                ? joined
                : joined + '+' + escaped(key.namespace().id());
    }

    private static String escaped(String part) {
        return part.replace("%", "%25").replace("+", "%2B");
    }

    private static HttpResponse plain(Map<String, String> status) {
        return ConfigLookups.json(
                new JsonOutput(256).texts("lisentersGroupkeyStatus", status).toBytes());
    }

    private static HttpResponse answer(Map<String, String> status) {
        return ConfigLookups.json(new JsonOutput(256)
                .number("collectStatus", 200)
                // The spelling is that of Nacos.
                .texts("lisentersGroupkeyStatus", status)
                .toBytes());
    }
}
