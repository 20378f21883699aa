package io.cairn.benchmark;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.cairn.benchmark.wire.ConfigMessages;
import io.cairn.benchmark.wire.HttpConnection;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
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
            var opened = new ArrayList<HttpConnection>();
            for (int i = 0; i < connections; i++) {
                HttpConnection connection = session.newHttpConnection();
                opened.add(connection);
                var random = new SplittableRandom(options.seed + i);
                new Read(load, load.lane(connection.loop()), connection, requests, random, size);
            }
            load.start();
            measurement.watch(options.warmupTime(), options.window());
            measurement.report(report);
            report.putFailures("unanswered", load.stop());
            int connects = opened.stream().mapToInt(HttpConnection::connects).sum();
            report.put("reconnects", (long) connects - connections);
        }
    }

    private static final class Read extends Load.Slot implements HttpConnection.Listener {
        private final HttpConnection connection;
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
            super(load, lane);
            this.connection = connection;
            this.requests = requests;
            this.random = random;
            this.size = size;
        }

        @Override
        boolean canIssue() {
            return true;
        }

        @Override
        void issue() {
            connection.send(requests.get(random.nextInt(requests.size())), this);
        }

        @Override
        public void answered(int status, ByteBuf body) {
            if (status == 200 && body.readableBytes() == size) {
                succeeded();
            } else {
                String text = body.toString(body.readerIndex(), Math.min(200, body.readableBytes()), UTF_8);
                lost("HTTP " + status + " with " + body.readableBytes() + " bytes (expected: 200 with " + size + "): "
                        + text.strip());
            }
        }

        @Override
        public void failed(String cause) {
            lost(cause);
        }
    }
}
