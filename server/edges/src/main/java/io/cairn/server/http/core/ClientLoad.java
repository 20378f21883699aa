package io.cairn.server.http.core;

import com.sun.management.OperatingSystemMXBean;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.connection.ClientConnection;
import io.cairn.server.connection.ClientIdentity;
import io.cairn.server.connection.ConnectionRegistry;
import io.cairn.server.connection.LeastLoaded;
import io.cairn.server.connection.MoveReason;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.core.ClusterNodes.Address;
import io.cairn.server.http.route.Form;
import io.cairn.server.http.route.HttpAudit;
import io.cairn.server.http.route.Operation;
import io.cairn.server.http.route.Parameter;
import io.cairn.server.http.route.Right;
import io.cairn.server.node.NodeId;
import io.cairn.server.node.NodeOperations;
import java.lang.management.ManagementFactory;
import java.time.Clock;
import java.util.IntSummaryStatistics;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The clients connected over gRPC, and their moves to other nodes. */
public final class ClientLoad {

    private static final int GRPC_OFFSET = 1000;
    private static final long NANOS_PER_MILLI = 1_000_000;

    public static final Operation<HttpRequest> CURRENT = Operation.of(Form.NONE)
            .needs(Right.admin())
            .answers("object")
            .says("Lists the connections of this node by their id");
    public static final Operation<Reduction> REDUCE = Operation.of(Reduction.FORM)
            .needs(Right.admin())
            .answers("null")
            .recordedAs(http -> recorded("*", "keep " + Reduction.COUNT.sent(http), http))
            .says("Asks clients to connect to other nodes until the given number is left");
    public static final Operation<Spreading> SPREAD = Operation.of(Spreading.FORM)
            .needs(Right.admin())
            .answers("null")
            .recordedAs(http -> new HttpAudit.Done("node.rebalance", "*", Spreading.FACTOR.orNull(http)))
            .says("Asks surplus clients of each node to connect to nodes with fewer");
    public static final Operation<Reload> RELOAD = Operation.of(Reload.FORM)
            .needs(Right.admin())
            .answers("null")
            .recordedAs(http -> recorded(Reload.CONNECTION.of(http), "", http))
            .says("Asks a client to connect to another node");

    private final ConnectionRegistry connections;
    private final ClusterNodes nodes;
    private final NodeOperations operations;
    private final Supplier<Map<NodeId, Long>> targets;
    private final Clock clock;

    /** @param targets other nodes in service with the number of their clients; empty on a single server */
    public ClientLoad(
            ConnectionRegistry connections,
            ClusterNodes nodes,
            NodeOperations operations,
            Supplier<Map<NodeId, Long>> targets,
            Clock clock) {
        this.connections = connections;
        this.nodes = nodes;
        this.operations = operations;
        this.targets = targets;
        this.clock = clock;
    }

    /**
     * @param keep the number of clients that may stay
     * @param redirect target of the others as {@code ip:port}; null for any
     */
    public record Reduction(int keep, @Nullable String redirect) {

        private static final Parameter<Integer> COUNT =
                Parameter.integer("count", "The number of clients that may stay");
        private static final Parameter<String> REDIRECT =
                Parameter.text("redirectAddress", "The server for the clients, as ip:port; any other one when absent");

        static final Form<Reduction> FORM = Form.of(COUNT.required(), REDIRECT)
                .as(request -> new Reduction(COUNT.of(request), REDIRECT.orNull(request)));
    }

    /** A request to move one client, as {@link Reduction}. */
    public record Reload(String connectionId, @Nullable String redirect) {

        private static final Parameter<String> CONNECTION = Parameter.text("connectionId", "The id of the connection");

        static final Form<Reload> FORM = Form.of(CONNECTION.required(), Reduction.REDIRECT)
                .as(request -> new Reload(CONNECTION.of(request), Reduction.REDIRECT.orNull(request)));
    }

    /**
     * A request to spread clients over the nodes.
     *
     * @param factor the permitted excess over the average, 0 to 1 as text
     */
    public record Spreading(String factor) {

        private static final String DEFAULT = "0.1";
        private static final Parameter<String> FACTOR = Parameter.text(
                        "loaderFactor",
                        "The share by which a node may be above the average, from 0 to 1; 0.1 when absent")
                .typed("number");
        private static final Parameter<String> OTHER_FACTOR = FACTOR.named("loaderFactorStr");

        static final Form<Spreading> FORM = Form.of(FACTOR).as(request -> new Spreading(FACTOR.or(request, DEFAULT)));

        /** The form that the maintainer client uses too, which has a name of its own for the factor. */
        public static final Form<Spreading> OF_MAINTAINER = Form.of(FACTOR, OTHER_FACTOR)
                .as(request -> new Spreading(FACTOR.or(request, OTHER_FACTOR.or(request, DEFAULT))));
    }

    private static HttpAudit.Done recorded(String connection, String detail, HttpRequest http) {
        String redirect = Reduction.REDIRECT.orNull(http);
        return new HttpAudit.Done(
                "connection.reload", connection, (detail + (redirect == null ? "" : " to " + redirect)).strip());
    }

    /** A connection in the form of 2.x. */
    public record Connection(
            boolean traced, @Nullable Map<String, Boolean> abilityTable, MetaInfo metaInfo, boolean connected) {

        /** A client's description of itself at the setup. Times in epoch milliseconds. */
        record MetaInfo(
                String connectType,
                String clientIp,
                String remoteIp,
                long remotePort,
                int localPort,
                String version,
                String connectionId,
                long createTime,
                long lastActiveTime,
                String appName,
                String tenant,
                Map<String, String> labels,
                String tag,
                boolean sdkSource,
                boolean clusterSource) {}
    }

    public Map<String, Connection> current() {
        int localPort = nodes.self().port() + GRPC_OFFSET;
        long now = clock.millis();
        long nowNanos = System.nanoTime();
        Map<String, Connection> all = new LinkedHashMap<>();
        for (ClientConnection connection : connections.connections()) {
            long active = now - (nowNanos - connection.lastActiveNanos()) / NANOS_PER_MILLI;
            all.put(connection.id(), new Connection(false, null, meta(connection, localPort, active), true));
        }
        return all;
    }

    private static Connection.MetaInfo meta(ClientConnection connection, int localPort, long activeMillis) {
        ClientIdentity client = connection.identity();
        Map<String, String> labels = client.labels();
        String id = connection.id();
        int port = id.lastIndexOf('_');
        int ip = id.indexOf('_');
        boolean isCluster = "cluster".equals(labels.get("source"));
        return new Connection.MetaInfo(
                "GRPC",
                client.clientIp(),
                ip < port ? id.substring(ip + 1, port) : "",
                number(id.substring(port + 1)),
                localPort,
                client.version(),
                id,
                connection.openedMillis(),
                activeMillis,
                labels.getOrDefault("AppName", "unknown"),
                client.tenant(),
                labels,
                labels.getOrDefault("Vipserver-Tag", ""),
                !isCluster,
                isCluster);
    }

    private static long number(String digits) {
        return digits.isEmpty() || digits.chars().anyMatch(c -> c < '0' || c > '9') ? 0 : Long.parseLong(digits);
    }

    /** @throws CairnException {@code INVALID_PARAMETER} for a malformed address or a negative number */
    public void reduce(Reduction request) {
        int keep = request.keep;
        if (keep < 0) {
            throw new CairnException(ErrorCode.INVALID_PARAMETER, "count: " + keep + " (expected: 0 or more)");
        }
        Address named = address(request.redirect);
        LeastLoaded others = others();
        int leaving = connections.size() - keep;
        for (ClientConnection connection : connections.connections()) {
            if (leaving-- <= 0) {
                return;
            }
            reset(connection, named, others);
        }
    }

    /**
     * Asks a client of any node to move; no effect without such a connection.
     *
     * @throws CairnException {@code INVALID_PARAMETER} for a malformed address
     */
    public CompletionStage<Void> reload(Reload request) {
        Address named = address(request.redirect);
        ClientConnection connection = connections.find(request.connectionId);
        if (connection == null) {
            return operations.move(request.connectionId, named == null ? "" : named.toString());
        }
        reset(connection, named, others());
        return CompletableFuture.completedFuture(null);
    }

    private LeastLoaded others() {
        LeastLoaded others = new LeastLoaded();
        others.nodesAre(targets.get());
        return others;
    }

    /** Sends a client to the named server, else to a node in service, else to any other server of its list. */
    private void reset(ClientConnection connection, @Nullable Address named, LeastLoaded others) {
        NodeId target = named == null ? others.next() : null;
        if (named != null) {
            connections.reset(connection, named.ip(), named.port(), MoveReason.OPERATOR);
        } else if (target != null) {
            connections.reset(connection, target.host(), target.httpPort(), MoveReason.OPERATOR);
        } else {
            connections.reset(connection, "", 0, MoveReason.OPERATOR);
        }
    }

    /** Null for a blank text. */
    private static @Nullable Address address(@Nullable String redirect) {
        if (redirect == null || redirect.isBlank()) {
            return null;
        }
        String text = redirect.trim();
        int colon = text.lastIndexOf(':');
        long port = colon < 0 ? 0 : number(text.substring(colon + 1));
        if (colon <= 0 || port < 1 || port > 65_535) {
            throw new CairnException(
                    ErrorCode.INVALID_PARAMETER, "redirectAddress: '" + redirect + "' (expected: ip:port)");
        }
        return new Address(text.substring(0, colon), (int) port);
    }

    /**
     * Makes all nodes move their surplus of clients. A single server only checks the factor.
     *
     * @throws CairnException {@code INVALID_PARAMETER} for a factor outside 0 to 1
     */
    public CompletionStage<?> spread(Spreading request) {
        String factor = request.factor;
        double value;
        try {
            value = Double.parseDouble(factor.trim());
        } catch (NumberFormatException e) {
            throw new CairnException(
                    ErrorCode.INVALID_PARAMETER, "loaderFactor: '" + factor + "' (expected: a number from 0 to 1)", e);
        }
        if (!(value >= 0 && value <= 1)) {
            throw new CairnException(
                    ErrorCode.INVALID_PARAMETER, "loaderFactor: " + factor + " (expected: a number from 0 to 1)");
        }
        return nodes.isCluster() ? operations.rebalance(value) : CompletableFuture.completedFuture(null);
    }

    public record OldLoad(
            int total,
            int min,
            int avg,
            int max,
            int memberCount,
            int metricsCount,
            double threshold,
            List<NodeMetric> detail,
            boolean completed) {

        record NodeMetric(String address, Metric metric) {}

        record Metric(String load, String sdkConCount, String cpu, String conCount) {}
    }

    public record Load(
            List<Node> detail,
            int memberCount,
            int metricsCount,
            boolean completed,
            int max,
            int min,
            int avg,
            String threshold,
            int total) {

        record Node(String address, int sdkConCount, int conCount, String load, String cpu) {}
    }

    public CompletionStage<OldLoad> clusterV2() {
        return operations.loads().thenApply(loads -> {
            Spread spread = Spread.of(loads);
            return new OldLoad(
                    spread.total,
                    spread.min,
                    spread.average,
                    spread.max,
                    loads.members(),
                    loads.nodes().size(),
                    spread.threshold,
                    loads.nodes().stream()
                            .map(load -> new OldLoad.NodeMetric(
                                    load.address(),
                                    new OldLoad.Metric(
                                            decimal(load.systemLoad()),
                                            Integer.toString(load.connections()),
                                            decimal(load.cpu()),
                                            Integer.toString(load.connections()))))
                            .toList(),
                    loads.isComplete());
        });
    }

    public CompletionStage<Load> clusterV3() {
        return operations.loads().thenApply(loads -> {
            Spread spread = Spread.of(loads);
            return new Load(
                    loads.nodes().stream()
                            .map(load -> new Load.Node(
                                    load.address(),
                                    load.connections(),
                                    load.connections(),
                                    decimal(load.systemLoad()),
                                    decimal(load.cpu())))
                            .toList(),
                    loads.members(),
                    loads.nodes().size(),
                    loads.isComplete(),
                    spread.max,
                    spread.min,
                    spread.average,
                    Double.toString(spread.threshold),
                    spread.total);
        });
    }

    /** @param threshold more connections make a node busy: 110 % of the average */
    private record Spread(int total, int min, int average, int max, double threshold) {

        static Spread of(NodeOperations.Loads loads) {
            IntSummaryStatistics counts = loads.nodes().stream()
                    .mapToInt(NodeOperations.Load::connections)
                    .summaryStatistics();
            int average = (int) counts.getAverage();
            return new Spread(
                    (int) counts.getSum(),
                    counts.getMin(),
                    average,
                    counts.getMax(),
                    Math.round(average * 1.1 * 100) / 100.0);
        }
    }

    /** The load of this machine, and the clients. */
    public static NodeOperations.Load own(String address, int connections) {
        return new NodeOperations.Load(
                address,
                connections,
                Math.max(0, ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage()),
                Math.max(
                        0,
                        ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class)
                                .getCpuLoad()));
    }

    private static String decimal(double value) {
        return String.format(Locale.ROOT, "%.4f", value);
    }
}
