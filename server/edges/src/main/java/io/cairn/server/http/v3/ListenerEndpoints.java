package io.cairn.server.http.v3;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.Namespace;
import io.cairn.api.error.ParameterException;
import io.cairn.server.config.ParameterCheck;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.config.ConfigForm;
import io.cairn.server.http.config.ListenerReads;
import io.cairn.server.http.config.ListenerReads.Scope;
import io.cairn.server.http.config.Listeners;
import io.cairn.server.http.config.ListenersQuery;
import io.cairn.server.http.config.Watcher;
import io.cairn.server.http.naming.NamingParameters;
import io.cairn.server.http.naming.Page;
import io.cairn.server.http.route.Answer;
import io.cairn.server.http.route.ContainerErrors;
import io.cairn.server.http.route.Endpoints;
import io.cairn.server.http.route.Form;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.Operation;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** The listeners of configurations and the contents that they have: by configuration, and by address. */
public final class ListenerEndpoints {

    private static final Operation<ConfigKey> OF_CONFIG = Operation.of(ConfigForm.V3.namesAnd("aggregation:boolean"))
            .needs(ConfigForm.READ)
            .answers(Listeners.class)
            .ofAllNodes()
            .says("Lists the addresses that listen to a configuration, with their md5");
    private static final Operation<ListenersQuery> OF_CLIENT = Operation.of(
                    Form.of("ip! all:boolean namespaceId aggregation:boolean", ListenerEndpoints::ofAddress))
            .needs(ListenersQuery.READ)
            .answers(Listeners.class)
            .ofAllNodes()
            .says("Lists the configurations that an address listens to, with the md5 that it has of each");
    private static final Operation.Answers<ListenersQuery> HELD_BY_CONNECTION = Operation.of(
                    Form.of("ip! dataId groupName namespaceId", ListenerEndpoints::heldBy))
            .needs(ListenersQuery.READ)
            .answers("object");
    private static final Operation<ListenersQuery> HELD =
            HELD_BY_CONNECTION.says("Lists the configurations and md5s of an address, by connection");
    private static final Operation<ListenersQuery> HELD_ON_ALL_NODES = HELD_BY_CONNECTION
            .ofAllNodes()
            .says("Lists the configurations and md5s of an address, by connection, on all nodes");
    private static final Operation<ConfigKey> WATCHERS = Operation.of(
                    ConfigForm.V3.namesAnd("pageNo:integer pageSize:integer"))
            .needs(ConfigForm.READ)
            .answers(Answer.listOf(Watcher.class))
            .ofAllNodes()
            .says("Lists the listeners of a configuration, with their md5 and whether it is the current one");

    private final ListenerReads listeners;
    private final Endpoints endpoints;

    public ListenerEndpoints(ListenerReads listeners, ContainerErrors container) {
        this.listeners = listeners;
        this.endpoints = new Endpoints(V3.errors(container).forSingleParameters("ip"));
    }

    public List<HttpRoute> adminRoutes() {
        return List.of(
                endpoints.get("/v3/admin/cs/config/listener", OF_CONFIG, this::ofConfig),
                endpoints.get("/v3/admin/cs/listener", OF_CLIENT, this::ofClient),
                endpoints.get("/v3/admin/cs/metrics/ip", HELD, (query, http) -> held(query, http, Scope.THIS_NODE)),
                endpoints.get(
                        "/v3/admin/cs/metrics/cluster",
                        HELD_ON_ALL_NODES,
                        (query, http) -> held(query, http, Scope.ALL_NODES)),
                endpoints.get("/v3/admin/cs/config/watchers", WATCHERS, this::watchers));
    }

    public List<HttpRoute> consoleRoutes() {
        return List.of(
                endpoints.get("/v3/console/cs/config/listener", OF_CONFIG, this::ofConfig),
                endpoints.get("/v3/console/cs/config/listener/ip", OF_CLIENT, this::ofClient));
    }

    private static ListenersQuery ofAddress(HttpRequest request) {
        boolean all = NamingParameters.flag(request, "all", false);
        return new ListenersQuery(request.parameter("ip"), null, null, all ? null : namespace(request));
    }

    private static ListenersQuery heldBy(HttpRequest request) {
        return new ListenersQuery(
                request.parameter("ip"),
                NamingParameters.text(request, "dataId"),
                NamingParameters.text(request, "groupName"),
                request.has("namespaceId") ? namespace(request) : null);
    }

    private static Namespace namespace(HttpRequest request) {
        return Namespace.ofNullable(request.parameter("namespaceId"));
    }

    private CompletionStage<HttpResponse> ofConfig(ConfigKey key, HttpRequest http) {
        return listeners.byIp(
                key, scope(http), (byIp, silent) -> V3.ENVELOPE.written(new Listeners("config", byIp), silent));
    }

    private CompletionStage<HttpResponse> ofClient(ListenersQuery query, HttpRequest http) {
        return listeners.byKey(
                ip(query, http),
                query,
                http,
                scope(http),
                ListenerReads::joinedWithNamespace,
                (byKey, silent) -> V3.ENVELOPE.written(new Listeners("ip", byKey), silent));
    }

    private CompletionStage<HttpResponse> held(ListenersQuery query, HttpRequest http, Scope scope) {
        return listeners.byConnection(
                ip(query, http), query, http, scope, ListenerReads::joinedWithNamespace, V3.ENVELOPE::written);
    }

    private static Scope scope(HttpRequest http) {
        return NamingParameters.flag(http, "aggregation", true) ? Scope.ALL_NODES : Scope.THIS_NODE;
    }

    /** The address that is asked for. An illegal namespace is refused first, whether it is used or not. */
    private static String ip(ListenersQuery query, HttpRequest http) {
        ParameterCheck.namespace(http.parameter("namespaceId"));
        String ip = query.ip();
        if (ip == null) {
            throw ParameterException.missing("ip");
        }
        return ip.trim();
    }

    private CompletionStage<HttpResponse> watchers(ConfigKey key, HttpRequest http) {
        Page page = http.has("pageNo") || http.has("pageSize") ? NamingParameters.page(http, V3.PAGE_SIZE) : null;
        return listeners.of(
                key,
                Scope.ALL_NODES,
                (all, silent) -> V3.ENVELOPE.written(
                        (page == null ? all : page.of(all))
                                .stream().map(Watcher::of).toList(),
                        silent));
    }
}
