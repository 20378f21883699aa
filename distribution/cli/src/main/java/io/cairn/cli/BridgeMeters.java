package io.cairn.cli;

import com.sun.net.httpserver.HttpServer;
import io.cairn.cli.migrate.Bridge;
import io.cairn.cli.migrate.Decision.Outcome;
import io.cairn.cli.migrate.Report;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** The meters of a bridge, in the text format of Prometheus, for this host. */
final class BridgeMeters implements AutoCloseable {

    private final @Nullable HttpServer server;

    private BridgeMeters(@Nullable HttpServer server) {
        this.server = server;
    }

    static BridgeMeters start(@Nullable Integer port, Report report, Bridge bridge) {
        if (port == null) {
            return new BridgeMeters(null);
        }
        try {
            HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
            server.createContext("/metrics", exchange -> {
                byte[] text = text(report, bridge).getBytes(StandardCharsets.UTF_8);
                exchange.getResponseHeaders().set("Content-Type", "text/plain; version=0.0.4; charset=utf-8");
                exchange.sendResponseHeaders(200, text.length);
                try (var body = exchange.getResponseBody()) {
                    body.write(text);
                }
            });
            server.start();
            return new BridgeMeters(server);
        } catch (IOException | IllegalArgumentException e) {
            throw new Failure("--metrics-port: " + port + " cannot be bound: " + e.getMessage(), e);
        }
    }

    static String text(Report report, Bridge bridge) {
        StringBuilder text = new StringBuilder("# TYPE cairn_migrate_decisions_total counter\n");
        for (Outcome outcome : Outcome.values()) {
            text.append("cairn_migrate_decisions_total{outcome=\"")
                    .append(outcome.label())
                    .append("\"} ")
                    .append(report.count(outcome))
                    .append('\n');
        }
        text.append("# TYPE cairn_migrate_open gauge\ncairn_migrate_open ")
                .append(report.open().size())
                .append("\n# TYPE cairn_migrate_copies gauge\ncairn_migrate_copies ")
                .append(bridge.copies())
                .append('\n');
        return text.toString();
    }

    @Override
    public void close() {
        if (server != null) {
            server.stop(0);
        }
    }
}
