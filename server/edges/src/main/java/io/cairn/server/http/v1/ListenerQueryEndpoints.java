package io.cairn.server.http.v1;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.Namespace;
import io.cairn.api.wire.config.GroupKey;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.config.ConfigForm;
import io.cairn.server.http.config.ListenerReads;
import io.cairn.server.http.config.ListenerReads.Scope;
import io.cairn.server.http.config.ListenersQuery;
import io.cairn.server.http.envelope.JsonText;
import io.cairn.server.http.envelope.SilentNodes;
import io.cairn.server.http.route.Endpoints;
import io.cairn.server.http.route.Form;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.Operation;
import io.cairn.server.http.route.Parameter;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

public final class ListenerQueryEndpoints {

    private static final String OF_CONFIG = "Lists the addresses that listen to a configuration, with their md5";

    private static final Parameter<String> IP = Parameter.exact("ip", "The address of the clients");
    private static final Parameter<Boolean> ALL = Parameter.exact("all", "Lists those of all namespaces")
            .typed("boolean")
            .as("true"::equalsIgnoreCase);
    private static final Parameter<String> SAMPLE_TIME = Parameter.ignored("sampleTime", "integer");

    private static final Operation<ConfigKey> LISTENERS = Operation.of(V1Forms.NAMES.and(SAMPLE_TIME))
            .needs(ConfigForm.READ)
            .answers(ListenersStatus.class)
            .ofAllNodes()
            .says(OF_CONFIG);
    private static final Operation<ConfigKey> WATCHERS = Operation.of(V1Forms.NAMES)
            .needs(ConfigForm.READ)
            .answers(ListenersStatus.class)
            .says(OF_CONFIG);
    private static final Operation<ListenersQuery> OF_CLIENT = Operation.of(
                    Form.of(IP.required(), ALL, V1Forms.TENANT, SAMPLE_TIME).as(ListenerQueryEndpoints::ofAddress))
            .needs(ListenersQuery.READ)
            .answers(ListenersStatus.class)
            .ofAllNodes()
            .says("Lists the configurations that an address listens to, with the md5 that it has of each");
    private static final Operation<ListenersQuery> WATCHED = Operation.of(
                    Form.of(IP.required(), V1Forms.TENANT).as(ListenerQueryEndpoints::watchedBy))
            .needs(ListenersQuery.READ)
            .answers(ListenersStatus.class)
            .says("Lists the configurations that an address listens to");
    private static final Operation.Answers<ListenersQuery> HELD_BY_CONNECTION = Operation.of(
                    Form.of(IP.required(), V1Forms.DATA_ID, V1Forms.GROUP, V1Forms.TENANT)
                            .as(ListenerQueryEndpoints::heldBy))
            .needs(ListenersQuery.READ)
            .answers("object");
    private static final Operation<ListenersQuery> HELD =
            HELD_BY_CONNECTION.says("Lists the configurations and md5s of an address, by connection");
    private static final Operation<ListenersQuery> HELD_ON_ALL_NODES = HELD_BY_CONNECTION
            .ofAllNodes()
            .says("Lists the configurations and md5s of an address, by connection, on all nodes");

    private final ListenerReads listeners;

    public ListenerQueryEndpoints(ListenerReads listeners) {
        this.listeners = listeners;
    }

    public List<HttpRoute> routes() {
        Endpoints endpoints = new Endpoints(new V1RequiredErrors());
        return List.of(
                endpoints.get(
                        ConfigEndpoints.PATH + "/listener",
                        LISTENERS,
                        V1Forms.checked((key, http) -> listeners.byIp(key, Scope.ALL_NODES, ListenersStatus::counted))),
                endpoints.get(
                        "/v1/cs/listener",
                        OF_CLIENT,
                        (query, http) -> byKey(query, http, Scope.ALL_NODES, ListenersStatus::counted)),
                // Nodes of Nacos query each other here, so each node reports its own clients; scripts use it, too.
                endpoints.get(
                        "/v1/cs/communication/configWatchers",
                        WATCHERS,
                        V1Forms.checked((key, http) -> listeners.byIp(key, Scope.THIS_NODE, ListenersStatus::plain))),
                endpoints.get(
                        "/v1/cs/communication/watcherConfigs",
                        WATCHED,
                        (query, http) -> byKey(query, http, Scope.THIS_NODE, ListenersStatus::plain)),
                endpoints.get(
                        "/v1/cs/metrics/cluster",
                        HELD_ON_ALL_NODES,
                        (query, http) -> held(query, http, Scope.ALL_NODES)),
                endpoints.get("/v1/cs/metrics/current", HELD, (query, http) -> held(query, http, Scope.THIS_NODE)));
    }

    private static ListenersQuery ofAddress(HttpRequest request) {
        boolean all = ALL.or(request, false);
        return new ListenersQuery(IP.orNull(request), null, null, all ? null : tenant(request));
    }

    private static ListenersQuery watchedBy(HttpRequest request) {
        return new ListenersQuery(
                IP.orNull(request), null, null, V1Forms.TENANT.isIn(request) ? tenant(request) : null);
    }

    private static ListenersQuery heldBy(HttpRequest request) {
        return new ListenersQuery(
                IP.orNull(request),
                V1Forms.DATA_ID.orNull(request),
                V1Forms.GROUP.orNull(request),
                V1Forms.TENANT.isIn(request) ? tenant(request) : null);
    }

    private static Namespace tenant(HttpRequest request) {
        return Namespace.ofNullable(V1Forms.TENANT.orNull(request));
    }

    private CompletionStage<HttpResponse> byKey(
            ListenersQuery query, HttpRequest http, Scope scope, ListenerReads.Answer<Map<String, String>> answer) {
        return listeners.byKey(ip(query), query, http, scope, GroupKey::shortened, answer);
    }

    private CompletionStage<HttpResponse> held(ListenersQuery query, HttpRequest http, Scope scope) {
        // The members are connections, so only the header names silent nodes.
        return listeners.byConnection(
                ip(query),
                query,
                http,
                scope,
                GroupKey::shortened,
                (held, silent) -> silent.named(ConfigLookups.json(held)));
    }

    private static String ip(ListenersQuery query) {
        return IP.require(query.ip());
    }

    /**
     * The md5 by address or configuration.
     *
     * @param collectStatus 200, or left out
     * @param lisentersGroupkeyStatus Nacos's spelling
     */
    record ListenersStatus(
            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable
            Integer collectStatus,

            Map<String, String> lisentersGroupkeyStatus) {

        private static HttpResponse plain(Map<String, String> status, SilentNodes silent) {
            return new ListenersStatus(null, status).answer(silent);
        }

        private static HttpResponse counted(Map<String, String> status, SilentNodes silent) {
            return new ListenersStatus(200, status).answer(silent);
        }

        private HttpResponse answer(SilentNodes silent) {
            return silent.named(ConfigLookups.json(silent.addedTo(JsonText.of(this))));
        }
    }
}
