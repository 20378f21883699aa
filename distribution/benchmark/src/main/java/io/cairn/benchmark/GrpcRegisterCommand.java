package io.cairn.benchmark;

import io.cairn.benchmark.wire.GrpcConnection;
import io.cairn.benchmark.wire.NamingMessages;
import io.cairn.benchmark.wire.NamingMessages.Instance;
import io.cairn.benchmark.wire.ViewListener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
        name = "grpc-register",
        description = "Each connection registers an ephemeral instance of its own in every service, repeatedly, "
                + "without a limit or at a rate; then checks that the services show the last registrations.",
        sortOptions = false,
        mixinStandardHelpOptions = true)
final class GrpcRegisterCommand extends BenchmarkCommand {
    private static final int SERVICES_LOOKED_AT = 100;
    private static final int LOOKS = 50;
    private static final long LOOK_PAUSE_MILLIS = 100;

    /** The order of the requests about one instance. */
    enum Cycle {
        /** Register, register with other metadata, deregister. */
        mixed,
        /** Register with other metadata each time. */
        update,
        /** The same registration each time, as clients repeat it after a reconnect. */
        repeat
    }

    @Option(names = "--connections", description = "(default: ${DEFAULT-VALUE})")
    int connections = 8;

    @Option(names = "--in-flight", description = "requests at once on each (default: ${DEFAULT-VALUE})")
    int inFlight = 16;

    @Option(names = "--services", description = "with an instance of each connection (default: ${DEFAULT-VALUE})")
    int services = 1000;

    @Option(
            names = "--cycle",
            description =
                    "mixed: register, register with other metadata, deregister; update: other metadata each time; "
                            + "repeat: the same each time (default: ${DEFAULT-VALUE})")
    Cycle cycle = Cycle.mixed;

    @Option(names = "--rate", description = "requests a second; 0: no limit (default: ${DEFAULT-VALUE})")
    double rate;

    @Override
    void check() {
        Limits.within("--connections", connections, 1, Limits.CONNECTIONS);
        Limits.within("--in-flight", inFlight, 1, 1000);
        Limits.within("--services", services, inFlight, Limits.INSTANCES);
        Limits.within("--services x --connections", (double) services * connections, 1, Limits.INSTANCES);
        Limits.within("--rate", rate, 0, 1e6);
    }

    @Override
    void measure(Session session, Report report) throws Exception {
        Measurement measurement = session.newMeasurement();
        var load = new Load(measurement, rate);
        String name = session.newServiceName("grpc-register");
        List<GrpcConnection> opened = session.connectNaming(connections, i -> ViewListener.NONE);
        var owned = new ArrayList<Owned>();
        for (int i = 0; i < connections; i++) {
            var instances = new Owned(name, i);
            owned.add(instances);
            Load.Lane lane = load.lane(opened.get(i).loop());
            for (int slot = 0; slot < inFlight; slot++) {
                new Registration(load, lane, opened.get(i), instances, slot);
            }
        }
        load.start();
        measurement.watch(options.warmupTime(), options.window());
        measurement.report(report);
        long unanswered = load.stop();
        report.putFailures("unanswered", unanswered);
        if (unanswered == 0 && measurement.failures() == 0) {
            report.putFailures("services_with_wrong_instances", countWrong(opened.get(0), name, owned));
        }
    }

    /** A server may need a moment until a query shows an acknowledged registration. */
    private long countWrong(GrpcConnection connection, String name, List<Owned> owned) throws InterruptedException {
        long wrong = 0;
        int looks = LOOKS;
        for (int service = 0; service < Math.min(services, SERVICES_LOOKED_AT); service++) {
            while (!isShown(connection, name, owned, service)) {
                if (--looks <= 0) {
                    wrong++;
                    break;
                }
                TimeUnit.MILLISECONDS.sleep(LOOK_PAUSE_MILLIS);
            }
        }
        return wrong;
    }

    private static boolean isShown(GrpcConnection connection, String name, List<Owned> owned, int service)
            throws InterruptedException {
        var answer = new ArrayList<String>();
        Batch.run("query", 1, 1, Duration.ofSeconds(30), i -> connection
                .ask(NamingMessages.query(name + "-" + service))
                .thenAccept(answer::add));
        String view = answer.get(0);
        int marks = 0;
        for (int at = view.indexOf("\"~"); at >= 0; at = view.indexOf("\"~", at + 1)) {
            marks++;
        }
        List<String> expected =
                owned.stream().flatMap(one -> one.expected(service).stream()).toList();
        return marks == expected.size() && expected.stream().allMatch(view::contains);
    }

    /** The instances of one connection. Used on its event loop, and after the load. */
    private final class Owned {
        private final int firstIndex;
        private final List<byte[]> registrations = new ArrayList<>();
        private final List<byte[]> updates = new ArrayList<>();
        private final List<byte[]> deregistrations = new ArrayList<>();
        private final int[] steps = new int[services];

        Owned(String name, int connection) {
            firstIndex = connection * services;
            for (int i = 0; i < services; i++) {
                String service = name + "-" + i;
                registrations.add(NamingMessages.register(service, new Instance(firstIndex + i, 0)));
                updates.add(NamingMessages.register(service, new Instance(firstIndex + i, 1)));
                deregistrations.add(NamingMessages.deregister(service, new Instance(firstIndex + i, 1)));
            }
        }

        byte[] next(int service) {
            return requestOf(steps[service]++).get(service);
        }

        private List<byte[]> requestOf(int step) {
            return switch (cycle) {
                case mixed ->
                    switch (step % 3) {
                        case 0 -> registrations;
                        case 1 -> updates;
                        default -> deregistrations;
                    };
                case update -> step % 2 == 0 ? registrations : updates;
                case repeat -> registrations;
            };
        }

        /** The mark of the instance that should be registered, if any. */
        List<String> expected(int service) {
            if (steps[service] == 0) {
                return List.of();
            }
            List<byte[]> last = requestOf(steps[service] - 1);
            int index = firstIndex + service;
            return last == deregistrations ? List.of() : List.of(new Instance(index, last == updates ? 1 : 0).mark());
        }
    }

    /** Cycles through the services that no other slot of its connection uses. */
    private final class Registration extends GrpcSlot {
        private final Owned owned;
        private final int first;
        private int service;

        Registration(Load load, Load.Lane lane, GrpcConnection connection, Owned owned, int slot) {
            super(load, lane, connection);
            this.owned = owned;
            first = slot;
            service = slot;
        }

        @Override
        byte[] request() {
            byte[] request = owned.next(service);
            service = service + inFlight < services ? service + inFlight : first;
            return request;
        }
    }
}
