package io.cairn.benchmark;

import io.cairn.benchmark.wire.GrpcConnection;
import io.cairn.benchmark.wire.NamingMessages;
import io.cairn.benchmark.wire.NamingMessages.Instance;
import io.cairn.benchmark.wire.ViewListener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.DoubleSupplier;
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

    /** Servers look some seconds after a push whether it was answered. */
    private static final long SETTLE_MILLIS = 4_000;

    @Option(names = "--subscribers", description = "connections (default: ${DEFAULT-VALUE})")
    int subscribers = 100;

    @Option(
            names = "--instances",
            description = "of the service beside the one that changes (default: ${DEFAULT-VALUE})")
    int instances = 10;

    @Option(names = "--metadata-entries", description = "of each instance (default: ${DEFAULT-VALUE})")
    int metadataEntries = Instance.FEWEST_ENTRIES;

    @Option(names = "--gzip", description = "take compressed pushes; bytes_per_push counts what travels")
    boolean gzip;

    @Option(names = "--deltas", description = "subscribe as Cairn's Java client does: pushes hold what has changed")
    boolean deltas;

    @Option(
            names = "--pause-ms",
            description = "after all have seen a change, before the next one (default: ${DEFAULT-VALUE})")
    int pauseMillis = 200;

    @Option(
            names = "--idle",
            description = "seconds without changes, after the warm-up, to know the server's CPU time without load "
                    + "(default: ${DEFAULT-VALUE})")
    double idle = 3;

    @Option(
            names = "--beside",
            paramLabel = "host:port=pid",
            description = "a further server, which has each change in turn with the first, so that all are measured in "
                    + "the same seconds; again for more of them (figures: beside_1_...)")
    Map<String, Long> beside = new LinkedHashMap<>();

    @Override
    void check() {
        Limits.within("--subscribers", subscribers, 1, Limits.CONNECTIONS);
        Limits.within("--instances", instances, 0, 5_000);
        Limits.within("--metadata-entries", metadataEntries, Instance.FEWEST_ENTRIES, 20);
        Limits.within("--pause-ms", pauseMillis, 0, 60_000);
        Limits.within("--idle", idle, 0.05, 600);
        beside.values().forEach(pid -> Limits.within("--beside pid", (double) pid, 1, Integer.MAX_VALUE));
    }

    @Override
    void measure(Session session, Report report) throws Exception {
        var sessions = new ArrayList<Session>();
        try {
            var courses = new ArrayList<Course>();
            courses.add(new Course(session));
            for (Map.Entry<String, Long> server : beside.entrySet()) {
                var next = new Session(options, Target.parse(server.getKey()), server.getValue());
                sessions.add(next);
                next.logIn();
                courses.add(new Course(next));
            }
            play(courses, options.warmupTime(), false);
            TimeUnit.MILLISECONDS.sleep(SETTLE_MILLIS);
            courses.forEach(Course::beginIdle);
            TimeUnit.NANOSECONDS.sleep((long) (idle * 1e9));
            courses.forEach(Course::begin);
            play(courses, options.window(), true);
            courses.forEach(Course::end);
            courses.get(0).report(report);
            for (int i = 1; i < courses.size(); i++) {
                var other = new Report();
                other.put("server", courses.get(i).session.target().authority());
                courses.get(i).report(other);
                report.putAll("beside_" + i + "_", other);
            }
        } finally {
            sessions.forEach(Session::close);
        }
    }

    /** At least one change on each, then as many as begin within the time. */
    private void play(List<Course> courses, Duration time, boolean measured) throws InterruptedException {
        long deadline = System.nanoTime() + time.toNanos();
        do {
            for (Course course : courses) {
                course.rounds.play(measured);
                TimeUnit.MILLISECONDS.sleep(pauseMillis);
            }
        } while (deadline - System.nanoTime() > 0);
    }

    /** The service on one server, and all who subscribe to it. */
    private final class Course {
        private final Session session;
        private final Rounds rounds;
        private final Measurement measurement;
        private DoubleSupplier idleCores = () -> 0;
        private double idleShare;
        private long pushesBefore;
        private int changesBefore;

        Course(Session session) throws InterruptedException {
            this.session = session;
            if (gzip) {
                session.takeGzip();
            }
            String service = session.newServiceName("service-push");
            if (instances > 0) {
                GrpcConnection provider = session.connectNaming();
                List<Instance> steady = IntStream.rangeClosed(1, instances)
                        .mapToObj(i -> new Instance(CHANGING + i, 0, metadataEntries))
                        .toList();
                Batch.run(
                        "register",
                        1,
                        1,
                        Duration.ofSeconds(30),
                        i -> provider.ask(NamingMessages.registerAll(service, steady)));
            }
            rounds = new Rounds(service, session.connectNaming());
            List<GrpcConnection> connections = session.connectNaming(subscribers, i -> rounds.new Subscriber());
            byte[] subscribe = NamingMessages.subscribe(service, deltas);
            Batch.run("subscribe", subscribers, 16, Duration.ofMinutes(2), i -> connections
                    .get(i)
                    .ask(subscribe));
            rounds.pushes.awaitQuiet();
            measurement = session.newMeasurement();
        }

        void beginIdle() {
            ServerProcess server = session.server();
            idleCores = server == null ? () -> 0 : server.coresFromNow();
        }

        void begin() {
            idleShare = idleCores.getAsDouble();
            pushesBefore = rounds.pushes.pushes();
            changesBefore = rounds.played;
            measurement.begin();
        }

        void end() {
            measurement.end();
        }

        void report(Report report) {
            long changes = (long) rounds.played - changesBefore;
            long pushes = rounds.pushes.pushes() - pushesBefore;
            report.put("changes", changes);
            report.put("pushes", pushes);
            report.put("pushes_per_change_and_subscriber", (double) pushes / changes / subscribers);
            report.put("bytes_per_push", rounds.pushes.bytes() / Math.max(1, rounds.pushes.pushes()));
            report.putLatency("push", rounds.each);
            report.putLatency("last_push", rounds.last);
            report.putLatency("change", rounds.changes);
            measurement.reportCpu(report, "push", pushes);
            measurement.reportCpuAboveIdle(report, "push", pushes, idleShare);
            report.putFailures("pushes_missing", rounds.missing);
            report.put("pushes_of_another_state", rounds.otherwise.sum());
        }
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

        void play(boolean measured) throws InterruptedException {
            played++;
            boolean leaves = played % 3 == 0;
            byte[] change = leaves
                    ? NamingMessages.deregister(service, new Instance(CHANGING, played - 1, metadataEntries))
                    : NamingMessages.register(service, new Instance(CHANGING, played, metadataEntries));
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
