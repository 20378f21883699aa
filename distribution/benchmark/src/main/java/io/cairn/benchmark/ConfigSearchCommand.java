package io.cairn.benchmark;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.cairn.benchmark.wire.ConfigMessages;
import io.cairn.benchmark.wire.HttpConnection;
import io.netty.buffer.ByteBuf;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
        name = "config-search",
        description =
                "Publishes many configs, then asks for pages of searches among their names over HTTP v1, one search "
                        + "after the other; each kind for --seconds.",
        sortOptions = false,
        mixinStandardHelpOptions = true)
final class ConfigSearchCommand extends BenchmarkCommand {
    private static final int PAGE = 20;

    @Option(names = "--configs", description = "published before (default: ${DEFAULT-VALUE})")
    int configs = 100_000;

    @Option(names = "--size", description = "bytes of each content (default: ${DEFAULT-VALUE})")
    int size = 1024;

    @Option(names = "--connections", description = "that search at the same time (default: ${DEFAULT-VALUE})")
    int connections = 1;

    @Option(names = "--rate", description = "searches a second; 0: flat out (default: ${DEFAULT-VALUE})")
    double rate;

    @Override
    void check() {
        Limits.within("--configs", configs, PAGE, Limits.CONFIGS);
        Limits.within("--size", size, ConfigText.SERIAL_CHARS, Limits.CONTENT_BYTES);
        Limits.within("--connections", connections, 1, 100);
        Limits.within("--rate", rate, 0, 1e5);
    }

    @Override
    void measure(Session session, Report report) throws Exception {
        try (var published = PublishedConfigs.publish(session, "search", configs, size)) {
            String host = session.target().authority();
            report.put("configs", (long) published.count());
            Map<String, byte[]> searches = new LinkedHashMap<>();
            searches.put("first_page", ConfigMessages.httpSearch(host, "search-*", 1));
            searches.put("middle_page", ConfigMessages.httpSearch(host, "search-*", configs / PAGE / 2 + 1));
            searches.put("part_of_name", ConfigMessages.httpSearch(host, "*-" + configs / 2 + "*", 1));
            searches.put("whole_name", ConfigMessages.httpSearch(host, published.dataId(configs / 2), 1));
            for (Map.Entry<String, byte[]> search : searches.entrySet()) {
                var figures = new Report();
                measure(session, figures, search.getValue(), options.warmupTime());
                report.putAll(search.getKey() + "_", figures);
            }
        }
    }

    private void measure(Session session, Report report, byte[] request, Duration warmup) throws InterruptedException {
        Measurement measurement = session.newMeasurement();
        var load = new Load(measurement, rate);
        for (HttpConnection connection : session.newHttpConnections(connections)) {
            new Search(load, load.lane(connection.loop()), connection, request);
        }
        load.start();
        measurement.watch(warmup, options.window());
        measurement.report(report);
        report.putFailures("unanswered", load.stop());
    }

    private static final class Search extends HttpSlot {
        private final byte[] request;

        Search(Load load, Load.Lane lane, HttpConnection connection, byte[] request) {
            super(load, lane, connection);
            this.request = request;
        }

        @Override
        byte[] request() {
            return request;
        }

        @Override
        @Nullable
        String judge(int status, ByteBuf body) {
            boolean found = body.toString(UTF_8).contains("\"dataId\":\"search-");
            return status == 200 && found ? null : unexpected(status, body, "200 with configs");
        }
    }
}
