package io.cairn.server.http.v3;

import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.envelope.EnvelopeErrors;
import io.cairn.server.http.naming.LogLevels;
import io.cairn.server.http.naming.NamingJson;
import io.cairn.server.http.naming.NamingParameters;
import io.cairn.server.http.naming.RegistryMetrics;
import io.cairn.server.http.naming.ServiceActions;
import io.cairn.server.http.route.ContainerErrors;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.RequestCaller;
import io.cairn.server.naming.NamingService;
import io.cairn.server.naming.StoredNaming;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** {@code /v3/admin/ns/ops} and {@code /v3/admin/ns/health}: switches, figures, and health set by hand. */
final class OperatorEndpoints {

    private static final String OPS = "/v3/admin/ns/ops";
    private static final String HEALTH = "/v3/admin/ns/health";

    private static final CompletionStage<HttpResponse> CHECKERS =
            V3.data(NamingJson.CHECKERS.getBytes(StandardCharsets.UTF_8));

    private final NamingService naming;
    private final StoredNaming stored;
    private final ServiceActions actions;
    private final RegistryMetrics metrics;
    private final LogLevels logLevels;
    private final EnvelopeErrors errors;

    OperatorEndpoints(
            NamingService naming,
            StoredNaming stored,
            ServiceActions actions,
            RegistryMetrics metrics,
            LogLevels logLevels,
            ContainerErrors container) {
        this.naming = naming;
        this.stored = stored;
        this.actions = actions;
        this.metrics = metrics;
        this.logLevels = logLevels;
        this.errors = V3.errors(container);
    }

    List<HttpRoute> routes() {
        return List.of(
                HttpRoute.get(OPS + "/switches", errors, this::switches),
                HttpRoute.put(OPS + "/switches", errors, this::change),
                HttpRoute.get(OPS + "/metrics", errors, this::metrics),
                HttpRoute.put(OPS + "/log", errors.forSingleParameters("logName", "logLevel"), this::setLogLevel),
                HttpRoute.put(HEALTH + "/instance", errors, this::setHealth),
                HttpRoute.get(HEALTH + "/checkers", errors, request -> CHECKERS));
    }

    private CompletionStage<HttpResponse> switches(HttpRequest request) {
        return V3.data(naming.switches().toJson());
    }

    private CompletionStage<HttpResponse> change(HttpRequest request) {
        return V3.ok(stored.change(
                RequestCaller.of(request),
                NamingParameters.required(request, "entry"),
                NamingParameters.required(request, "value"),
                NamingParameters.flag(request, "debug", false)));
    }

    private CompletionStage<HttpResponse> metrics(HttpRequest request) {
        return metrics.toJson(
                        NamingParameters.flag(request, "onlyStatus", true),
                        false,
                        RequestCaller.of(request).principal())
                .thenCompose(V3::data);
    }

    private CompletionStage<HttpResponse> setLogLevel(HttpRequest request) {
        logLevels.set(NamingParameters.required(request, "logName"), NamingParameters.required(request, "logLevel"));
        return V3.OK;
    }

    private CompletionStage<HttpResponse> setHealth(HttpRequest request) {
        ServiceKey service = NamingParameters.service(request);
        InstanceKey instance = NamingParameters.instanceKey(request);
        boolean healthy = NamingParameters.flag(NamingParameters.required(request, "healthy"));
        return V3.ok(actions.setHealth(service, instance, healthy, RequestCaller.of(request)));
    }
}
