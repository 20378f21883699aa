package io.cairn.benchmark;

import io.cairn.benchmark.wire.ConfigMessages;
import io.cairn.benchmark.wire.ConfigMessages.Listen;
import io.cairn.benchmark.wire.Envelope;
import io.cairn.benchmark.wire.Envelope.Member;
import io.cairn.benchmark.wire.GrpcConnection;
import io.cairn.benchmark.wire.PushListener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.ConcurrentHistogram;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
        name = "push",
        description = "Publishes changes at a rate and times each notification, from the start of the publish call.",
        sortOptions = false,
        mixinStandardHelpOptions = true)
final class PushCommand extends BenchmarkCommand {
    private static final int PUBLISHES_AT_ONCE = 64;
    private static final long DRAIN_MILLIS = 5_000;
    private static final long DRAIN_POLL_MILLIS = 10;

    @Option(names = "--subscribers", description = "connections that listen to all configs (default: ${DEFAULT-VALUE})")
    int subscribers = 10;

    @Option(names = "--configs", description = "changed in turn (default: ${DEFAULT-VALUE})")
    int configs = 100;

    @Option(names = "--size", description = "bytes of each content (default: ${DEFAULT-VALUE})")
    int size = 1024;

    @Option(names = "--rate", description = "changes a second (default: ${DEFAULT-VALUE})")
    double rate = 500;

    @Option(
            names = "--re-listen",
            description =
                    "after a notification do what the Java SDK does: listen with the old digest, read, listen again")
    boolean reListen;

    @Override
    void check() {
        Limits.within("--subscribers", subscribers, 1, Limits.CONNECTIONS);
        Limits.within("--configs", configs, 1, 10_000);
        Limits.within("--subscribers x --configs", (double) subscribers * configs, 1, 20_000_000);
        Limits.within("--size", size, ConfigText.SERIAL_CHARS, Limits.CONTENT_BYTES);
        Limits.within("--rate", rate, 0.1, 1e5);
    }

    @Override
    void measure(Session session, Report report) throws Exception {
        try (var published = PublishedConfigs.publish(session, "push", configs, size)) {
            Measurement publishes = session.newMeasurement();
            var watch = new Watch(published, publishes);
            watch.start(session);

            var load = new Load(publishes, rate);
            GrpcConnection publisher = session.connect();
            Load.Lane lane = load.lane(publisher.loop());
            var serial = new AtomicLong(session.firstSerial() + configs);
            List<byte[]> heads = published.publishHeads();
            for (int slot = 0; slot < PUBLISHES_AT_ONCE; slot++) {
                new Publish(load, lane, publisher, serial, heads, published.text(), watch);
            }
            load.start();
            publishes.watch(options.warmupTime(), options.window());
            publishes.report(report);
            report.putFailures("unanswered", load.stop());
            watch.report(report, publishes);
        }
    }

    /** The subscribers, and the time from which each notification is due. */
    private final class Watch {
        private final PublishedConfigs published;
        private final Measurement measurement;
        private final ConcurrentHistogram delay = Measurement.newHistogram();
        private final LongAdder extra = new LongAdder();
        private final LongAdder unknown = new LongAdder();
        private final List<Subscriber> all = new ArrayList<>();

        Watch(PublishedConfigs published, Measurement measurement) {
            this.published = published;
            this.measurement = measurement;
        }

        void start(Session session) throws InterruptedException {
            for (int i = 0; i < subscribers; i++) {
                all.add(new Subscriber(this));
            }
            List<GrpcConnection> connections = session.connect(subscribers, all::get);
            byte[] listen = ConfigMessages.listen(published.listens());
            Batch.run("listen", subscribers, 16, Duration.ofMinutes(2), i -> connections
                    .get(i)
                    .ask(listen)
                    .thenAccept(answer -> {
                        if (answer.contains("\"dataId\"")) {
                            throw new IllegalStateException("unchanged configs are answered as changed: " + answer);
                        }
                    }));
        }

        void publishing(int config) {
            long now = System.nanoTime();
            for (Subscriber subscriber : all) {
                subscriber.due.compareAndSet(config, 0, now);
            }
        }

        void report(Report report, Measurement publishes) throws InterruptedException {
            long missing = missing();
            for (long waited = 0; missing > 0 && waited < DRAIN_MILLIS; waited += DRAIN_POLL_MILLIS) {
                TimeUnit.MILLISECONDS.sleep(DRAIN_POLL_MILLIS);
                missing = missing();
            }
            long pushes = delay.getTotalCount();
            report.put("notifications", pushes);
            publishes.reportCpu(report, "notification", pushes);
            report.putLatency("notification", delay);
            report.putFailures("notifications_missing", missing);
            report.put("notifications_extra", extra.sum());
            report.putFailures("notifications_of_unknown_configs", unknown.sum());
            publishes.reportFailures(report);
            if (pushes == 0) {
                report.putFailures("windows_without_a_notification", 1);
            }
        }

        private long missing() {
            long missing = 0;
            for (Subscriber subscriber : all) {
                for (int i = 0; i < configs; i++) {
                    missing += subscriber.due.get(i) == 0 ? 0 : 1;
                }
            }
            return missing;
        }
    }

    /** One connection that listens to all configs. */
    private final class Subscriber implements PushListener {
        /** The start of the oldest publish not yet notified, by config; 0 for none. */
        private final AtomicLongArray due = new AtomicLongArray(configs);

        private final Watch watch;
        private final String[] digests;

        Subscriber(Watch watch) {
            this.watch = watch;
            digests = watch.published.listens().stream().map(Listen::md5).toArray(String[]::new);
        }

        @Override
        public void pushed(GrpcConnection connection, Envelope push) {
            long now = System.nanoTime();
            String dataId = push.member(Member.DATA_ID);
            if (dataId == null) {
                return; // a detection, not a change of a config
            }
            int config = watch.published.indexOf(dataId);
            if (config < 0) {
                watch.unknown.increment();
                return;
            }
            long started = due.getAndSet(config, 0);
            if (started == 0) {
                watch.extra.increment();
            } else if (watch.measurement.isRecording()) {
                Measurement.record(watch.delay, now - started);
            }
            if (reListen) {
                var unused = refresh(connection, dataId, config).exceptionally(failure -> {
                    watch.measurement.failed("re-listen: " + failure.getMessage());
                    return "";
                });
            }
        }

        private CompletableFuture<String> refresh(GrpcConnection connection, String dataId, int config) {
            return listen(connection, dataId, config).thenCompose(changed -> {
                if (!changed.contains("\"dataId\"")) {
                    return CompletableFuture.completedFuture(changed);
                }
                return connection.ask(ConfigMessages.query(dataId)).thenCompose(answer -> {
                    int digest = answer.indexOf("\"md5\":\"") + 7;
                    digests[config] = answer.substring(digest, digest + 32);
                    return listen(connection, dataId, config);
                });
            });
        }

        private CompletableFuture<String> listen(GrpcConnection connection, String dataId, int config) {
            return connection.ask(ConfigMessages.listen(List.of(new Listen(dataId, digests[config]))));
        }
    }

    private final class Publish extends GrpcSlot {
        private final AtomicLong serial;
        private final List<byte[]> heads;
        private final ConfigText text;
        private final Watch watch;

        Publish(
                Load load,
                Load.Lane lane,
                GrpcConnection connection,
                AtomicLong serial,
                List<byte[]> heads,
                ConfigText text,
                Watch watch) {
            super(load, lane, connection);
            this.serial = serial;
            this.heads = heads;
            this.text = text;
            this.watch = watch;
        }

        @Override
        byte[] request() {
            long next = serial.getAndIncrement();
            int config = (int) Math.floorMod(next, (long) heads.size());
            byte[] request = text.publish(heads.get(config), next, size);
            watch.publishing(config);
            return request;
        }
    }
}
