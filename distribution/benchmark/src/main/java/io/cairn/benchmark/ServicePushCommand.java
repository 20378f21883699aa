package io.cairn.benchmark;

import io.cairn.benchmark.wire.GrpcConnection;
import io.cairn.benchmark.wire.NamingMessages;
import io.cairn.benchmark.wire.NamingMessages.Instance;
import io.cairn.benchmark.wire.ViewListener;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.IntStream;
import org.HdrHistogram.ConcurrentHistogram;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
        name = "service-push",
        description = "Many connections subscribe to one service; an instance of it is registered, updated and "
                + "deregistered in turn, and each change is timed until every subscriber has a view that shows it.",
        sortOptions = false,
        mixinStandardHelpOptions = true)
final class ServicePushCommand extends BenchmarkCommand {
    private static final long ROUND_SECONDS = 10;
    private static final int CHANGING = 0;

    @Option(names = "--subscribers", description = "connections (default: ${DEFAULT-VALUE})")
    int subscribers = 100;

    @Option(
            names = "--instances",
            description = "of the service beside the one that changes (default: ${DEFAULT-VALUE})")
    int instances = 10;

    @Option(
            names = "--pause-ms",
            description = "after all have seen a change, before the next one (default: ${DEFAULT-VALUE})")
    int pauseMillis = 200;

    @Option(
            names = "--idle",
            description = "seconds without changes, after the warm-up, to know the server's CPU time without load "
                    + "(default: ${DEFAULT-VALUE})")
    double idle = 3;

    @Override
    void check() {
        Limits.within("--subscribers", subscribers, 1, Limits.CONNECTIONS);
        Limits.within("--instances", instances, 0, 5_000);
        Limits.within("--pause-ms", pauseMillis, 0, 60_000);
        Limits.within("--idle", idle, 0.05, 600);
    }

    @Override
    void measure(Session session, Report report) throws Exception {
        String service = session.newServiceName("service-push");
        if (instances > 0) {
            GrpcConnection provider = session.connectNaming();
            List<Instance> steady = IntStream.rangeClosed(1, instances)
                    .mapToObj(i -> new Instance(CHANGING + i, 0))
                    .toList();
            Batch.run(
                    "register",
                    1,
                    1,
                    Duration.ofSeconds(30),
                    i -> provider.ask(NamingMessages.registerAll(service, steady)));
        }
        var rounds = new Rounds(service, session.connectNaming());
        List<GrpcConnection> connections = session.connectNaming(subscribers, i -> rounds.new Subscriber());
        byte[] subscribe = NamingMessages.subscribe(service);
        Batch.run("subscribe", subscribers, 16, Duration.ofMinutes(2), i -> connections
                .get(i)
                .ask(subscribe));
        rounds.pushes.awaitQuiet();
        rounds.play(options.warmupTime(), false);

        ServerProcess server = session.server();
        double idleCores = server == null ? 0 : server.coresDuring(Duration.ofNanos((long) (idle * 1e9)));
        Measurement measurement = session.newMeasurement();
        long before = rounds.pushes.pushes();
        measurement.begin();
        long changes = rounds.play(options.window(), true);
        measurement.end();
        long pushes = rounds.pushes.pushes() - before;

        report.put("changes", changes);
        report.put("pushes", pushes);
        report.put("pushes_per_change_and_subscriber", (double) pushes / changes / subscribers);
        report.put("bytes_per_push", rounds.pushes.bytes() / Math.max(1, rounds.pushes.pushes()));
        report.putLatency("push", rounds.each);
        report.putLatency("last_push", rounds.last);
        report.putLatency("change", rounds.changes);
        measurement.reportCpu(report, "push", pushes);
        measurement.reportCpuAboveIdle(report, "push", pushes, idleCores);
        report.putFailures("pushes_missing", rounds.missing);
        report.put("pushes_of_another_state", rounds.otherwise.sum());
    }

    private final class Rounds {
        private static final int ABSENT = -1;

        private final String service;
        private final GrpcConnection changer;
        private final PushCount pushes = new PushCount();
        private final LongAdder otherwise = new LongAdder();
        private final ConcurrentHistogram each = Measurement.newHistogram();
        private final ConcurrentHistogram last = Measurement.newHistogram();
        private final ConcurrentHistogram changes = Measurement.newHistogram();
        private volatile Round current = new Round(0, ABSENT, 0, false, new CountDownLatch(0));
        private volatile long latestNanos;
        private int played;
        private long missing;

        Rounds(String service, GrpcConnection changer) {
            this.service = service;
            this.changer = changer;
        }

        /** At least one round, then as many as begin within the time. */
        long play(Duration time, boolean measured) throws InterruptedException {
            long deadline = System.nanoTime() + time.toNanos();
            int before = played;
            do {
                playOne(measured);
                TimeUnit.MILLISECONDS.sleep(pauseMillis);
            } while (deadline - System.nanoTime() > 0);
            return (long) played - before;
        }

        private void playOne(boolean measured) throws InterruptedException {
            played++;
            boolean leaves = played % 3 == 0;
            byte[] change = leaves
                    ? NamingMessages.deregister(service, new Instance(CHANGING, played - 1))
                    : NamingMessages.register(service, new Instance(CHANGING, played));
            var outstanding = new CountDownLatch(subscribers);
            var round = new Round(played, leaves ? ABSENT : played, System.nanoTime(), measured, outstanding);
            current = round;
            Batch.run("change", 1, 1, Duration.ofSeconds(ROUND_SECONDS), i -> changer.ask(change));
            if (measured) {
                Measurement.record(changes, System.nanoTime() - round.startNanos);
            }
            if (!outstanding.await(ROUND_SECONDS, TimeUnit.SECONDS)) {
                missing += outstanding.getCount();
            } else if (measured) {
                Measurement.record(last, latestNanos - round.startNanos);
            }
        }

        /** One connection that subscribes. */
        private final class Subscriber implements ViewListener {
            private int shown = ABSENT;
            private int seen;

            @Override
            public void instance(int index, int version) {
                if (index == CHANGING) {
                    shown = version;
                }
            }

            @Override
            public void viewed(int bytes) {
                long now = System.nanoTime();
                Round round = current;
                pushes.pushed(bytes);
                boolean showsIt = shown == round.version;
                shown = ABSENT;
                if (!showsIt) {
                    otherwise.increment();
                } else if (seen != round.number) {
                    seen = round.number;
                    if (round.measured) {
                        Measurement.record(each, now - round.startNanos);
                    }
                    latestNanos = now;
                    round.outstanding.countDown();
                }
            }
        }
    }

    /** @param version of the instance that a view shows after this change */
    private record Round(int number, int version, long startNanos, boolean measured, CountDownLatch outstanding) {}
}
