package io.cairn.benchmark;

import io.cairn.benchmark.wire.Envelope;
import io.cairn.benchmark.wire.GrpcConnection;
import io.cairn.benchmark.wire.NamingMessages;
import io.cairn.benchmark.wire.NamingMessages.Instance;
import io.cairn.benchmark.wire.StreamListener;
import io.cairn.benchmark.wire.ViewListener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.HdrHistogram.ConcurrentHistogram;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
        name = "service-storm",
        description = "Restarts all instances of one service one after the other (deregister, register with other "
                + "metadata) while many connections subscribe to it; fails when a subscriber's last view is not the "
                + "final state. Runs as long as that takes: --seconds and --warmup have no effect.",
        sortOptions = false,
        mixinStandardHelpOptions = true)
final class ServiceStormCommand extends BenchmarkCommand {
    private static final int MOST_PASSES = 100;
    private static final int SUBSCRIPTIONS_AT_ONCE = 4;
    private static final long POLL_MILLIS = 50;
    private static final Pattern MARK = Pattern.compile("~(\\d+)\\.(\\d+)~");

    @Option(names = "--instances", description = "of the service (default: ${DEFAULT-VALUE})")
    int instances = 500;

    @Option(
            names = "--connections",
            description = "that the instances belong to; fewer than instances: each registers several at once "
                    + "(default: ${DEFAULT-VALUE})")
    int connections = 500;

    @Option(names = "--subscribers", description = "connections that subscribe (default: ${DEFAULT-VALUE})")
    int subscribers = 200;

    @Option(names = "--rate", description = "restarts a second, two changes each (default: ${DEFAULT-VALUE})")
    double rate = 100;

    @Option(names = "--passes", description = "restarts of every instance (default: ${DEFAULT-VALUE})")
    int passes = 1;

    @Option(
            names = "--converge",
            description = "seconds after the last change within which all must have the final state "
                    + "(default: ${DEFAULT-VALUE})")
    double converge = 60;

    @Option(
            names = "--settle",
            description = "seconds after that in which no other view may come (default: ${DEFAULT-VALUE})")
    double settle = 2;

    @Override
    void check() {
        Limits.within("--instances", instances, 1, 10_000);
        connections = Math.min(connections, instances);
        Limits.within("--connections", connections, 1, Limits.CONNECTIONS);
        Limits.within("--subscribers", subscribers, 1, Limits.CONNECTIONS - connections);
        Limits.within("--rate", rate, 0.1, 1e5);
        Limits.within("--passes", passes, 1, MOST_PASSES);
        Limits.within("--converge", converge, 0.1, 3600);
        Limits.within("--settle", settle, 0, 600);
        if (options.baseline) {
            throw new BenchmarkException("--baseline: a bare server merges no changes (expected: without it)");
        }
    }

    @Override
    void measure(Session session, Report report) throws Exception {
        String service = session.newServiceName("service-storm");
        List<GrpcConnection> providers = session.connectNaming(connections, i -> ViewListener.NONE);
        Batch.run("register", connections, 16, Duration.ofMinutes(2), i -> providers
                .get(i)
                .ask(publish(
                        service,
                        own(i).mapToObj(index -> new Instance(index, 0)).toList())));
        var storm = new Storm(service);
        var all = IntStream.range(0, subscribers)
                .mapToObj(i -> storm.new Subscriber())
                .toList();
        List<GrpcConnection> subscribing = session.connectNaming(subscribers, all::get);
        byte[] subscribe = NamingMessages.subscribe(service);
        Batch.run("subscribe", subscribers, SUBSCRIPTIONS_AT_ONCE, Duration.ofMinutes(5), i -> subscribing
                .get(i)
                .ask(subscribe));
        storm.pushes.awaitQuiet();

        Measurement measurement = session.newMeasurement();
        var load = new Load(measurement, rate);
        for (int i = 0; i < connections; i++) {
            GrpcConnection connection = providers.get(i);
            new Restarts(load, load.lane(connection.loop()), connection, storm, own(i).toArray());
        }
        var memory = new PeakMemory(session.server());
        long before = storm.pushes.pushes();
        long bytesBefore = storm.pushes.bytes();
        measurement.begin();
        load.start();
        var poll = Duration.ofMillis(POLL_MILLIS);
        var limit = Duration.ofSeconds((long) (instances * passes / rate) + (long) Math.ceil(converge));
        long deadline = System.nanoTime() + limit.toNanos();
        while (!load.awaitEnd(poll) && deadline - System.nanoTime() > 0) {
            memory.sample();
        }
        long unanswered = load.stop();
        deadline = System.nanoTime() + (long) (converge * 1e9);
        while (countWrong(all) > 0 && deadline - System.nanoTime() > 0) {
            TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
            memory.sample();
        }
        measurement.end();
        TimeUnit.MILLISECONDS.sleep((long) (settle * 1000));
        long pushes = storm.pushes.pushes() - before;

        measurement.report(report);
        report.putFailures("unanswered", unanswered);
        report.put("pushes", pushes);
        report.put("pushes_per_change_and_subscriber", (double) pushes / (2.0 * instances * passes) / subscribers);
        report.put("bytes_pushed", storm.pushes.bytes() - bytesBefore);
        report.putLatency("push", storm.delay);
        measurement.reportCpu(report, "push", pushes);
        memory.report(report);
        report.put("converged_after_last_change_us", convergedAfter(all, storm) / 1_000.0);
        report.putFailures("subscribers_with_a_wrong_final_view", countWrong(all));
        report.putFailures("service_with_a_wrong_final_state", isRight(providers.get(0), service) ? 0 : 1);
        report.put("views_that_went_back", storm.older.sum());
    }

    /** The instances that one connection has, in the order of their restarts. */
    private IntStream own(int connection) {
        return IntStream.iterate(connection, i -> i < instances, i -> i + connections);
    }

    private static byte[] publish(String service, List<Instance> all) {
        return all.size() == 1
                ? NamingMessages.register(service, all.get(0))
                : NamingMessages.registerAll(service, all);
    }

    private static long countWrong(List<Storm.Subscriber> subscribers) {
        return subscribers.stream().filter(one -> one.rightSince == 0).count();
    }

    /**
     * The time from the last change until the last subscriber had its present view; 0 when a subscriber never had it.
     */
    private static long convergedAfter(List<Storm.Subscriber> subscribers, Storm storm) {
        long last = 0;
        for (Storm.Subscriber subscriber : subscribers) {
            if (subscriber.rightSince == 0) {
                return 0;
            }
            last = Math.max(last, subscriber.rightSince - storm.lastChangeNanos);
        }
        return last;
    }

    /** Whether a query also shows the final state. */
    private boolean isRight(GrpcConnection connection, String service) throws InterruptedException {
        var found = new int[instances];
        var other = new ArrayList<String>();
        Batch.run("query", 1, 1, Duration.ofSeconds(30), i -> connection
                .ask(NamingMessages.query(service))
                .thenAccept(view -> {
                    Matcher mark = MARK.matcher(view);
                    while (mark.find()) {
                        int index = Integer.parseInt(mark.group(1));
                        if (index < instances && Integer.parseInt(mark.group(2)) == passes) {
                            found[index]++;
                        } else {
                            other.add(mark.group());
                        }
                    }
                }));
        return other.isEmpty() && Arrays.stream(found).allMatch(count -> count == 1);
    }

    private final class Storm {
        private final String service;
        private final PushCount pushes = new PushCount();
        private final LongAdder older = new LongAdder();
        private final ConcurrentHistogram delay = Measurement.newHistogram();

        /** When the register request of an instance's version was sent. */
        private final AtomicLongArray started = new AtomicLongArray(instances * (passes + 1));

        private final long finalState;
        private volatile long lastChangeNanos;

        Storm(String service) {
            this.service = service;
            finalState = IntStream.range(0, instances)
                    .mapToLong(i -> digest(i, passes))
                    .sum();
        }

        /** A set of instances is identified by the sum of these, independent of their order. */
        private static long digest(int index, int version) {
            long mixed = ((long) version << 32 | index) * 0x9e3779b97f4a7c15L;
            mixed = (mixed ^ mixed >>> 32) * 0xd6e8feb86659fd93L;
            return mixed ^ mixed >>> 32;
        }

        void starting(int index, int version) {
            long now = System.nanoTime();
            started.set(version * instances + index, now);
            lastChangeNanos = now;
        }

        /** One connection that subscribes. */
        private final class Subscriber implements ViewListener {
            private final byte[] seen = new byte[instances];
            private int[] news = new int[16];
            private int newsCount;
            private int present;
            private long state;
            private boolean goesBack;

            /** The time of the first view since which all views were the final state; 0 when the last view is not. */
            private volatile long rightSince;

            @Override
            public void instance(int index, int version) {
                present++;
                state += digest(index, version);
                if (index < instances && version <= passes && version != seen[index]) {
                    if (version < seen[index]) {
                        goesBack = true;
                    } else {
                        addNews(index);
                    }
                    seen[index] = (byte) version;
                }
            }

            private void addNews(int index) {
                if (newsCount == news.length) {
                    news = Arrays.copyOf(news, 2 * newsCount);
                }
                news[newsCount++] = index;
            }

            @Override
            public void viewed(int bytes) {
                long now = System.nanoTime();
                pushes.pushed(bytes);
                for (int i = 0; i < newsCount; i++) {
                    Measurement.record(delay, now - started.get(seen[news[i]] * instances + news[i]));
                }
                newsCount = 0;
                if (goesBack) {
                    older.increment();
                    goesBack = false;
                }
                if (present != instances || state != finalState) {
                    rightSince = 0;
                } else if (rightSince == 0) {
                    rightSince = now;
                }
                present = 0;
                state = 0;
            }
        }
    }

    /** Restarts the instances of one connection in turn: each is deregistered before it registers again. */
    private final class Restarts extends Load.Slot implements StreamListener {
        private static final String NO_ANSWER = "no answer";

        private final GrpcConnection connection;
        private final Storm storm;
        private final int[] indexes;
        private final int[] versions;
        private int restarts;
        private boolean comesBack;
        private @Nullable String refusal = NO_ANSWER;

        Restarts(Load load, Load.Lane lane, GrpcConnection connection, Storm storm, int[] indexes) {
            super(load, lane);
            this.connection = connection;
            this.storm = storm;
            this.indexes = indexes;
            versions = new int[indexes.length];
        }

        @Override
        boolean canIssue() {
            return restarts < indexes.length * passes && connection.isOpen();
        }

        @Override
        void issue() {
            int position = restarts % indexes.length;
            comesBack = false;
            Instance leaving = new Instance(indexes[position], versions[position]);
            send(
                    indexes.length == 1
                            ? NamingMessages.deregister(storm.service, leaving)
                            : NamingMessages.registerAll(storm.service, instancesBut(position)));
        }

        private void comeBack() {
            int position = restarts % indexes.length;
            comesBack = true;
            versions[position]++;
            storm.starting(indexes[position], versions[position]);
            send(publish(storm.service, instancesBut(-1)));
        }

        private List<Instance> instancesBut(int left) {
            return IntStream.range(0, indexes.length)
                    .filter(i -> i != left)
                    .mapToObj(i -> new Instance(indexes[i], versions[i]))
                    .toList();
        }

        private void send(byte[] request) {
            refusal = NO_ANSWER;
            connection.call(request, this);
        }

        @Override
        public void message(Envelope message) {
            refusal = message.refusal();
        }

        @Override
        public void end(@Nullable String failure) {
            String cause = failure == null ? refusal : failure;
            if (cause == null && !comesBack) {
                comeBack();
                return;
            }
            restarts++;
            if (cause == null) {
                succeeded();
            } else {
                lost(cause);
            }
        }
    }
}
