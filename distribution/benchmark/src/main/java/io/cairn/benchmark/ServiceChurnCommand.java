package io.cairn.benchmark;

import io.cairn.benchmark.wire.GrpcConnection;
import io.cairn.benchmark.wire.NamingMessages;
import io.cairn.benchmark.wire.NamingMessages.Instance;
import io.cairn.benchmark.wire.ViewListener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.ConcurrentHistogram;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
        name = "service-churn",
        description = "Many services with subscribers, of whose instances a share is replaced each minute; times each "
                + "replacement, from when it was due, until its subscribers have a view that shows it.",
        sortOptions = false,
        mixinStandardHelpOptions = true)
final class ServiceChurnCommand extends BenchmarkCommand {
    private static final int AT_ONCE = 64;

    @Option(names = "--services", description = "(default: ${DEFAULT-VALUE})")
    int services = 1000;

    @Option(names = "--instances", description = "of each service (default: ${DEFAULT-VALUE})")
    int instances = 10;

    @Option(names = "--subscribers", description = "connections that subscribe (default: ${DEFAULT-VALUE})")
    int subscribers = 100;

    @Option(names = "--subscriptions", description = "services of each of them (default: ${DEFAULT-VALUE})")
    int subscriptions = 50;

    @Option(
            names = "--percent",
            description = "of all instances that are replaced in a minute (default: ${DEFAULT-VALUE})")
    double percent = 1;

    @Option(
            names = "--idle",
            description = "seconds without changes, after the warm-up, to know the server's CPU time without load "
                    + "(default: ${DEFAULT-VALUE})")
    double idle = 3;

    @Option(
            names = "--drain",
            description = "seconds after the last change in which all must have been seen (default: ${DEFAULT-VALUE})")
    double drain = 10;

    @Override
    void check() {
        Limits.within("--services", services, 1, 100_000);
        Limits.within("--instances", instances, 1, 1000);
        Limits.within("--services x --instances", (double) services * instances, 1, 1_000_000);
        Limits.within("--subscribers", subscribers, 1, Limits.CONNECTIONS);
        Limits.within("--subscriptions", subscriptions, 1, services);
        Limits.within("--subscribers x all instances", (double) subscribers * services * instances, 1, 200_000_000);
        Limits.within("--percent", percent, 0.001, 100_000);
        Limits.within("--idle", idle, 0.05, 600);
        Limits.within("--drain", drain, 0, 600);
    }

    @Override
    void measure(Session session, Report report) throws Exception {
        var churn = new Churn(session);
        churn.register();
        churn.subscribe();
        churn.pushes.awaitQuiet();
        churn.run(options.warmupTime(), false);

        ServerProcess server = session.server();
        double idleCores = server == null ? 0 : server.coresDuring(Duration.ofNanos((long) (idle * 1e9)));
        Measurement measurement = session.newMeasurement();
        long before = churn.pushes.pushes();
        measurement.begin();
        long changes = churn.run(options.window(), true);
        measurement.end();
        long missing = churn.awaitShown();
        long pushes = churn.pushes.pushes() - before;

        report.put("services", (long) services);
        report.put("instances", (long) services * instances);
        report.put("changes", changes);
        report.put("changes_per_second", churn.changesPerSecond());
        report.put("pushes", pushes);
        report.putLatency("push", churn.delay);
        report.putLatency("change", churn.answers);
        measurement.reportCpu(report, "push", pushes);
        measurement.reportCpuAboveIdle(report, "push", pushes, idleCores);
        report.putFailures("failures", churn.failures.sum());
        report.putFailures("instances_not_shown", missing);
    }

    private final class Churn {
        private final Session session;
        private final String name;
        private final PushCount pushes = new PushCount();
        private final LongAdder failures = new LongAdder();
        private final ConcurrentHistogram delay = Measurement.newHistogram();
        private final ConcurrentHistogram answers = Measurement.newHistogram();
        private final AtomicIntegerArray versions = new AtomicIntegerArray(services * instances);
        /** Since when the newest version is due; negative where it is not measured. */
        private final AtomicLongArray due = new AtomicLongArray(services * instances);

        private final List<Subscriber> all = new ArrayList<>();
        private final SplittableRandom random;
        private List<GrpcConnection> providers = List.of();

        Churn(Session session) {
            this.session = session;
            name = session.newServiceName("service-churn");
            random = new SplittableRandom(options.seed);
        }

        double changesPerSecond() {
            return services * instances * percent / 100 / 60;
        }

        /** Each provider has one instance of every service, since a connection has one set of them in a service. */
        void register() throws InterruptedException {
            providers = session.connectNaming(instances, i -> ViewListener.NONE);
            Batch.run("register", services * instances, AT_ONCE, Duration.ofMinutes(10), i -> providers
                    .get(i % instances)
                    .ask(NamingMessages.register(service(i), new Instance(i, 0))));
        }

        private String service(int instance) {
            return name + "-" + instance / instances;
        }

        void subscribe() throws InterruptedException {
            for (int i = 0; i < subscribers; i++) {
                all.add(new Subscriber(i));
            }
            List<GrpcConnection> connections = session.connectNaming(subscribers, all::get);
            Batch.run("subscribe", subscribers * subscriptions, AT_ONCE, Duration.ofMinutes(10), i -> connections
                    .get(i / subscriptions)
                    .ask(NamingMessages.subscribe(
                            name + "-" + all.get(i / subscriptions).service(i % subscriptions))));
        }

        /** At least one change, then as many as are due within the time. */
        long run(Duration time, boolean measured) throws InterruptedException {
            long start = System.nanoTime();
            double interval = 1e9 / changesPerSecond();
            long changes = 0;
            do {
                long dueNanos = start + (long) (changes * interval);
                long left = dueNanos - System.nanoTime();
                if (left > 0) {
                    TimeUnit.NANOSECONDS.sleep(left);
                }
                change(random.nextInt(services * instances), dueNanos, measured);
                changes++;
            } while ((changes * interval) < time.toNanos());
            return changes;
        }

        private void change(int instance, long dueNanos, boolean measured) {
            int version = versions.get(instance) + 1;
            due.set(instance, measured ? dueNanos : -1);
            versions.set(instance, version);
            var unused = providers
                    .get(instance % instances)
                    .ask(NamingMessages.register(service(instance), new Instance(instance, version)))
                    .whenComplete((answer, failure) -> {
                        if (failure != null) {
                            failures.increment();
                        } else if (measured) {
                            Measurement.record(answers, System.nanoTime() - dueNanos);
                        }
                    });
        }

        /** How many newest versions some subscriber has not seen in the end. */
        long awaitShown() throws InterruptedException {
            long deadline = System.nanoTime() + (long) (drain * 1e9);
            long missing = missing();
            while (missing > 0 && deadline - System.nanoTime() > 0) {
                TimeUnit.MILLISECONDS.sleep(20);
                missing = missing();
            }
            return missing;
        }

        private long missing() {
            return all.stream().mapToLong(Subscriber::missing).sum();
        }

        /** One connection that subscribes to a row of services. */
        private final class Subscriber implements ViewListener {
            private final int first;
            private final AtomicIntegerArray seen = new AtomicIntegerArray(subscriptions * instances);

            Subscriber(int number) {
                first = (int) ((long) number * subscriptions % services);
            }

            int service(int subscription) {
                return (first + subscription) % services;
            }

            @Override
            public void instance(int index, int version) {
                int subscription = Math.floorMod(index / instances - first, services);
                int place = subscription * instances + index % instances;
                if (subscription < subscriptions && seen.get(place) < version) {
                    seen.set(place, version);
                    long since = due.get(index);
                    if (since > 0 && versions.get(index) == version) {
                        Measurement.record(delay, System.nanoTime() - since);
                    }
                }
            }

            @Override
            public void viewed(int bytes) {
                pushes.pushed(bytes);
            }

            long missing() {
                long missing = 0;
                for (int subscription = 0; subscription < subscriptions; subscription++) {
                    for (int i = 0; i < instances; i++) {
                        int instance = service(subscription) * instances + i;
                        missing += seen.get(subscription * instances + i) == versions.get(instance) ? 0 : 1;
                    }
                }
                return missing;
            }
        }
    }
}
