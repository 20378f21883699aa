package io.cairn.server.http.v3;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.Namespace;
import io.cairn.api.wire.config.GroupKey;
import io.cairn.server.config.ParameterCheck;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.config.ConfigForm;
import io.cairn.server.http.config.ListenerReads;
import io.cairn.server.http.config.ListenerReads.Scope;
import io.cairn.server.http.config.Listeners;
import io.cairn.server.http.config.ListenersQuery;
import io.cairn.server.http.naming.NamingParameters;
import io.cairn.server.http.route.ContainerErrors;
import io.cairn.server.http.route.Endpoints;
import io.cairn.server.http.route.Form;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.Operation;
import io.cairn.server.http.route.Parameter;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** Listeners and their contents, by configuration and by address. */
public final class ListenerEndpoints {

    private static final Parameter<String> IP = Parameter.exact("ip", "The address of the clients");
    private static final Parameter<Boolean> ALL =
            Parameter.flag("all", "Lists those of all namespaces").orElse(false);
    private static final Parameter<Boolean> AGGREGATION = Parameter.flag(
                    "aggregation", "Lists those of all nodes; of this node otherwise")
            .orElse(true);

    private static final Operation<ConfigKey> OF_CONFIG = Operation.of(ConfigForm.V3.namesAnd(AGGREGATION))
            .needs(ConfigForm.READ)
            .answers(Listeners.class)
            .ofAllNodes()
            .says("Lists the addresses that listen to a configuration, with their md5");
    private static final Operation<ListenersQuery> OF_CLIENT = Operation.of(
                    Form.of(IP.required(), ALL, NamingParameters.NAMESPACE_ID, AGGREGATION)
                            .as(ListenerEndpoints::ofAddress))
            .needs(ListenersQuery.READ)
            .answers(Listeners.class)
            .ofAllNodes()
            .says("Lists the configurations that an address listens to, with the md5 that it has of each");
    private static final Operation.Answers<ListenersQuery> HELD_BY_CONNECTION = Operation.of(
                    Form.of(IP.required(), ConfigForm.DATA_ID, ConfigForm.V3.group(), NamingParameters.NAMESPACE_ID)
                            .as(ListenerEndpoints::heldBy))
            .needs(ListenersQuery.READ)
            .answers("object");
    private static final Operation<ListenersQuery> HELD =
            HELD_BY_CONNECTION.says("Lists the configurations and md5s of an address, by connection");
    private static final Operation<ListenersQuery> HELD_ON_ALL_NODES = HELD_BY_CONNECTION
            .ofAllNodes()
            .says("Lists the configurations and md5s of an address, by connection, on all nodes");

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
                        (query, http) -> held(query, http, Scope.ALL_NODES)));
    }

    public List<HttpRoute> consoleRoutes() {
        return List.of(
                endpoints.get("/v3/console/cs/config/listener", OF_CONFIG, this::ofConfig),
                endpoints.get("/v3/console/cs/config/listener/ip", OF_CLIENT, this::ofClient));
    }

    private static ListenersQuery ofAddress(HttpRequest request) {
        boolean all = ALL.of(request);
        return new ListenersQuery(IP.orNull(request), null, null, all ? null : namespace(request));
    }

    private static ListenersQuery heldBy(HttpRequest request) {
        return new ListenersQuery(
                IP.orNull(request),
                ConfigForm.DATA_ID.orNull(request),
                ConfigForm.V3.group().orNull(request),
                NamingParameters.NAMESPACE_ID.isIn(request) ? namespace(request) : null);
    }

    private static Namespace namespace(HttpRequest request) {
        return Namespace.ofNullable(NamingParameters.NAMESPACE_ID.orNull(request));
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
                GroupKey::spelled,
                (byKey, silent) -> V3.ENVELOPE.written(new Listeners("ip", byKey), silent));
    }

    private CompletionStage<HttpResponse> held(ListenersQuery query, HttpRequest http, Scope scope) {
        return listeners.byConnection(ip(query, http), query, http, scope, GroupKey::spelled, V3.ENVELOPE::written);
    }

    private static Scope scope(HttpRequest http) {
        return AGGREGATION.of(http) ? Scope.ALL_NODES : Scope.THIS_NODE;
    }

    /** The requested address. Refuses an illegal namespace first, even unused. */
    private static String ip(ListenersQuery query, HttpRequest http) {
        ParameterCheck.namespace(NamingParameters.NAMESPACE_ID.orNull(http));
        return IP.require(query.ip()).trim();
    }
}
