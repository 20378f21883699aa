package io.cairn.server.http.config;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ContentDigest;
import io.cairn.api.config.Namespace;
import io.cairn.server.auth.Principal;
import io.cairn.server.config.ReadPool;
import io.cairn.server.gray.GrayClient;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.envelope.SilentNodes;
import io.cairn.server.http.nodes.Gathered;
import io.cairn.server.http.nodes.NodeRead;
import io.cairn.server.http.route.RequestCaller;
import io.cairn.server.node.ClusterReads;
import io.cairn.server.subscription.ConfigListener;
import io.cairn.server.subscription.ConfigListeners;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The listeners of configurations on all nodes, or on this one if requested. Does not block. */
public final class ListenerReads {

    /** Asks for all components of a {@link Row}. */
    private static final String DETAILS = "details";

    private final String self;
    private final NodeRead<Row> ofConfig;
    private final NodeRead<Row> atAddress;

    /**
     * @param self names this node
     * @param reads a pool for long lists
     */
    public ListenerReads(String self, ConfigListeners listeners, ClusterReads nodes, ReadPool reads) {
        this.self = self;
        this.ofConfig = NodeRead.declare(
                nodes,
                "config.listeners",
                Row.class,
                asked -> rows(listeners.of(key(asked)), asked.containsKey(DETAILS)),
                reads);
        this.atAddress = NodeRead.declare(
                nodes,
                "config.listeners.at",
                Row.class,
                asked -> rows(listeners.at(asked.getOrDefault("ip", "")), false),
                reads);
    }

    public enum Scope {
        ALL_NODES,
        THIS_NODE
    }

    @FunctionalInterface
    public interface Answer<T> extends BiFunction<T, SilentNodes, HttpResponse> {}

    /**
     * A listener as nodes exchange it.
     *
     * @param md5 null without a content
     * @param labels null from a node of an earlier version, as the following ones, and without details
     * @param release the gray release that it gets; empty for the content for all
     */
    record Row(
            String namespace,
            String group,
            String dataId,
            String clientIp,
            String connectionId,
            String client,
            @Nullable String md5,
            boolean current,

            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable
            Map<String, String> labels,

            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable
            String release,

            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable
            String node) {

        static Row of(ConfigListener listener, @Nullable String node) {
            ConfigKey key = listener.key();
            return new Row(
                    key.namespace().id(),
                    key.group(),
                    key.dataId(),
                    listener.clientIp(),
                    listener.connectionId(),
                    listener.client(),
                    listener.digest().map(ContentDigest::toString).orElse(null),
                    listener.isCurrent(),
                    node == null ? null : listener.reader().labels(),
                    node == null ? null : listener.release(),
                    node);
        }

        ConfigListener listener() {
            return new ConfigListener(
                    new ConfigKey(Namespace.ofNullable(namespace), group, dataId),
                    new GrayClient(clientIp, null),
                    connectionId,
                    client,
                    ContentDigest.parse(md5),
                    "",
                    current);
        }
    }

    private List<Row> rows(List<ConfigListener> listeners, boolean hasDetails) {
        return listeners.stream()
                .map(listener -> Row.of(listener, hasDetails ? self : null))
                .toList();
    }

    /** The listeners of a configuration on all nodes, with their labels and releases, in no order. */
    CompletionStage<Gathered<Row>> detailed(ConfigKey key) {
        return ofConfig.allOnPool(Map.of(
                "namespace", key.namespace().id(), "group", key.group(), "dataId", key.dataId(), DETAILS, "true"));
    }

    private static ConfigKey key(Map<String, String> asked) {
        return new ConfigKey(
                Namespace.ofNullable(asked.get("namespace")),
                Objects.requireNonNull(asked.get("group"), "group"),
                Objects.requireNonNull(asked.get("dataId"), "dataId"));
    }

    /** By address. */
    public CompletionStage<HttpResponse> of(ConfigKey key, Scope scope, Answer<List<ConfigListener>> answer) {
        Map<String, String> asked =
                Map.of("namespace", key.namespace().id(), "group", key.group(), "dataId", key.dataId());
        return answered(gathered(ofConfig, asked, scope), answer);
    }

    /** The md5 of a configuration by address. */
    public CompletionStage<HttpResponse> byIp(ConfigKey key, Scope scope, Answer<Map<String, String>> answer) {
        return of(key, scope, (all, silent) -> {
            Map<String, String> byIp = new LinkedHashMap<>();
            for (ConfigListener listener : all) {
                byIp.put(listener.clientIp(), md5(listener));
            }
            return answer.apply(byIp, silent);
        });
    }

    /**
     * The md5 of each configuration that an address listens to and the caller may read.
     *
     * @param keys how the version writes a key
     */
    public CompletionStage<HttpResponse> byKey(
            String ip,
            ListenersQuery query,
            HttpRequest http,
            Scope scope,
            Function<ConfigKey, String> keys,
            Answer<Map<String, String>> answer) {
        return at(ip, scope, (all, silent) -> {
            Map<String, String> byKey = new LinkedHashMap<>();
            for (ConfigListener listener : visible(http, all)) {
                if (query.matches(listener.key())) {
                    byKey.put(keys.apply(listener.key()), md5(listener));
                }
            }
            return answer.apply(byKey, silent);
        });
    }

    /** As {@link #byKey}, by connection; {@code poll} stands for all polls. */
    public CompletionStage<HttpResponse> byConnection(
            String ip,
            ListenersQuery query,
            HttpRequest http,
            Scope scope,
            Function<ConfigKey, String> keys,
            Answer<Map<String, Map<String, String>>> answer) {
        return at(ip, scope, (all, silent) -> {
            Map<String, Map<String, String>> byConnection = new LinkedHashMap<>();
            for (ConfigListener listener : visible(http, all)) {
                if (query.matches(listener.key())) {
                    String id = listener.connectionId();
                    byConnection
                            .computeIfAbsent(id.isEmpty() ? "poll" : id, none -> new LinkedHashMap<>())
                            .put(keys.apply(listener.key()), md5(listener));
                }
            }
            return answer.apply(byConnection, silent);
        });
    }

    private CompletionStage<HttpResponse> at(String ip, Scope scope, Answer<List<ConfigListener>> answer) {
        return answered(gathered(atAddress, Map.of("ip", ip), scope), answer);
    }

    private static CompletionStage<Gathered<Row>> gathered(NodeRead<Row> read, Map<String, String> asked, Scope scope) {
        return scope == Scope.ALL_NODES ? read.allOnPool(asked) : read.hereOnPool(asked);
    }

    private static CompletionStage<HttpResponse> answered(
            CompletionStage<Gathered<Row>> found, Answer<List<ConfigListener>> answer) {
        return found.thenApply(rows -> answer.apply(
                rows.rows().stream()
                        .map(Row::listener)
                        .sorted(ConfigListeners.BY_KEY_AND_CLIENT)
                        .toList(),
                rows.silent()));
    }

    private static List<ConfigListener> visible(HttpRequest http, List<ConfigListener> all) {
        Principal principal = RequestCaller.of(http).principal();
        return principal.isAdmin()
                ? all
                : all.stream()
                        .filter(listener -> principal.mayRead(listener.key()))
                        .toList();
    }

    /** The listener's md5, or empty. */
    public static String md5(ConfigListener listener) {
        return listener.digest().map(ContentDigest::toString).orElse("");
    }
}
