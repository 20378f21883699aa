package io.cairn.server.http.v1;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.core.ClusterNodes;
import io.cairn.server.http.core.LogLevels;
import io.cairn.server.http.core.NodeQuery;
import io.cairn.server.http.naming.OperatorEndpoints;
import io.cairn.server.http.naming.RegistryMetrics;
import io.cairn.server.http.route.Endpoints;
import io.cairn.server.http.route.Form;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.Operation;
import io.cairn.server.http.route.Parameter;
import io.cairn.server.http.route.Right;
import io.cairn.server.naming.registry.ClientOwnership;
import io.cairn.server.naming.registry.RegistryView;
import io.cairn.server.push.PushMeters;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** {@code /v1/ns/operator}, also {@code ops}, and {@code health}: counts, switches, set health. */
public final class V1Operator {

    private static final List<String> BASES = List.of("/v1/ns/operator", "/v1/ns/ops");
    private static final String HEALTH = "/v1/ns/health";

    private static final Operation<HttpRequest> METRICS = OperatorEndpoints.metrics(Right.open());

    private static final Parameter<Boolean> RESET =
            Parameter.flag("reset", "Counts from now on").orElse(false);
    private static final Parameter<String> ENTRY = Parameter.text("entry", "The address");
    private static final Parameter<String> LABEL_NAME = Parameter.text("label", "The name of the label");

    private static final Operation<HttpRequest> PUSH_STATE = Operation.of(Parameter.ignored("detail", "boolean"), RESET)
            .needs(Right.admin())
            .answers(PushState.class)
            .says("Counts pushes");

    private static final Operation<HttpRequest> SERVERS = Operation.of(Parameter.ignored("healthy", "boolean"))
            .needs(Right.known())
            .answers(V1Servers.class)
            .says("Lists the nodes in the format of Nacos 1.4");

    private static final Operation<HttpRequest> LABEL = Operation.of(ENTRY.required(), LABEL_NAME.required())
            .needs(Right.admin())
            .answers("string")
            .as(Operation.Wrapping.TEXT)
            .says("Shows the value of a label of an address, as the file of labels has it");

    private static final Operation<HttpRequest> GREET = Operation.of(Form.NONE)
            .needs(Right.known())
            .answers("string")
            .says("Shows the numbers of services and instances of this server");

    private final RegistryView reads;
    private final OperatorEndpoints shared;
    private final RegistryMetrics metrics;
    private final PushMeters pushes;
    private final ClientOwnership ownership;
    private final LogLevels logLevels;
    private final ClusterNodes nodes;
    private volatile PushCounts counted = new PushCounts(0, 0);

    private record PushCounts(long total, long failed) {}

    record PushState(long succeed, long total, double ratio, boolean reset) {}

    record V1Servers(List<V1Server> servers) {}

    record V1Server(
            String ip, int port, String state, Map<String, String> extendInfo, String address, int failAccessCnt) {}

    private record Greeting(String msg) {}

    /**
     * @param pushes of services
     * @param logLevels throws {@link IllegalArgumentException} for an unknown level
     */
    V1Operator(
            RegistryView reads,
            OperatorEndpoints shared,
            RegistryMetrics metrics,
            PushMeters pushes,
            ClientOwnership ownership,
            LogLevels logLevels,
            ClusterNodes nodes) {
        this.reads = reads;
        this.shared = shared;
        this.metrics = metrics;
        this.pushes = pushes;
        this.ownership = ownership;
        this.logLevels = logLevels;
        this.nodes = nodes;
    }

    /** Routes that every state of the server serves, because they change the state. */
    List<HttpRoute> alwaysServed(Endpoints usual, Endpoints declared) {
        List<HttpRoute> routes = new ArrayList<>();
        for (String base : BASES) {
            routes.add(usual.get(base + "/switches", OperatorEndpoints.SWITCHES, shared::switches));
            routes.add(declared.put(base + "/switches", OperatorEndpoints.SET_SWITCH, shared::setOrClearSwitch));
        }
        return routes;
    }

    List<HttpRoute> routes(Endpoints usual, Endpoints declared) {
        List<HttpRoute> routes = new ArrayList<>();
        for (String base : BASES) {
            routes.add(usual.get(base + "/metrics", METRICS, this::metrics));
            routes.add(usual.get(base + "/push/state", PUSH_STATE, this::pushState));
            routes.add(declared.get(base + "/distro/client", OperatorEndpoints.RESPONSIBLE, this::responsible));
            routes.add(usual.get(base + "/servers", SERVERS, this::servers));
            routes.add(declared.put(base + "/log", OperatorEndpoints.SET_LOG_LEVEL, shared.setLogLevel(this::set)));
        }
        for (String path : List.of(HEALTH, HEALTH + "/instance")) {
            routes.add(usual.put(path, OperatorEndpoints.SET_HEALTH, shared.setHealth(V1Operator::healthy)));
        }
        routes.add(usual.get("/v1/cmdb/ops/label", LABEL, this::label));
        routes.add(usual.get(HEALTH + "/checkers", OperatorEndpoints.CHECKERS, shared::checkers));
        routes.add(usual.get(HEALTH + "/server", GREET, this::greet));
        return routes;
    }

    private CompletionStage<HttpResponse> metrics(HttpRequest request) {
        return V1Naming.WORDING.written(metrics.all(OperatorEndpoints.ONLY_STATUS.of(request)));
    }

    /** As in Nacos: the bare text, empty for an address without that label. */
    private CompletionStage<HttpResponse> label(HttpRequest request) {
        String address = ENTRY.of(request);
        String name = LABEL_NAME.of(request);
        String value = reads.labelsOf(address).getOrDefault(name, "");
        return CompletableFuture.completedFuture(HttpResponse.ok(HttpResponse.TEXT, value));
    }

    private CompletionStage<HttpResponse> pushState(HttpRequest request) {
        boolean reset = RESET.of(request);
        PushCounts since = counted;
        PushCounts now = new PushCounts(pushes.sentCount(), pushes.failedCount());
        if (reset) {
            counted = now;
        }
        long total = now.total - since.total;
        long succeeded = Math.max(0, total - (now.failed - since.failed));
        return V1Naming.WORDING.written(
                new PushState(succeeded, total, total == 0 ? 0 : (double) succeeded / total, reset));
    }

    private CompletionStage<HttpResponse> responsible(HttpRequest request) {
        String clientId = OperatorEndpoints.clientId(request);
        String owner = ownership.isOwn(clientId) ? nodes.self().toString() : ownership.ownerOf(clientId);
        return V1Naming.WORDING.written(new OperatorEndpoints.ResponsibleServer(owner));
    }

    /** As in 1.4, for old scripts. */
    private CompletionStage<HttpResponse> servers(HttpRequest request) {
        String self = nodes.self().toString();
        return V1Naming.WORDING.written(new V1Servers(nodes.find(NodeQuery.ALL).stream()
                .map(node -> new V1Server(
                        node.ip(),
                        node.port(),
                        node.address().equals(self) ? metrics.status() : node.state(),
                        Map.of(),
                        node.address(),
                        0))
                .toList()));
    }

    private void set(String log, String level) {
        try {
            logLevels.set(log, level);
        } catch (IllegalArgumentException e) {
            throw new CairnException(
                    ErrorCode.INVALID_PARAMETER,
                    "logLevel: '" + level + "' (expected: one of TRACE, DEBUG, INFO, WARN, ERROR, OFF)",
                    e);
        }
    }

    private static boolean healthy(HttpRequest request) {
        Boolean healthy = OperatorEndpoints.VALID.orNull(request);
        return healthy == null ? OperatorEndpoints.HEALTHY.of(request) : healthy;
    }

    private CompletionStage<HttpResponse> greet(HttpRequest request) {
        return V1Naming.WORDING.written(new Greeting("Hello! I am Nacos-Naming and healthy! total services: "
                + reads.serviceCount() + ", local port:" + nodes.self().port()));
    }
}
