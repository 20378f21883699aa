package io.cairn.benchmark;

import io.cairn.benchmark.wire.ConfigMessages;
import io.cairn.benchmark.wire.HttpConnection;
import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
        name = "http-read",
        description =
                "Reads configs of one size over HTTP v1, flat out or at a rate, a request at a time a connection.",
        sortOptions = false,
        mixinStandardHelpOptions = true)
final class HttpReadCommand extends BenchmarkCommand {
    @Option(names = "--connections", description = "(default: ${DEFAULT-VALUE})")
    int connections = 64;

    @Option(names = "--size", description = "bytes of each content (default: ${DEFAULT-VALUE})")
    int size = 5120;

    @Option(names = "--configs", description = "published before, read at random (default: ${DEFAULT-VALUE})")
    int configs = 100;

    @Option(names = "--rate", description = "reads a second; 0: flat out (default: ${DEFAULT-VALUE})")
    double rate;

    @Override
    void check() {
        Limits.within("--connections", connections, 1, Limits.CONNECTIONS);
        Limits.within("--size", size, ConfigText.SERIAL_CHARS, Limits.CONTENT_BYTES);
        Limits.within("--configs", configs, 1, Limits.CONFIGS);
        Limits.within("--rate", rate, 0, 1e6);
    }

    @Override
    void measure(Session session, Report report) throws Exception {
        try (var published = PublishedConfigs.publish(session, "http-read", configs, size)) {
            List<byte[]> requests = published.listens().stream()
                    .map(config -> ConfigMessages.httpGet(session.target().authority(), config.dataId()))
                    .toList();
            Measurement measurement = session.newMeasurement();
            var load = new Load(measurement, rate);
            List<HttpConnection> opened = session.newHttpConnections(connections);
            for (int i = 0; i < connections; i++) {
                HttpConnection connection = opened.get(i);
                var random = new SplittableRandom(options.seed + i);
                new Read(load, load.lane(connection.loop()), connection, requests, random, size);
            }
            load.start();
            measurement.watch(options.warmupTime(), options.window());
            measurement.report(report);
            report.putFailures("unanswered", load.stop());
            HttpSlot.reportReconnects(report, opened);
        }
    }

    private static final class Read extends HttpSlot {
        private final List<byte[]> requests;
        private final SplittableRandom random;
        private final int size;

        Read(
                Load load,
                Load.Lane lane,
                HttpConnection connection,
                List<byte[]> requests,
                SplittableRandom random,
                int size) {
            super(load, lane, connection);
            this.requests = requests;
            this.random = random;
            this.size = size;
        }

        @Override
        byte[] request() {
            return requests.get(random.nextInt(requests.size()));
        }

        @Override
        @Nullable
        String judge(int status, ByteBuf body) {
            return status == 200 && body.readableBytes() == size
                    ? null
                    : unexpected(status, body, "200 with " + size + " bytes");
        }
    }
}
