package io.cairn.server.http.v3;

import io.cairn.api.config.ConfigKey;
import io.cairn.server.config.GrayRule;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.config.ConfigActions;
import io.cairn.server.http.config.ConfigForm;
import io.cairn.server.http.config.PublishEndpoints;
import io.cairn.server.http.config.RemoveRequest;
import io.cairn.server.http.route.ContainerErrors;
import io.cairn.server.http.route.Endpoints;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.Operation;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

public final class ConfigEndpoints {

    private static final Operation<ConfigKey> STOP_BETA = Operation.of(
                    ConfigForm.V3.names().and(ConfigForm.BY))
            .needs(ConfigForm.WRITE)
            .answers("boolean")
            .answersRevision()
            .says("Ends the release for some addresses");

    /** As in Nacos, with status 200. */
    private static final HttpResponse NO_BETA = V3.ENVELOPE.plain(
            200,
            "{\"code\":30000,\"message\":\"remove beta data error\",\"data\":false}".getBytes(StandardCharsets.UTF_8));

    private final ConfigActions actions;
    private final Endpoints endpoints;

    public ConfigEndpoints(ConfigActions actions, ContainerErrors container) {
        this.actions = actions;
        this.endpoints = new Endpoints(V3.errors(container).forPublishing());
    }

    public List<HttpRoute> adminRoutes() {
        return routes("/v3/admin/cs/config");
    }

    public List<HttpRoute> consoleRoutes() {
        return routes("/v3/console/cs/config");
    }

    private List<HttpRoute> routes(String path) {
        List<HttpRoute> routes = new ArrayList<>(
                new PublishEndpoints(actions, ConfigForm.V3, V3.TRUE).routes(path, endpoints, endpoints));
        routes.add(endpoints.delete(path + "/beta", STOP_BETA, this::stopBeta));
        return routes;
    }

    private CompletionStage<HttpResponse> stopBeta(ConfigKey key, HttpRequest http) {
        return actions.remove(new RemoveRequest(key, GrayRule.BETA, ConfigForm.SRC_USER.orNull(http)), http)
                .thenCompose(done -> done ? V3.TRUE : CompletableFuture.completedFuture(NO_BETA));
    }
}
