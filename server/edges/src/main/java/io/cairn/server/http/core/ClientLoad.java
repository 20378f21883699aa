package io.cairn.server.http.core;

import com.sun.management.OperatingSystemMXBean;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.wire.JsonOutput;
import io.cairn.server.connection.ClientConnection;
import io.cairn.server.connection.ConnectionRegistry;
import io.cairn.server.http.core.ClusterNodes.Address;
import java.lang.management.ManagementFactory;
import java.time.Clock;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Who is connected over gRPC, and the ways to send clients elsewhere. Walks over the connections; thread-safe. */
public final class ClientLoad {

    private static final int GRPC_OFFSET = 1000;
    private static final long NANOS_PER_MILLI = 1_000_000;

    private final ConnectionRegistry connections;
    private final ClusterNodes nodes;
    private final Clock clock;

    public ClientLoad(ConnectionRegistry connections, ClusterNodes nodes, Clock clock) {
        this.connections = connections;
        this.nodes = nodes;
        this.clock = clock;
    }

    /** All connections by their id, as JSON. */
    public byte[] current() {
        int localPort = nodes.self().port() + GRPC_OFFSET;
        long now = clock.millis();
        long nowNanos = System.nanoTime();
        JsonOutput out = new JsonOutput(1024);
        for (ClientConnection connection : connections.connections()) {
            long active = now - (nowNanos - connection.lastActiveNanos()) / NANOS_PER_MILLI;
            out.json(
                    connection.id(),
                    new JsonOutput(512)
                            .flag("traced", false)
                            .json("abilityTable", "null")
                            .json("metaInfo", meta(connection, localPort, active))
                            .flag("connected", true)
                            .toBytes());
        }
        return out.toBytes();
    }

    private static byte[] meta(ClientConnection connection, int localPort, long activeMillis) {
        Map<String, String> labels = connection.identity().labels();
        String id = connection.id();
        int port = id.lastIndexOf('_');
        int ip = id.indexOf('_');
        return new JsonOutput(384)
                .text("connectType", "GRPC")
                .text("clientIp", connection.identity().clientIp())
                .text("remoteIp", ip < port ? id.substring(ip + 1, port) : "")
                .number("remotePort", number(id.substring(port + 1)))
                .number("localPort", localPort)
                .text("version", connection.identity().version())
                .text("connectionId", id)
                .number("createTime", number(id.substring(0, ip)))
                .number("lastActiveTime", activeMillis)
                .text("appName", labels.getOrDefault("AppName", "unknown"))
                .text("tenant", connection.identity().tenant())
                .texts("labels", labels)
                .text("tag", labels.getOrDefault("Vipserver-Tag", ""))
                .flag("sdkSource", !"cluster".equals(labels.get("source")))
                .flag("clusterSource", "cluster".equals(labels.get("source")))
                .toBytes();
    }

    private static long number(String digits) {
        return digits.isEmpty() || digits.chars().anyMatch(c -> c < '0' || c > '9') ? 0 : Long.parseLong(digits);
    }

    /**
     * Asks clients to leave until so many are left.
     *
     * @param keep how many may stay
     * @param redirect where to go, as {@code ip:port}; null for any other server
     * @throws CairnException {@code INVALID_PARAMETER} for a malformed address or a negative number
     */
    public void reduceTo(int keep, @Nullable String redirect) {
        if (keep < 0) {
            throw new CairnException(ErrorCode.INVALID_PARAMETER, "count: " + keep + " (expected: 0 or more)");
        }
        Address target = address(redirect);
        int leaving = connections.size() - keep;
        for (ClientConnection connection : connections.connections()) {
            if (leaving-- <= 0) {
                return;
            }
            connections.reset(connection, target.ip(), target.port());
        }
    }

    /** Asks one client to leave, as {@link #reduceTo}; nothing happens when there is no such connection. */
    public void reload(String connectionId, @Nullable String redirect) {
        Address target = address(redirect);
        ClientConnection connection = connections.find(connectionId);
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
     * Spreads clients over the nodes; a node that is alone has nobody to share with.
     *
     * @param factor by how much a node may be above the average
     * @throws CairnException {@code INVALID_PARAMETER} when it is no number between 0 and 1
     */
    public void spread(String factor) {
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

    /** How the connections are spread, as version 2 words it. */
    public byte[] clusterV2() {
        int count = connections.size();
        return new JsonOutput(256)
                .number("total", count)
                .number("min", count)
                .number("avg", count)
                .number("max", count)
                .number("memberCount", 1)
                .number("metricsCount", 1)
                .decimal("threshold", threshold(count))
                .objects("detail", List.of(nodes.self()), (node, out) -> out.text("address", node.toString())
                        .json(
                                "metric",
                                new JsonOutput(128)
                                        .text("load", systemLoad())
                                        .text("sdkConCount", Integer.toString(count))
                                        .text("cpu", cpu())
                                        .text("conCount", Integer.toString(count))
                                        .toBytes()))
                .flag("completed", true)
                .toBytes();
    }

    /** How the connections are spread, as version 3 words it. */
    public byte[] clusterV3() {
        int count = connections.size();
        return new JsonOutput(256)
                .objects("detail", List.of(nodes.self()), (node, out) -> out.text("address", node.toString())
                        .number("sdkConCount", count)
                        .number("conCount", count)
                        .text("load", systemLoad())
                        .text("cpu", cpu()))
                .number("memberCount", 1)
                .number("metricsCount", 1)
                .flag("completed", true)
                .number("max", count)
                .number("min", count)
                .number("avg", count)
                .text("threshold", Double.toString(threshold(count)))
                .number("total", count)
                .toBytes();
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
