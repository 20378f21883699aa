package io.cairn.benchmark;

import io.cairn.benchmark.wire.Envelope;
import io.cairn.benchmark.wire.GrpcConnection;
import io.cairn.benchmark.wire.PushListener;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
        name = "grpc-read",
        description = "Reads configs of one size over gRPC, flat out or at a rate.",
        sortOptions = false,
        mixinStandardHelpOptions = true)
final class GrpcReadCommand extends BenchmarkCommand {
    @Option(names = "--connections", description = "(default: ${DEFAULT-VALUE})")
    int connections = 8;

    @Option(names = "--in-flight", description = "requests at once on each (default: ${DEFAULT-VALUE})")
    int inFlight = 16;

    @Option(names = "--size", description = "bytes of each content (default: ${DEFAULT-VALUE})")
    int size = 5120;

    @Option(names = "--configs", description = "published before, read at random (default: ${DEFAULT-VALUE})")
    int configs = 200;

    @Option(names = "--rate", description = "reads a second; 0: flat out (default: ${DEFAULT-VALUE})")
    double rate;

    @Override
    void check() {
        Limits.within("--connections", connections, 1, Limits.CONNECTIONS);
        Limits.within("--in-flight", inFlight, 1, 1000);
        Limits.within("--size", size, ConfigText.SERIAL_CHARS, Limits.CONTENT_BYTES);
        Limits.within("--configs", configs, 1, Limits.CONFIGS);
        Limits.within("--rate", rate, 0, 1e6);
    }

    @Override
    void measure(Session session, Report report) throws Exception {
        try (var published = PublishedConfigs.publish(session, "grpc-read", configs, size)) {
            List<byte[]> queries = published.queries();
            Measurement measurement = session.newMeasurement();
            var load = new Load(measurement, rate);
            List<GrpcConnection> opened = session.connect(connections, i -> PushListener.NONE);
            for (int i = 0; i < connections; i++) {
                Load.Lane lane = load.lane(opened.get(i).loop());
                var random = new SplittableRandom(options.seed + i);
                for (int slot = 0; slot < inFlight; slot++) {
                    new Read(load, lane, opened.get(i), queries, random, size);
                }
            }
            load.start();
            measurement.watch(options.warmupTime(), options.window());
            measurement.report(report);
            report.putFailures("unanswered", load.stop());
        }
    }

    private static final class Read extends GrpcSlot {
        private final List<byte[]> queries;
        private final SplittableRandom random;
        private final int size;

        Read(
                Load load,
                Load.Lane lane,
                GrpcConnection connection,
                List<byte[]> queries,
                SplittableRandom random,
                int size) {
            super(load, lane, connection);
            this.queries = queries;
            this.random = random;
            this.size = size;
        }

        @Override
        byte[] request() {
            return queries.get(random.nextInt(queries.size()));
        }

        @Override
        @Nullable
        String judge(Envelope answer) {
            if (answer.bodyBytes() < size && answer.isSuccess()) {
                return "an answer of " + answer.bodyBytes() + " bytes (expected: a content of " + size + ")";
            }
            return answer.refusal();
        }
    }
}
