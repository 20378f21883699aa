package io.cairn.server.http.config;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ContentDigest;
import io.cairn.server.auth.Principal;
import io.cairn.server.config.ReadPool;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.route.RequestCaller;
import io.cairn.server.subscription.ConfigListener;
import io.cairn.server.subscription.ConfigListeners;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/** The listeners of configurations, for requests of all versions. Thread-safe; nothing blocks. */
public final class ListenerReads {

    private final ConfigListeners listeners;
    private final ReadPool reads;
    private final boolean spellsDefaultNamespace;

    /**
     * @param reads makes the lists, for they may be long
     * @param spellsDefaultNamespace whether the version names the namespace of a configuration also when it is the default one
     */
    public ListenerReads(ConfigListeners listeners, ReadPool reads, boolean spellsDefaultNamespace) {
        this.listeners = listeners;
        this.reads = reads;
        this.spellsDefaultNamespace = spellsDefaultNamespace;
    }

    /** The listeners of a configuration. */
    public <R> CompletionStage<R> of(ConfigKey key, Function<List<ConfigListener>, R> answer) {
        return reads.read(() -> answer.apply(listeners.of(key)));
    }

    /** The md5 that each address has of a configuration. */
    public <R> CompletionStage<R> byIp(ConfigKey key, Function<Map<String, String>, R> answer) {
        return of(key, all -> {
            Map<String, String> byIp = new LinkedHashMap<>();
            for (ConfigListener listener : all) {
                byIp.put(listener.clientIp(), md5(listener));
            }
            return answer.apply(byIp);
        });
    }

    /** The md5 that an address has of each configuration. The caller sees those that it may read. */
    public <R> CompletionStage<R> byKey(
            String ip, ListenersQuery query, HttpRequest http, Function<Map<String, String>, R> answer) {
        return reads.read(() -> {
            Map<String, String> byKey = new LinkedHashMap<>();
            for (ConfigListener listener : visible(http, listeners.at(ip))) {
                if (query.matches(listener.key())) {
                    byKey.put(joined(listener.key()), md5(listener));
                }
            }
            return answer.apply(byKey);
        });
    }

    /** The same by connection; {@code poll} stands for all requests that poll. */
    public <R> CompletionStage<R> byConnection(
            String ip, ListenersQuery query, HttpRequest http, Function<Map<String, Map<String, String>>, R> answer) {
        return reads.read(() -> {
            Map<String, Map<String, String>> byConnection = new LinkedHashMap<>();
            for (ConfigListener listener : visible(http, listeners.at(ip))) {
                if (query.matches(listener.key())) {
                    String id = listener.connectionId();
                    byConnection
                            .computeIfAbsent(id.isEmpty() ? "poll" : id, none -> new LinkedHashMap<>())
                            .put(joined(listener.key()), md5(listener));
                }
            }
            return answer.apply(byConnection);
        });
    }

    private static List<ConfigListener> visible(HttpRequest http, List<ConfigListener> all) {
        Principal principal = RequestCaller.of(http).principal();
        return principal.isAdmin()
                ? all
                : all.stream()
                        .filter(listener -> principal.mayRead(listener.key()))
                        .toList();
    }

    /** The md5 that a listener has; empty for none. */
    public static String md5(ConfigListener listener) {
        return listener.digest().map(ContentDigest::toString).orElse("");
    }

    /** A key in the one text that Nacos has for it. */
    private String joined(ConfigKey key) {
        String joined = escaped(key.dataId()) + '+' + escaped(key.group());
        return key.namespace().isDefault() && !spellsDefaultNamespace
                ? joined
                : joined + '+' + escaped(key.namespace().id());
    }

    private static String escaped(String part) {
        return part.replace("%", "%25").replace("+", "%2B");
    }
}
