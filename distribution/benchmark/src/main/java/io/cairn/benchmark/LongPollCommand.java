package io.cairn.benchmark;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.cairn.benchmark.wire.ConfigMessages;
import io.cairn.benchmark.wire.ConfigMessages.Listen;
import io.cairn.benchmark.wire.HttpConnection;
import io.netty.buffer.ByteBuf;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;
import org.HdrHistogram.ConcurrentHistogram;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
        name = "long-poll",
        description = "Opens many HTTP v1 long polls, reports the live heap of each (with --pid and jcmd), then "
                + "changes one config that all of them listen to, round by round, and measures the response times.",
        sortOptions = false,
        mixinStandardHelpOptions = true)
final class LongPollCommand extends BenchmarkCommand {
    private static final int PRELIMINARY = 50;
    private static final int SENT_AT_ONCE = 256;
    private static final long SEND_PAUSE_MILLIS = 20;
    private static final long SETTLE_MILLIS = 1_500;
    private static final long ANSWER_SECONDS = 20;
    private static final int CONFIG_BYTES = 64;

    @Option(names = "--count", description = "polls, each on its connection (default: ${DEFAULT-VALUE})")
    int count = 2000;

    @Option(names = "--listens", description = "configs in each poll (default: ${DEFAULT-VALUE})")
    int listens = 1;

    @Option(names = "--rounds", description = "changes that are measured (default: ${DEFAULT-VALUE})")
    int rounds = 5;

    @Option(names = "--warmup-rounds", description = "changes before them (default: ${DEFAULT-VALUE})")
    int warmupRounds = 5;

    @Option(names = "--timeout-ms", description = "timeout of each poll on the server (default: ${DEFAULT-VALUE})")
    int timeoutMillis = 120_000;

    @Override
    void check() {
        Limits.within("--count", count, 1, Limits.CONNECTIONS);
        Limits.within("--listens", listens, 1, 3000);
        Limits.within("--rounds", rounds, 1, 1000);
        Limits.within("--warmup-rounds", warmupRounds, 0, 1000);
        Limits.within("--timeout-ms", timeoutMillis, 10_000, 600_000);
    }

    @Override
    void measure(Session session, Report report) throws Exception {
        try (var published = PublishedConfigs.publish(session, "long-poll", listens, CONFIG_BYTES)) {
            ServerProcess server = session.server();
            String authority = session.target().authority();
            HttpConnection publisher = session.newHttpConnection();
            var listening = new ArrayList<>(published.listens());

            // Classes and caches that the first polls load belong to the server, not to a poll.
            List<Poll> first = newPolls(session, Math.min(count, PRELIMINARY), published.dataId(0));
            park(first, listen(authority, listening));
            change(publisher, authority, listening, first, new Answers(first.size()), session.firstSerial());
            Batch.run("close", first.size(), 16, Duration.ofSeconds(30), i -> first.get(i)
                    .connection
                    .close());
            long empty = server == null ? 0 : server.liveHeapBytes();

            List<Poll> polls = newPolls(session, count, published.dataId(0));
            park(polls, listen(authority, listening));
            report.put("polls", (long) count);
            if (server != null) {
                report.put("heap_bytes_per_poll", (double) (server.liveHeapBytes() - empty) / count);
                report.put("server_rss_kb", server.residentKilobytes());
                report.put("server_threads", server.threads());
            }
            var answers = new Answers(count);
            for (int round = 1; round <= warmupRounds + rounds && answers.unanswered == 0; round++) {
                if (round == warmupRounds + 1) {
                    answers = new Answers(count);
                }
                if (round > 1) {
                    park(polls, listen(authority, listening));
                }
                long cpu = server == null ? 0 : server.cpuMicros();
                change(publisher, authority, listening, polls, answers, session.firstSerial() + round);
                answers.serverMicros += server == null ? 0 : server.cpuMicros() - cpu;
            }
            answers.report(report, server != null);
        }
    }

    private static List<Poll> newPolls(Session session, int count, String dataId) {
        return Stream.generate(() -> new Poll(session.newHttpConnection(), dataId))
                .limit(count)
                .toList();
    }

    private byte[] listen(String authority, List<Listen> listening) {
        return ConfigMessages.httpListen(authority, listening, timeoutMillis);
    }

    private static void park(List<Poll> polls, byte[] listen) throws InterruptedException {
        for (int i = 0; i < polls.size(); i++) {
            polls.get(i).send(listen);
            if (i % SENT_AT_ONCE == SENT_AT_ONCE - 1) {
                TimeUnit.MILLISECONDS.sleep(SEND_PAUSE_MILLIS);
            }
        }
        TimeUnit.MILLISECONDS.sleep(SETTLE_MILLIS);
    }

    /** Publishes a new content of the first config and waits for the answers of all polls. */
    private static void change(
            HttpConnection publisher,
            String authority,
            List<Listen> listening,
            List<Poll> polls,
            Answers answers,
            long serial)
            throws InterruptedException {
        String content = "changed." + serial;
        String dataId = listening.get(0).dataId();
        answers.begin();
        for (Poll poll : polls) {
            poll.expect(answers);
        }
        String answer = publisher
                .ask(ConfigMessages.httpPublish(authority, dataId, content))
                .join();
        if (!answer.strip().equals("true")) {
            throw new BenchmarkException("publish: '" + answer + "' (expected: 'true')");
        }
        answers.awaitAll();
        listening.set(0, new Listen(dataId, ConfigText.md5(content)));
    }

    private static final class Answers {
        private final int count;
        private final ConcurrentHistogram delay = Measurement.newHistogram();
        private final ConcurrentHistogram last = Measurement.newHistogram();
        private final LongAdder wrong = new LongAdder();
        private final AtomicReference<String> example = new AtomicReference<>();
        private volatile CountDownLatch outstanding = new CountDownLatch(0);
        private volatile long startNanos;
        private long unanswered;
        private long serverMicros;
        private long rounds;

        Answers(int count) {
            this.count = count;
        }

        void begin() {
            rounds++;
            outstanding = new CountDownLatch(count);
            startNanos = System.nanoTime();
        }

        void took(Outcome outcome) {
            if (outcome.cause.isEmpty() && outcome.nanos - startNanos > 0) {
                Measurement.record(delay, outcome.nanos - startNanos);
            } else {
                wrong.increment();
                example.compareAndSet(null, outcome.cause.isEmpty() ? "answered before the change" : outcome.cause);
            }
            outstanding.countDown();
        }

        void awaitAll() throws InterruptedException {
            if (outstanding.await(ANSWER_SECONDS, TimeUnit.SECONDS)) {
                Measurement.record(last, System.nanoTime() - startNanos);
            } else {
                unanswered += outstanding.getCount();
            }
        }

        void report(Report report, boolean withCpu) {
            report.put("rounds", rounds);
            if (withCpu) {
                report.put("server_cpu_us_per_answer", (double) serverMicros / (rounds * count));
            }
            report.putLatency("answer", delay);
            report.putLatency("last_answer", last);
            report.putFailures("polls_unanswered", unanswered);
            report.putFailures("polls_answered_otherwise", wrong.sum());
            String cause = example.get();
            if (cause != null) {
                report.put("failure_1", cause);
            }
        }
    }

    /** The time of the response and, unless it names the changed config, its content. */
    private record Outcome(long nanos, String cause) {}

    private static final class Poll implements HttpConnection.Listener {
        private final HttpConnection connection;
        private final String dataId;
        private volatile CompletableFuture<Outcome> outcome = new CompletableFuture<>();

        Poll(HttpConnection connection, String dataId) {
            this.connection = connection;
            this.dataId = dataId;
        }

        void send(byte[] listen) {
            outcome = new CompletableFuture<>();
            connection.send(listen, this);
        }

        /** A response before the change counts as an error. */
        void expect(Answers answers) {
            var unused = outcome.thenAccept(answers::took);
        }

        @Override
        public void answered(int status, ByteBuf body) {
            String text = body.toString(UTF_8).strip();
            boolean changed = status == 200 && text.startsWith(dataId + "%02");
            outcome.complete(new Outcome(System.nanoTime(), changed ? "" : "HTTP " + status + ": '" + text + "'"));
        }

        @Override
        public void failed(String cause) {
            outcome.complete(new Outcome(System.nanoTime(), cause));
        }
    }
}
