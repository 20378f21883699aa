package io.cairn.server.http.v2;

import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.naming.NamingParameters;
import io.cairn.server.http.naming.RegistryMetrics;
import io.cairn.server.http.naming.ServiceActions;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.RequestCaller;
import io.cairn.server.naming.NamingService;
import io.cairn.server.naming.StoredNaming;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** {@code /v2/ns/operator}, also called {@code ops}, and {@code /v2/ns/health}: switches, figures, health set by hand. */
final class OperatorEndpoints {

    private final NamingService naming;
    private final StoredNaming stored;
    private final ServiceActions actions;
    private final RegistryMetrics metrics;

    OperatorEndpoints(NamingService naming, StoredNaming stored, ServiceActions actions, RegistryMetrics metrics) {
        this.naming = naming;
        this.stored = stored;
        this.actions = actions;
        this.metrics = metrics;
    }

    List<HttpRoute> routes() {
        List<HttpRoute> routes = new ArrayList<>();
        for (String path : List.of("/v2/ns/operator", "/v2/ns/ops")) {
            routes.add(HttpRoute.get(path + "/switches", V2.ERRORS, this::switches));
            routes.add(HttpRoute.put(path + "/switches", V2.ERRORS, this::change));
            routes.add(HttpRoute.get(path + "/metrics", V2.ERRORS, this::metrics));
        }
        for (String path : List.of("/v2/ns/health", "/v2/ns/health/instance")) {
            routes.add(HttpRoute.put(path, V2.ERRORS, this::setHealth));
        }
        return routes;
    }

    private CompletionStage<HttpResponse> switches(HttpRequest request) {
        return V2.data(naming.switches().toJson());
    }

    private CompletionStage<HttpResponse> change(HttpRequest request) {
        return V2.ok(stored.change(
                RequestCaller.of(request),
                NamingParameters.required(request, "entry"),
                NamingParameters.required(request, "value"),
                NamingParameters.flag(request, "debug", false)));
    }

    private CompletionStage<HttpResponse> metrics(HttpRequest request) {
        return metrics.toJson(
                        NamingParameters.flag(request, "onlyStatus", true),
                        true,
                        RequestCaller.of(request).principal())
                .thenCompose(V2::data);
    }

    private CompletionStage<HttpResponse> setHealth(HttpRequest request) {
        ServiceKey service = NamingParameters.service(request);
        InstanceKey instance = NamingParameters.instanceKey(request);
        boolean healthy = NamingParameters.flag(NamingParameters.required(request, "healthy"));
        return V2.ok(actions.setHealth(service, instance, healthy, RequestCaller.of(request)));
    }
}
