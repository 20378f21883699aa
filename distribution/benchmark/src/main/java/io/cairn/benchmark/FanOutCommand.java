package io.cairn.benchmark;

import io.cairn.benchmark.wire.ConfigMessages;
import io.cairn.benchmark.wire.Envelope.Member;
import io.cairn.benchmark.wire.GrpcConnection;
import io.cairn.benchmark.wire.PushListener;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.HdrHistogram.ConcurrentHistogram;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
        name = "fan-out",
        description = "Many connections listen to one config; each round publishes one change and times its arrival at "
                + "every one of them. Ends after the rounds or after --seconds, whichever is first.",
        sortOptions = false,
        mixinStandardHelpOptions = true)
final class FanOutCommand extends BenchmarkCommand {
    private static final long ROUND_SECONDS = 10;

    @Option(names = "--listeners", description = "connections (default: ${DEFAULT-VALUE})")
    int listeners = 1000;

    @Option(names = "--rounds", description = "changes that are measured (default: ${DEFAULT-VALUE})")
    int rounds = 50;

    @Option(names = "--warmup-rounds", description = "changes before them (default: ${DEFAULT-VALUE})")
    int warmupRounds = 50;

    @Option(names = "--pause-ms", description = "between two rounds (default: ${DEFAULT-VALUE})")
    int pauseMillis = 50;

    @Option(names = "--size", description = "bytes of each content (default: ${DEFAULT-VALUE})")
    int size = 1024;

    @Override
    void check() {
        Limits.within("--listeners", listeners, 1, Limits.CONNECTIONS);
        Limits.within("--rounds", rounds, 1, 100_000);
        Limits.within("--warmup-rounds", warmupRounds, 0, 100_000);
        Limits.within("--pause-ms", pauseMillis, 0, 60_000);
        Limits.within("--size", size, ConfigText.SERIAL_CHARS, Limits.CONTENT_BYTES);
    }

    @Override
    void measure(Session session, Report report) throws Exception {
        try (var published = PublishedConfigs.publish(session, "fan-out", 1, size)) {
            var fanOut = new FanOut(published.dataId(0));
            List<GrpcConnection> connections = session.connect(listeners, fanOut::listener);
            byte[] listen = ConfigMessages.listen(published.listens());
            Batch.run("listen", listeners, 64, Duration.ofMinutes(2), i -> connections
                    .get(i)
                    .ask(listen));
            GrpcConnection publisher = session.connect();
            byte[] head = published.publishHeads().get(0);
            Measurement measurement = session.newMeasurement();
            int measured = 0;
            long deadline = System.nanoTime()
                    + options.warmupTime().plus(options.window()).toNanos();
            for (int round = 1; round <= warmupRounds + rounds; round++) {
                if (round == warmupRounds + 1) {
                    measurement.begin();
                }
                byte[] change = published.text().publish(head, session.firstSerial() + round, size);
                fanOut.play(round, publisher, change, round > warmupRounds);
                measured += round > warmupRounds ? 1 : 0;
                if (measured > 0 && System.nanoTime() - deadline > 0) {
                    break;
                }
                TimeUnit.MILLISECONDS.sleep(pauseMillis);
            }
            measurement.end();
            report.put("rounds", (long) measured);
            report.putLatency("notification", fanOut.each);
            report.putLatency("last_notification", fanOut.last);
            report.putLatency("publish", fanOut.publishes);
            measurement.reportCpu(report, "notification", (long) measured * listeners);
            report.putFailures("notifications_missing", fanOut.missing);
        }
    }

    private final class FanOut {
        private final String dataId;
        private final ConcurrentHistogram each = Measurement.newHistogram();
        private final ConcurrentHistogram last = Measurement.newHistogram();
        private final ConcurrentHistogram publishes = Measurement.newHistogram();
        private final AtomicIntegerArray seen = new AtomicIntegerArray(listeners);
        private volatile Round current = new Round(0, 0, false, new CountDownLatch(0));
        private volatile long latestNanos;
        private long missing;

        FanOut(String dataId) {
            this.dataId = dataId;
        }

        PushListener listener(int index) {
            return (connection, push) -> {
                long now = System.nanoTime();
                if (dataId.equals(push.member(Member.DATA_ID))) {
                    arrived(index, now);
                }
            };
        }

        private void arrived(int listener, long now) {
            Round round = current;
            if (seen.getAndSet(listener, round.number) == round.number) {
                return; // once more, for the same change
            }
            if (round.measured) {
                Measurement.record(each, now - round.startNanos);
            }
            latestNanos = now;
            round.outstanding.countDown();
        }

        void play(int number, GrpcConnection publisher, byte[] change, boolean measured) throws InterruptedException {
            var round = new Round(number, System.nanoTime(), measured, new CountDownLatch(listeners));
            current = round;
            Batch.run("publish", 1, 1, Duration.ofSeconds(ROUND_SECONDS), i -> publisher.ask(change));
            if (measured) {
                Measurement.record(publishes, System.nanoTime() - round.startNanos);
            }
            if (!round.outstanding.await(ROUND_SECONDS, TimeUnit.SECONDS)) {
                missing += round.outstanding.getCount();
            } else if (measured) {
                Measurement.record(last, latestNanos - round.startNanos);
            }
        }
    }

    private record Round(int number, long startNanos, boolean measured, CountDownLatch outstanding) {}
}
