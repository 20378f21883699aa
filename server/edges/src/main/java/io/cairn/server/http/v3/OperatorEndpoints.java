package io.cairn.server.http.v3;

import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.http.HttpAnswer;
import io.cairn.server.http.HttpCall;
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

    private static final CompletionStage<HttpAnswer> CHECKERS =
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
                HttpRoute.get(HEALTH + "/checkers", errors, call -> CHECKERS));
    }

    private CompletionStage<HttpAnswer> switches(HttpCall call) {
        return V3.data(naming.switches().toJson());
    }

    private CompletionStage<HttpAnswer> change(HttpCall call) {
        return V3.ok(stored.change(
                RequestCaller.of(call),
                NamingParameters.required(call, "entry"),
                NamingParameters.required(call, "value"),
                NamingParameters.flag(call, "debug", false)));
    }

    private CompletionStage<HttpAnswer> metrics(HttpCall call) {
        return metrics.toJson(
                        NamingParameters.flag(call, "onlyStatus", true),
                        false,
                        RequestCaller.of(call).principal())
                .thenCompose(V3::data);
    }

    private CompletionStage<HttpAnswer> setLogLevel(HttpCall call) {
        logLevels.set(NamingParameters.required(call, "logName"), NamingParameters.required(call, "logLevel"));
        return V3.OK;
    }

    private CompletionStage<HttpAnswer> setHealth(HttpCall call) {
        ServiceKey service = NamingParameters.service(call);
        InstanceKey instance = NamingParameters.instanceKey(call);
        boolean healthy = NamingParameters.flag(NamingParameters.required(call, "healthy"));
        return V3.ok(actions.setHealth(service, instance, healthy, RequestCaller.of(call)));
    }
}
