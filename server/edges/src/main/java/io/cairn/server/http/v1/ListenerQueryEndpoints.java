package io.cairn.server.http.v1;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.Namespace;
import io.cairn.api.error.ParameterException;
import io.cairn.server.config.ReadPool;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.config.ConfigForm;
import io.cairn.server.http.config.ListenerReads;
import io.cairn.server.http.config.ListenersQuery;
import io.cairn.server.http.envelope.JsonBody;
import io.cairn.server.http.naming.NamingParameters;
import io.cairn.server.http.route.Endpoints;
import io.cairn.server.http.route.Form;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.Operation;
import io.cairn.server.subscription.ConfigListeners;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The listeners of a configuration, and the configurations that a client listens to. */
public final class ListenerQueryEndpoints {

    private static final String OF_CONFIG = "Tells which address has which md5 of a configuration";

    private static final Operation<ConfigKey> LISTENERS = Operation.of(V1Forms.NAMES.and("sampleTime:integer"))
            .needs(ConfigForm.READ)
            .answers("object")
            .says(OF_CONFIG);
    private static final Operation<ConfigKey> WATCHERS = Operation.of(V1Forms.NAMES)
            .needs(ConfigForm.READ)
            .answers(ListenersStatus.class)
            .says(OF_CONFIG);
    private static final Operation<ListenersQuery> OF_CLIENT = Operation.of(
                    Form.of("ip! all:boolean tenant sampleTime:integer", ListenerQueryEndpoints::ofAddress))
            .needs(ListenersQuery.READ)
            .answers("object")
            .says("Tells which configurations an address listens to, and which md5 it has of each");
    private static final Operation<ListenersQuery> WATCHED = Operation.of(
                    Form.of("ip! tenant", ListenerQueryEndpoints::watchedBy))
            .needs(ListenersQuery.READ)
            .answers(ListenersStatus.class)
            .says("Tells which configurations an address listens to");
    private static final Operation<ListenersQuery> HELD = Operation.of(
                    Form.of("ip! dataId group tenant", ListenerQueryEndpoints::heldBy))
            .needs(ListenersQuery.READ)
            .answers("object")
            .says("Tells what an address has of configurations, by connection");

    private final ListenerReads listeners;

    /** @param reads makes the lists, for they may be long */
    public ListenerQueryEndpoints(ConfigListeners listeners, ReadPool reads) {
        this.listeners = new ListenerReads(listeners, reads, false);
    }

    public List<HttpRoute> routes() {
        Endpoints endpoints = new Endpoints(new V1RequiredErrors());
        return List.of(
                endpoints.get(
                        ConfigEndpoints.PATH + "/listener",
                        LISTENERS,
                        V1Forms.checked((key, http) -> listeners.byIp(key, ListenersStatus::counted))),
                endpoints.get(
                        "/v1/cs/listener",
                        OF_CLIENT,
                        (query, http) -> listeners.byKey(ip(query), query, http, ListenersStatus::counted)),
                // Nodes of the reference ask each other by these; scripts do as well.
                endpoints.get(
                        "/v1/cs/communication/configWatchers",
                        WATCHERS,
                        V1Forms.checked((key, http) -> listeners.byIp(key, ListenersStatus::plain))),
                endpoints.get(
                        "/v1/cs/communication/watcherConfigs",
                        WATCHED,
                        (query, http) -> listeners.byKey(ip(query), query, http, ListenersStatus::plain)),
                endpoints.get("/v1/cs/metrics/cluster", HELD, this::held),
                endpoints.get("/v1/cs/metrics/current", HELD, this::held));
    }

    private static ListenersQuery ofAddress(HttpRequest request) {
        boolean all = "true".equalsIgnoreCase(request.parameter("all"));
        return new ListenersQuery(request.parameter("ip"), null, null, all ? null : tenant(request));
    }

    private static ListenersQuery watchedBy(HttpRequest request) {
        return new ListenersQuery(request.parameter("ip"), null, null, request.has("tenant") ? tenant(request) : null);
    }

    private static ListenersQuery heldBy(HttpRequest request) {
        return new ListenersQuery(
                request.parameter("ip"),
                NamingParameters.text(request, "dataId"),
                NamingParameters.text(request, "group"),
                request.has("tenant") ? tenant(request) : null);
    }

    private static Namespace tenant(HttpRequest request) {
        return Namespace.ofNullable(request.parameter("tenant"));
    }

    private CompletionStage<HttpResponse> held(ListenersQuery query, HttpRequest http) {
        return listeners.byConnection(ip(query), query, http, held -> ConfigLookups.json(JsonBody.of(held)));
    }

    private static String ip(ListenersQuery query) {
        String ip = query.ip();
        if (ip == null) {
            throw ParameterException.missing("ip");
        }
        return ip;
    }

    /**
     * The md5 that is held, by address or by configuration.
     *
     * @param collectStatus 200, or left out
     * @param lisentersGroupkeyStatus the spelling is that of Nacos
     */
    record ListenersStatus(
            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable
            Integer collectStatus,

            Map<String, String> lisentersGroupkeyStatus) {

        private static HttpResponse plain(Map<String, String> status) {
            return ConfigLookups.json(JsonBody.of(new ListenersStatus(null, status)));
        }

        private static HttpResponse counted(Map<String, String> status) {
            return ConfigLookups.json(JsonBody.of(new ListenersStatus(200, status)));
        }
    }
}
