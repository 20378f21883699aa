package io.cairn.benchmark;

import io.cairn.benchmark.wire.ConfigMessages;
import io.cairn.benchmark.wire.GrpcConnection;
import io.cairn.benchmark.wire.PushListener;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
        name = "connections",
        description = "Opens many registered connections, then listens on each to the same configs, and reports the "
                + "live heap (after a full collection) of each connection and each listen. Needs --pid and jcmd.",
        sortOptions = false,
        mixinStandardHelpOptions = true)
final class ConnectionsCommand extends BenchmarkCommand {
    private static final int PRELIMINARY = 50;
    private static final int LISTENS_AT_ONCE = 16;
    private static final double SETTLE_SECONDS = 1;
    private static final int CONFIG_BYTES = 64;

    @Option(names = "--count", description = "connections (default: ${DEFAULT-VALUE})")
    int count = 2000;

    @Option(names = "--listens", description = "configs that each listens to; 0: none (default: ${DEFAULT-VALUE})")
    int listens = 200;

    @Option(
            names = "--settle",
            description = "seconds that the server has to release closed connections before its heap is read, twice "
                    + "(default: ${DEFAULT-VALUE})")
    double settle = 2;

    @Override
    void check() {
        Limits.within("--settle", settle, 0, 600);
        Limits.within("--count", count, 1, Limits.CONNECTIONS);
        Limits.within("--listens", listens, 0, 10_000);
    }

    @Override
    void measure(Session session, Report report) throws Exception {
        try (var published = PublishedConfigs.publish(session, "connections", Math.max(1, listens), CONFIG_BYTES)) {
            byte[] listen = ConfigMessages.listen(published.listens());
            // Classes and caches that the first connections load belong to the server, not to a connection.
            List<GrpcConnection> first = session.connect(Math.min(count, PRELIMINARY), i -> PushListener.NONE);
            listen(first, listen);
            session.close(first);
            pause(settle);
            long empty = settledHeap(session);

            List<GrpcConnection> connections = session.connect(count, i -> PushListener.NONE);
            long connected = settledHeap(session);
            report.put("connections", (long) count);
            reportHeap(session, report, "heap_bytes_per_connection", connected - empty, count);

            if (listens > 0) {
                listen(connections, listen);
                long listening = settledHeap(session);
                report.put("listens_per_connection", (long) listens);
                reportHeap(session, report, "heap_bytes_per_listen", listening - connected, (double) count * listens);
                reportHeap(session, report, "heap_bytes_per_connection_with_listens", listening - empty, count);
            }
            report.putFailures(
                    "connections_lost",
                    connections.stream().filter(one -> !one.isOpen()).count());
            Batch.run("health check", count, LISTENS_AT_ONCE, Duration.ofMinutes(2), i -> connections
                    .get(i)
                    .checkHealth());
            ServerProcess server = session.server();
            if (server != null) {
                report.put("heap_bytes_before", empty);
                report.put("server_rss_kb", server.residentKilobytes());
                report.put("server_threads", server.threads());
            }
            session.close(connections);
            pause(settle);
            reportHeap(session, report, "heap_bytes_kept_per_closed_connection", settledHeap(session) - empty, count);
        }
    }

    private void listen(List<GrpcConnection> connections, byte[] listen) throws InterruptedException {
        if (listens > 0) {
            Batch.run("listen", connections.size(), LISTENS_AT_ONCE, Duration.ofMinutes(10), i -> connections
                    .get(i)
                    .ask(listen));
        }
    }

    private static void reportHeap(Session session, Report report, String name, long bytes, double units) {
        if (session.server() != null) {
            report.put(name, bytes / units);
        }
    }

    /** 0 when the process id is not given. */
    private static long settledHeap(Session session) throws InterruptedException {
        ServerProcess server = session.server();
        if (server == null) {
            return 0;
        }
        pause(SETTLE_SECONDS);
        return server.liveHeapBytes();
    }

    private static void pause(double seconds) throws InterruptedException {
        TimeUnit.MILLISECONDS.sleep((long) (seconds * 1000));
    }
}
