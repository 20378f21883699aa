package io.cairn.benchmark;

import io.cairn.benchmark.wire.Envelope;
import io.cairn.benchmark.wire.GrpcConnection;
import io.cairn.benchmark.wire.NamingMessages;
import io.cairn.benchmark.wire.NamingMessages.Instance;
import io.cairn.benchmark.wire.ViewListener;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
        name = "service-capacity",
        description = "Registers services x instances, says how fast that went and what live heap (after a full "
                + "collection) each instance takes, then reads services at random over gRPC.",
        sortOptions = false,
        mixinStandardHelpOptions = true)
final class ServiceCapacityCommand extends BenchmarkCommand {
    private static final int AT_ONCE = 64;

    @Option(names = "--services", description = "(default: ${DEFAULT-VALUE})")
    int services = 10_000;

    @Option(names = "--instances", description = "of each service (default: ${DEFAULT-VALUE})")
    int instances = 10;

    @Option(
            names = "--connections",
            description = "that the instances belong to; fewer than instances: each registers several at once "
                    + "(default: ${DEFAULT-VALUE})")
    int connections = 10;

    @Option(names = "--in-flight", description = "reads at once (default: ${DEFAULT-VALUE})")
    int inFlight = 16;

    @Option(names = "--rate", description = "reads a second; 0: flat out (default: ${DEFAULT-VALUE})")
    double rate;

    @Override
    void check() {
        Limits.within("--services", services, 1, 1_000_000);
        Limits.within("--instances", instances, 1, 10_000);
        Limits.within("--services x --instances", (double) services * instances, 1, 4_000_000);
        Limits.within("--connections", connections, 1, Math.min(instances, Limits.CONNECTIONS));
        Limits.within("--in-flight", inFlight, 1, 1000);
        Limits.within("--rate", rate, 0, 1e6);
    }

    @Override
    void measure(Session session, Report report) throws Exception {
        String name = session.newServiceName("service-capacity");
        ServerProcess server = session.server();
        List<GrpcConnection> providers = session.connectNaming(connections, i -> ViewListener.NONE);
        long heapBefore = server == null ? 0 : server.liveHeapBytes();
        Measurement registration = session.newMeasurement();
        registration.begin();
        long start = System.nanoTime();
        int requests = services * connections;
        Batch.run("register", requests, AT_ONCE, Duration.ofMinutes(10), i -> providers
                .get(i % connections)
                .ask(registration(name, i / connections, i % connections)));
        double seconds = (System.nanoTime() - start) / 1e9;
        registration.end();

        long all = (long) services * instances;
        report.put("services", (long) services);
        report.put("instances", all);
        report.put("register_seconds", seconds);
        report.put("registered_per_second", all / seconds);
        registration.reportCpu(report, "registration", requests);
        if (server != null) {
            TimeUnit.SECONDS.sleep(1);
            long heap = server.liveHeapBytes();
            report.put("heap_bytes_per_instance", (double) (heap - heapBefore) / all);
            report.put("heap_bytes_per_service", (double) (heap - heapBefore) / services);
        }
        read(session, report, name);
    }

    private byte[] registration(String name, int service, int provider) {
        int from = instances * provider / connections;
        int to = instances * (provider + 1) / connections;
        String own = name + "-" + service;
        // The address repeats from service to service, as the pods of a node do.
        return to - from == 1
                ? NamingMessages.register(own, new Instance(from, 0))
                : NamingMessages.registerAll(
                        own,
                        IntStream.range(from, to)
                                .mapToObj(i -> new Instance(i, 0))
                                .toList());
    }

    private void read(Session session, Report report, String name) throws InterruptedException {
        Measurement measurement = session.newMeasurement();
        var load = new Load(measurement, rate);
        GrpcConnection reader = session.connectNaming();
        Load.Lane lane = load.lane(reader.loop());
        var random = new SplittableRandom(options.seed);
        for (int slot = 0; slot < inFlight; slot++) {
            new Read(load, lane, reader, name, random);
        }
        load.start();
        measurement.watch(options.warmupTime(), options.window());
        var reads = new Report();
        measurement.report(reads);
        reads.putFailures("unanswered", load.stop());
        report.putAll("read_", reads);
    }

    private final class Read extends GrpcSlot {
        private final String name;
        private final SplittableRandom random;

        Read(Load load, Load.Lane lane, GrpcConnection connection, String name, SplittableRandom random) {
            super(load, lane, connection);
            this.name = name;
            this.random = random;
        }

        @Override
        byte[] request() {
            return NamingMessages.query(name + "-" + random.nextInt(services));
        }

        @Override
        @Nullable
        String judge(Envelope answer) {
            if (answer.isSuccess() && !answer.body().contains(new Instance(instances - 1, 0).mark())) {
                return "a service does not show its last instance";
            }
            return answer.refusal();
        }
    }
}
