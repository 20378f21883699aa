package io.cairn.server.http.v3;

import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.config.ConfigActions;
import io.cairn.server.http.config.ConfigForm;
import io.cairn.server.http.envelope.EnvelopeErrors;
import io.cairn.server.http.route.ContainerErrors;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.OldOperation;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** {@code /v3/admin/cs/config} and {@code /v3/console/cs/config}: publish, read and delete configurations. */
public final class ConfigEndpoints {

    private static final String ADMIN = "/v3/admin/cs/config";
    private static final String CONSOLE = "/v3/console/cs/config";
    private static final String KEY = "dataId! groupName! namespaceId ";
    private static final String BY = "srcUser @X-Forwarded-For @X-Real-IP";

    /** As the reference says it: with status 200. */
    private static final HttpResponse NO_BETA = V3.ENVELOPE.plain(
            200,
            "{\"code\":30000,\"message\":\"remove beta data error\",\"data\":false}".getBytes(StandardCharsets.UTF_8));

    private final ConfigActions actions;
    private final EnvelopeErrors errors;

    public ConfigEndpoints(ConfigActions actions, ContainerErrors container) {
        this.actions = actions;
        this.errors = V3.errors(container).forPublishing();
    }

    public List<HttpRoute> adminRoutes() {
        return routes(ADMIN);
    }

    public List<HttpRoute> consoleRoutes() {
        return routes(CONSOLE);
    }

    private List<HttpRoute> routes(String path) {
        List<HttpRoute> routes = new ArrayList<>();
        routes.add(HttpRoute.post(path, errors, this::publish)
                .does(OldOperation.of(
                        "Publishes a content: for all, or for the clients of a tag or of some addresses",
                        KEY + ConfigForm.DRAFT_PARAMETERS,
                        "boolean")));
        routes.add(HttpRoute.delete(path, errors, this::delete)
                .does(OldOperation.of(
                        "Deletes a configuration, or its release for a tag", KEY + "tag grayName " + BY, "boolean")));
        routes.add(HttpRoute.delete(path + "/beta", errors, this::stopBeta)
                .does(OldOperation.of("Ends the release for some addresses", KEY + BY, "boolean")));
        return routes;
    }

    private CompletionStage<HttpResponse> publish(HttpRequest request) {
        return actions.publish(request, ConfigForm.V3).thenCompose(done -> V3.TRUE);
    }

    private CompletionStage<HttpResponse> delete(HttpRequest request) {
        return actions.delete(request, ConfigForm.V3).thenCompose(done -> V3.TRUE);
    }

    private CompletionStage<HttpResponse> stopBeta(HttpRequest request) {
        return actions.stopBeta(request, ConfigForm.V3)
                .thenCompose(done -> done ? V3.TRUE : CompletableFuture.completedFuture(NO_BETA));
    }
}
