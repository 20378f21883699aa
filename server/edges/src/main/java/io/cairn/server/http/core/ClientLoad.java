package io.cairn.server.http.core;

import com.sun.management.OperatingSystemMXBean;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.connection.ClientConnection;
import io.cairn.server.connection.ClientIdentity;
import io.cairn.server.connection.ConnectionRegistry;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.core.ClusterNodes.Address;
import io.cairn.server.http.route.Form;
import io.cairn.server.http.route.HttpAudit;
import io.cairn.server.http.route.Operation;
import io.cairn.server.http.route.Parameters;
import io.cairn.server.http.route.Right;
import java.lang.management.ManagementFactory;
import java.time.Clock;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The clients that are connected over gRPC, and the ways to send them elsewhere. Walks over the connections; thread-safe. */
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
            .recordedAs(http -> recorded("*", "keep " + http.parameter("count"), http))
            .says("Asks clients to connect elsewhere until so many are left");
    public static final Operation<Spreading> SPREAD = Operation.of(Spreading.FORM)
            .needs(Right.admin())
            .answers("null")
            .says("Spreads clients evenly over the nodes");
    public static final Operation<Reload> RELOAD = Operation.of(Reload.FORM)
            .needs(Right.admin())
            .answers("null")
            .recordedAs(http -> recorded(Parameters.required(http, "connectionId"), "", http))
            .says("Asks one client to connect elsewhere");

    private final ConnectionRegistry connections;
    private final ClusterNodes nodes;
    private final Clock clock;

    public ClientLoad(ConnectionRegistry connections, ClusterNodes nodes, Clock clock) {
        this.connections = connections;
        this.nodes = nodes;
        this.clock = clock;
    }

    /**
     * A request to send clients elsewhere until some are left.
     *
     * @param keep the number of clients that may stay
     * @param redirect where the others are to go, as {@code ip:port}; null for any other server
     */
    public record Reduction(int keep, @Nullable String redirect) {

        static final Form<Reduction> FORM = Form.of(
                "count!:integer redirectAddress",
                request -> new Reduction(
                        Parameters.requiredNumber(request, "count"), request.parameter("redirectAddress")));
    }

    /** A request to send one client elsewhere, as {@link Reduction}. */
    public record Reload(String connectionId, @Nullable String redirect) {

        static final Form<Reload> FORM = Form.of(
                "connectionId! redirectAddress",
                request ->
                        new Reload(Parameters.required(request, "connectionId"), request.parameter("redirectAddress")));
    }

    /**
     * A request to spread clients over the nodes.
     *
     * @param factor by how much a node may be above the average; a number from 0 to 1 as text
     */
    public record Spreading(String factor) {

        private static final String DEFAULT = "0.1";

        static final Form<Spreading> FORM =
                Form.of("loaderFactor:number", request -> new Spreading(factor(request, DEFAULT)));

        /** The form that the maintainer client uses too, which has a name of its own for the factor. */
        public static final Form<Spreading> OF_MAINTAINER =
                Form.of("loaderFactor:number loaderFactorStr:number", request -> {
                    String other = Parameters.text(request, "loaderFactorStr");
                    return new Spreading(factor(request, other == null ? DEFAULT : other));
                });

        private static String factor(HttpRequest request, String ifAbsent) {
            String factor = Parameters.text(request, "loaderFactor");
            return factor == null ? ifAbsent : factor;
        }
    }

    private static HttpAudit.Done recorded(String connection, String detail, HttpRequest http) {
        String redirect = Parameters.text(http, "redirectAddress");
        return new HttpAudit.Done(
                "connection.reload", connection, (detail + (redirect == null ? "" : " to " + redirect)).strip());
    }

    /** A connection, as clients of 2.x know it. */
    public record Connection(
            boolean traced, @Nullable Map<String, Boolean> abilityTable, MetaInfo metaInfo, boolean connected) {

        /** The statements of a client about itself when it connects. Times are in epoch milliseconds. */
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

    /** All connections by their id. */
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
                number(id.substring(0, ip)),
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
        Address target = address(request.redirect);
        int leaving = connections.size() - keep;
        for (ClientConnection connection : connections.connections()) {
            if (leaving-- <= 0) {
                return;
            }
            connections.reset(connection, target.ip(), target.port());
        }
    }

    /**
     * Asks one client to leave; nothing happens when there is no such connection.
     *
     * @throws CairnException {@code INVALID_PARAMETER} for a malformed address
     */
    public void reload(Reload request) {
        Address target = address(request.redirect);
        ClientConnection connection = connections.find(request.connectionId);
        if (connection != null) {
            connections.reset(connection, target.ip(), target.port());
        }
    }

    private static Address address(@Nullable String redirect) {
        if (redirect == null || redirect.isBlank()) {
            return new Address("", 0);
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
     * Does nothing but a check: a node that is alone has no other to share clients with.
     *
     * @throws CairnException {@code INVALID_PARAMETER} when the factor is not a number between 0 and 1
     */
    public void spread(Spreading request) {
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
    }

    /** How the connections are spread over the nodes, as version 2 words it. */
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

    /** How the connections are spread over the nodes, as version 3 words it. */
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

    public OldLoad clusterV2() {
        int count = connections.size();
        String text = Integer.toString(count);
        return new OldLoad(
                count,
                count,
                count,
                count,
                1,
                1,
                threshold(count),
                List.of(new OldLoad.NodeMetric(
                        nodes.self().toString(), new OldLoad.Metric(systemLoad(), text, cpu(), text))),
                true);
    }

    public Load clusterV3() {
        int count = connections.size();
        return new Load(
                List.of(new Load.Node(nodes.self().toString(), count, count, systemLoad(), cpu())),
                1,
                1,
                true,
                count,
                count,
                count,
                Double.toString(threshold(count)),
                count);
    }

    /** Above this many connections a node is called busy: a tenth more than the average. */
    private static double threshold(int count) {
        return Math.round(count * 1.1 * 100) / 100.0;
    }

    private static String systemLoad() {
        return decimal(ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
    }

    private static String cpu() {
        return decimal(
                ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getCpuLoad());
    }

    private static String decimal(double value) {
        return String.format(Locale.ROOT, "%.4f", value >= 0 ? value : 0);
    }
}
