package io.cairn.server.http.v1;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ContentDigest;
import io.cairn.api.config.Namespace;
import io.cairn.api.wire.JsonOutput;
import io.cairn.server.http.HttpAnswer;
import io.cairn.server.http.HttpCall;
import io.cairn.server.http.HttpRoute;
import io.cairn.server.subscription.ConfigListener;
import io.cairn.server.subscription.ConfigListeners;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Who listens to a configuration, and to what a client listens. */
public final class ListenerQueryEndpoints {

    private final ConfigListeners listeners;

    public ListenerQueryEndpoints(ConfigListeners listeners) {
        this.listeners = listeners;
    }

    public List<HttpRoute> routes() {
        V1ConfigErrors errors = new V1ConfigErrors();
        return List.of(
                HttpRoute.get(ConfigEndpoints.PATH + "/listener", errors, this::ofConfig),
                HttpRoute.get("/v1/cs/listener", errors, this::ofClient));
    }

    private CompletionStage<HttpAnswer> ofConfig(HttpCall call) {
        HttpAnswer refusal = V1ConfigErrors.missingOf(call, "dataId", "group");
        if (refusal != null) {
            return CompletableFuture.completedFuture(refusal);
        }
        Map<String, String> byIp = new LinkedHashMap<>();
        for (ConfigListener listener : listeners.of(ConfigEndpoints.key(call))) {
            byIp.put(listener.clientIp(), md5(listener));
        }
        return CompletableFuture.completedFuture(answer(byIp));
    }

    private CompletionStage<HttpAnswer> ofClient(HttpCall call) {
        String ip = call.parameter("ip");
        if (ip == null) {
            return CompletableFuture.completedFuture(V1ConfigErrors.missing("ip"));
        }
        boolean all = "true".equalsIgnoreCase(call.parameter("all"));
        Namespace namespace = Namespace.ofNullable(call.parameter("tenant"));
        Map<String, String> byKey = new LinkedHashMap<>();
        for (ConfigListener listener : listeners.at(ip)) {
            if (all || listener.key().namespace().equals(namespace)) {
                byKey.put(joined(listener.key()), md5(listener));
            }
        }
        return CompletableFuture.completedFuture(answer(byKey));
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

    private static HttpAnswer answer(Map<String, String> status) {
        return ConfigLookups.json(new JsonOutput(256)
                .number("collectStatus", 200)
                // The spelling is that of Nacos.
                .texts("lisentersGroupkeyStatus", status)
                .toBytes());
    }
}
