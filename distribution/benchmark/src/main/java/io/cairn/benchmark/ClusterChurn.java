package io.cairn.benchmark;

import io.cairn.benchmark.wire.ConfigMessages;
import io.cairn.benchmark.wire.GrpcConnection;
import io.cairn.benchmark.wire.NamingMessages;
import io.cairn.benchmark.wire.NamingMessages.Instance;
import io.cairn.benchmark.wire.PushListener;
import io.cairn.benchmark.wire.ViewListener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.HdrHistogram.ConcurrentHistogram;
import org.jspecify.annotations.Nullable;

/** The clients of {@link ClusterChurnCommand} and what they measure. One thread drives them. */
final class ClusterChurn {
    private static final Duration OPENING = Duration.ofSeconds(60);
    private static final int AT_ONCE = 64;
    /** Between two looks at which connections were lost. */
    private static final long MAINTENANCE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private static final long SHORTEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final String VISIBLE_HEADER = "Cairn-Visible";
    private static final Pattern VISIBLE = Pattern.compile("(\\d+)/(\\d+)");

    private final ClusterChurnCommand options;
    private final List<Session> nodes;
    private final String name;
    private final SplittableRandom random;
    private final PushCount pushes = new PushCount();

    private final List<RoamingConnection> providers = new ArrayList<>();
    private final List<RoamingConnection> subscribers = new ArrayList<>();
    private final List<Views> views = new ArrayList<>();
    private final List<RoamingConnection> publishers = new ArrayList<>();
    private final boolean[] registered;
    private final AtomicIntegerArray versions;
    /** Since when the newest version is due; 0 where it is not measured. */
    private final AtomicLongArray due;

    private final List<byte[]> heads = new ArrayList<>();
    private final ConfigText text;
    private long serial;
    private int nextPublisher;

    private final ConcurrentHistogram here = Measurement.newHistogram();
    private final ConcurrentHistogram elsewhere = Measurement.newHistogram();
    private final ConcurrentHistogram registrations = Measurement.newHistogram();
    private final ConcurrentHistogram publishes = Measurement.newHistogram();
    private final LongAdder failures = new LongAdder();
    private final LongAdder visibleOnAll = new LongAdder();
    private final LongAdder visibilityStated = new LongAdder();
    private volatile boolean measured;
    private long changes;
    private long withoutNode;

    ClusterChurn(ClusterChurnCommand options, List<Session> nodes) {
        this.options = options;
        this.nodes = nodes;
        Session first = nodes.get(0);
        name = first.newServiceName("cluster-churn");
        random = new SplittableRandom(first.options().seed);
        registered = new boolean[options.clients];
        versions = new AtomicIntegerArray(options.clients);
        due = new AtomicLongArray(options.clients);
        text = new ConfigText(first.options().seed, options.size);
        serial = first.firstSerial();
        for (int i = 0; i < options.configs; i++) {
            heads.add(ConfigMessages.publishHead("cluster-churn-" + i));
        }
    }

    /** Whether the header of an answer to a publish says that so many nodes show it; null when it says nothing. */
    static @Nullable Boolean visibleOn(int nodes, String header) {
        Matcher visible = VISIBLE.matcher(header);
        if (!visible.matches()) {
            return null;
        }
        return visible.group(1).equals(visible.group(2)) && Integer.parseInt(visible.group(1)) == nodes;
    }

    /** Connects all, registers one instance of each client, and subscribes. */
    void open() throws InterruptedException {
        for (int i = 0; i < options.clients; i++) {
            int client = i;
            providers.add(new RoamingConnection(
                    nodes,
                    i % nodes.size(),
                    node -> node.openNaming(ViewListener.NONE),
                    connection -> registerAgain(client)));
        }
        for (int i = 0; i < nodes.size() * options.subscribers; i++) {
            var seen = new Views(i % nodes.size());
            views.add(seen);
            var subscriber =
                    new RoamingConnection(nodes, i % nodes.size(), node -> node.openNaming(seen), this::subscribe);
            seen.connection = subscriber;
            subscribers.add(subscriber);
        }
        for (int i = 0; i < nodes.size(); i++) {
            publishers.add(
                    new RoamingConnection(nodes, i, node -> node.openConfig(PushListener.NONE), connection -> {}));
        }
        List<RoamingConnection> all = all();
        Batch.run("connect", all.size(), AT_ONCE, OPENING, i -> all.get(i).open());
        maintain();
        for (int i = 0; i < options.clients; i++) {
            register(i, 0);
        }
        subscribers.forEach(this::subscribe);
        pushes.awaitQuiet();
    }

    private List<RoamingConnection> all() {
        var all = new ArrayList<>(providers);
        all.addAll(subscribers);
        all.addAll(publishers);
        return all;
    }

    void measure(boolean on) {
        measured = on;
    }

    /** Changes and publishes as they are due within the time. */
    void run(Duration time) throws InterruptedException {
        long start = System.nanoTime();
        double changeInterval = 1e9 / options.changes;
        double publishInterval = 1e9 / options.publishes;
        long changed = 0;
        long published = 0;
        long maintained = start;
        for (long now = start; now - start < time.toNanos(); now = System.nanoTime()) {
            if (now - maintained >= MAINTENANCE_NANOS) {
                maintain();
                maintained = now;
            }
            for (; start + (long) (changed * changeInterval) <= now; changed++) {
                change(start + (long) (changed * changeInterval));
            }
            for (; start + (long) (published * publishInterval) <= now; published++) {
                publish(start + (long) (published * publishInterval));
            }
            TimeUnit.NANOSECONDS.sleep(SHORTEST_PAUSE_NANOS);
        }
    }

    private void maintain() {
        all().forEach(RoamingConnection::maintain);
    }

    private void change(long dueNanos) {
        int client = random.nextInt(options.clients);
        if (measured) {
            changes++;
        }
        if (registered[client]) {
            GrpcConnection connection = connected(providers.get(client));
            if (connection != null) {
                registered[client] = false;
                count(connection.ask(
                        NamingMessages.deregister(service(client), new Instance(client, versions.get(client)))));
            }
        } else {
            register(client, dueNanos);
        }
    }

    private void register(int client, long dueNanos) {
        GrpcConnection connection = connected(providers.get(client));
        if (connection == null) {
            return;
        }
        int version = versions.get(client) + 1;
        due.set(client, measured ? dueNanos : 0);
        versions.set(client, version);
        registered[client] = true;
        time(
                connection.ask(NamingMessages.register(service(client), new Instance(client, version))),
                registrations,
                dueNanos);
    }

    /** The registrations of a client ended with its connection. */
    private void registerAgain(int client) {
        if (registered[client]) {
            due.set(client, 0);
            GrpcConnection connection = connected(providers.get(client));
            if (connection != null) {
                count(connection.ask(
                        NamingMessages.register(service(client), new Instance(client, versions.get(client)))));
            }
        }
    }

    private void subscribe(RoamingConnection subscriber) {
        GrpcConnection connection = connected(subscriber);
        if (connection != null) {
            for (int service = 0; service < options.services; service++) {
                count(connection.ask(NamingMessages.subscribe(name + "-" + service)));
            }
        }
    }

    private void publish(long dueNanos) {
        for (int i = 0; i < publishers.size(); i++) {
            GrpcConnection connection =
                    publishers.get(nextPublisher++ % publishers.size()).connection();
            if (connection != null) {
                byte[] request = text.publish(heads.get(random.nextInt(heads.size())), serial++, options.size);
                boolean counted = measured;
                time(
                        connection.askHeader(request, VISIBLE_HEADER).thenApply(answer -> {
                            Boolean onAll = visibleOn(nodes.size(), answer);
                            if (counted && onAll != null) {
                                visibilityStated.increment();
                                visibleOnAll.add(onAll ? 1 : 0);
                            }
                            return answer;
                        }),
                        publishes,
                        dueNanos);
                return;
            }
        }
        withoutNode++;
    }

    private @Nullable GrpcConnection connected(RoamingConnection roaming) {
        GrpcConnection connection = roaming.connection();
        if (connection == null) {
            withoutNode++;
        }
        return connection;
    }

    private void time(CompletableFuture<String> answer, ConcurrentHistogram histogram, long dueNanos) {
        boolean counted = measured;
        count(answer.thenApply(body -> {
            if (counted) {
                Measurement.record(histogram, System.nanoTime() - dueNanos);
            }
            return body;
        }));
    }

    private void count(CompletableFuture<String> answer) {
        var unused = answer.whenComplete((body, failure) -> {
            if (failure != null) {
                failures.increment();
            }
        });
    }

    private String service(int client) {
        return name + "-" + client % options.services;
    }

    /** Registers a last version of each instance, removes the configurations, and says how many versions some subscriber does not see. */
    long finish() throws InterruptedException {
        long deadline = System.nanoTime() + (long) (options.drain * 1e9);
        awaitConnections(deadline);
        for (int i = 0; i < options.clients; i++) {
            register(i, 0);
        }
        long missing = missing();
        while (missing > 0 && deadline - System.nanoTime() > 0) {
            TimeUnit.MILLISECONDS.sleep(20);
            maintain();
            missing = missing();
        }
        GrpcConnection remover = publishers.stream()
                .map(RoamingConnection::connection)
                .filter(connection -> connection != null)
                .findFirst()
                .orElseThrow(() -> new BenchmarkException("no node is connected any more"));
        Batch.run(
                "remove",
                options.configs,
                AT_ONCE,
                OPENING,
                i -> remover.ask(ConfigMessages.remove("cluster-churn-" + i)));
        return missing;
    }

    private void awaitConnections(long deadline) throws InterruptedException {
        while (all().stream().anyMatch(each -> each.connection() == null) && deadline - System.nanoTime() > 0) {
            maintain();
            TimeUnit.MILLISECONDS.sleep(20);
        }
    }

    private long missing() {
        return views.stream().mapToLong(Views::missing).sum();
    }

    void report(Report report) {
        report.put("changes", changes);
        report.put("registrations", registrations.getTotalCount());
        report.putLatency("registration", registrations);
        report.putLatency("view_here", here);
        report.putLatency("view_elsewhere", elsewhere);
        report.put("publishes", publishes.getTotalCount());
        report.putLatency("publish", publishes);
        if (visibilityStated.sum() > 0) {
            report.put("publishes_visible_on_all_percent", 100.0 * visibleOnAll.sum() / visibilityStated.sum());
        }
        report.put(
                "connected_again",
                all().stream().mapToLong(RoamingConnection::lost).sum());
        report.put("calls_without_a_node", withoutNode);
        if (options.restarts) {
            report.put("calls_lost", failures.sum());
        } else {
            report.putFailures("failures", failures.sum() + withoutNode);
        }
    }

    /** The views that one subscriber has seen. */
    private final class Views implements ViewListener {
        private final AtomicIntegerArray seen = new AtomicIntegerArray(options.clients);
        private final int firstNode;
        private volatile @Nullable RoamingConnection connection;

        Views(int firstNode) {
            this.firstNode = firstNode;
        }

        private int node() {
            RoamingConnection own = connection;
            return own == null ? firstNode : own.node();
        }

        @Override
        public void instance(int index, int version) {
            if (seen.get(index) >= version) {
                return;
            }
            seen.set(index, version);
            long since = due.get(index);
            if (since != 0 && versions.get(index) == version) {
                boolean same = providers.get(index).node() == node();
                Measurement.record(same ? here : elsewhere, System.nanoTime() - since);
            }
        }

        @Override
        public void viewed(int bytes) {
            pushes.pushed(bytes);
        }

        long missing() {
            long missing = 0;
            for (int i = 0; i < options.clients; i++) {
                missing += seen.get(i) == versions.get(i) ? 0 : 1;
            }
            return missing;
        }
    }
}
