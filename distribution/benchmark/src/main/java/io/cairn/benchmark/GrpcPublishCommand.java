package io.cairn.benchmark;

import io.cairn.benchmark.wire.GrpcConnection;
import io.cairn.benchmark.wire.PushListener;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
        name = "grpc-publish",
        description = "Publishes new contents of random size to random keys over gRPC, flat out or at a rate.",
        sortOptions = false,
        mixinStandardHelpOptions = true)
final class GrpcPublishCommand extends BenchmarkCommand {
    @Option(names = "--connections", description = "(default: ${DEFAULT-VALUE})")
    int connections = 8;

    @Option(names = "--in-flight", description = "requests at once on each (default: ${DEFAULT-VALUE})")
    int inFlight = 32;

    @Option(names = "--size-min", description = "least bytes of a content (default: ${DEFAULT-VALUE})")
    int sizeMin = 1024;

    @Option(names = "--size-max", description = "most bytes of a content (default: ${DEFAULT-VALUE})")
    int sizeMax = 5120;

    @Option(names = "--keys", description = "configs that are published again and again (default: ${DEFAULT-VALUE})")
    int keys = 1000;

    @Option(
            names = "--prefix",
            description =
                    "first part of each dataId; runs at the same time against the nodes of a cluster need different ones"
                            + " (default: ${DEFAULT-VALUE})")
    String prefix = "grpc-publish";

    @Option(names = "--rate", description = "publishes a second; 0: flat out (default: ${DEFAULT-VALUE})")
    double rate;

    @Override
    void check() {
        Limits.within("--connections", connections, 1, Limits.CONNECTIONS);
        Limits.within("--in-flight", inFlight, 1, 1000);
        Limits.within("--size-max", sizeMax, ConfigText.SERIAL_CHARS, Limits.CONTENT_BYTES);
        Limits.within("--size-min", sizeMin, ConfigText.SERIAL_CHARS, sizeMax);
        Limits.within("--keys", keys, 1, Limits.CONFIGS);
        Limits.within("--rate", rate, 0, 1e6);
    }

    @Override
    void measure(Session session, Report report) throws Exception {
        try (var published = PublishedConfigs.publish(session, prefix, keys, sizeMax)) {
            var publishes = new Publishes(published, new AtomicLong(session.firstSerial() + keys));
            Measurement measurement = session.newMeasurement();
            measurement.countWrites();
            var load = new Load(measurement, rate);
            List<GrpcConnection> opened = session.connect(connections, i -> PushListener.NONE);
            for (int i = 0; i < connections; i++) {
                Load.Lane lane = load.lane(opened.get(i).loop());
                var random = new SplittableRandom(options.seed + i);
                for (int slot = 0; slot < inFlight; slot++) {
                    new Publish(load, lane, opened.get(i), publishes, random);
                }
            }
            load.start();
            measurement.watch(options.warmupTime(), options.window());
            measurement.report(report);
            measurement.reportWrites(report, "op");
            report.putFailures("unanswered", load.stop());
        }
    }

    private final class Publishes {
        private final List<byte[]> heads;
        private final ConfigText text;
        private final AtomicLong serial;

        Publishes(PublishedConfigs published, AtomicLong serial) {
            heads = published.publishHeads();
            text = published.text();
            this.serial = serial;
        }

        byte[] next(SplittableRandom random) {
            int size = random.nextInt(sizeMin, sizeMax + 1);
            return text.publish(heads.get(random.nextInt(heads.size())), serial.getAndIncrement(), size);
        }
    }

    private static final class Publish extends GrpcSlot {
        private final Publishes publishes;
        private final SplittableRandom random;

        Publish(Load load, Load.Lane lane, GrpcConnection connection, Publishes publishes, SplittableRandom random) {
            super(load, lane, connection);
            this.publishes = publishes;
            this.random = random;
        }

        @Override
        byte[] request() {
            return publishes.next(random);
        }
    }
}
