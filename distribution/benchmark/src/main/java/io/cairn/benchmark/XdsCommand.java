package io.cairn.benchmark;

import io.cairn.benchmark.wire.AdsSubscription;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.DoubleSupplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
        name = "xds",
        description =
                "Opens many ADS streams at once, as Envoy does, on services that it registers; then nothing, single "
                        + "changes, many changes in a second, and all streams once more after they were closed. Says what each "
                        + "costs the server; fails when a stream does not end on the last state. Runs as long as that takes: "
                        + "--seconds and --warmup have no effect.",
        sortOptions = false,
        mixinStandardHelpOptions = true)
final class XdsCommand extends BenchmarkCommand {
    private static final int PRELIMINARY = 100;
    private static final long POLL_MILLIS = 20;

    @Option(names = "--streams", description = "each on a connection of its own (default: ${DEFAULT-VALUE})")
    int streams = 1600;

    @Option(names = "--services", description = "that each stream sees (default: ${DEFAULT-VALUE})")
    int services = 200;

    @Option(names = "--endpoints", description = "of each service (default: ${DEFAULT-VALUE})")
    int endpoints = 8;

    @Option(names = "--delta", description = "speak the delta protocol instead of state of the world")
    boolean delta;

    @Option(names = "--at-once", description = "streams that may be opening; 0: all (default: ${DEFAULT-VALUE})")
    int atOnce;

    @Option(names = "--idle", description = "seconds without a change (default: ${DEFAULT-VALUE})")
    double idle = 10;

    @Option(
            names = "--changes",
            description = "of one endpoint each, when all streams have the one before (default: ${DEFAULT-VALUE})")
    int changes = 10;

    @Option(
            names = "--burst",
            description = "changes of one endpoint each, spread over one second (default: ${DEFAULT-VALUE})")
    int burst = 100;

    @Option(
            names = "--pause-ms",
            description = "between single changes: the server waits between pushes as well (default: ${DEFAULT-VALUE})")
    int pauseMillis = 500;

    @Option(
            names = "--converge",
            description = "seconds after a change within which all streams must have it (default: ${DEFAULT-VALUE})")
    double converge = 60;

    @Option(
            names = "--settle",
            description = "seconds after streams were opened or closed, before the server's heap is read, and after "
                    + "many changes (default: ${DEFAULT-VALUE})")
    double settle = 2;

    @Override
    void check() {
        Limits.within("--streams", streams, 1, Limits.CONNECTIONS);
        Limits.within("--services", services, 1, 10_000);
        Limits.within("--endpoints", endpoints, 1, 250);
        Limits.within("--services x --endpoints", (double) services * endpoints, 1, Limits.INSTANCES);
        Limits.within("--at-once", atOnce, 0, Limits.CONNECTIONS);
        Limits.within("--idle", idle, 0.05, 600);
        Limits.within("--changes", changes, 1, 1000);
        Limits.within("--burst", burst, 1, 10_000);
        Limits.within("--pause-ms", pauseMillis, 0, 60_000);
        Limits.within("--converge", converge, 0.1, 3600);
        Limits.within("--settle", settle, 0, 600);
    }

    @Override
    void measure(Session session, Report report) throws Exception {
        String prefix = session.newServiceName("xds");
        var all = new MeshServices(session.connectNaming(), prefix, services, endpoints);
        all.register();
        var proxies = new MeshProxies(session, all, new AdsSubscription(delta, prefix, services));
        report.put("streams", (long) streams);
        report.put("services", (long) services);
        report.put("endpoints", (long) services * endpoints);
        report.put("protocol", delta ? "delta" : "state of the world");

        // Classes and caches that the first streams load belong to the server, not to a stream.
        proxies.open(Math.min(streams, PRELIMINARY), PRELIMINARY, opening());
        proxies.close();
        long empty = settledHeap(session);

        storm(session, proxies, report, "");
        long full = settledHeap(session);
        reportHeap(session, report, "heap_bytes_per_stream", full - empty);
        reportFinalState(proxies, report, "streams_with_a_wrong_first_state");

        idle(session, proxies, report);
        singleChanges(session, proxies, report);
        manyChanges(session, proxies, all, report);

        proxies.close();
        reportHeap(session, report, "heap_bytes_kept_per_closed_stream", settledHeap(session) - empty);
        storm(session, proxies, report, "second_");
        reportFinalState(proxies, report, "second_streams_with_a_wrong_first_state");
        report.putFailures("streams_lost", proxies.lost());
        proxies.close();
    }

    private Duration opening() {
        return Duration.ofSeconds(30 + streams / 20);
    }

    /** All streams at once, until all have everything. */
    private void storm(Session session, MeshProxies proxies, Report report, String prefix) throws Exception {
        var memory = new PeakMemory(session.server());
        var measured = new Span(session.server(), proxies);
        var done = new AtomicBoolean();
        CompletableFuture<Void> sampling = CompletableFuture.runAsync(() -> sample(memory, done));
        try {
            proxies.open(streams, atOnce == 0 ? streams : atOnce, opening());
        } finally {
            done.set(true);
            sampling.join();
        }
        measured.end();
        report.put(prefix + "streams_per_second", streams / measured.seconds);
        report.put(prefix + "storm_seconds", measured.seconds);
        if (session.server() != null) {
            report.put(prefix + "storm_server_cpu_seconds", measured.serverSeconds);
            report.put(prefix + "server_cpu_us_per_stream", measured.serverSeconds * 1e6 / streams);
        }
        report.put(prefix + "storm_messages_per_stream", (double) measured.messages / streams);
        report.put(prefix + "storm_bytes_per_stream", (double) measured.bytes / streams);
        var figures = new Report();
        memory.report(figures);
        report.putAll(prefix, figures);
    }

    private static void sample(PeakMemory memory, AtomicBoolean done) {
        while (!done.get()) {
            memory.sample();
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(POLL_MILLIS));
        }
    }

    private void idle(Session session, MeshProxies proxies, Report report) throws InterruptedException {
        var measured = new Span(session.server(), proxies);
        pause(idle);
        measured.end();
        if (session.server() != null) {
            report.put("idle_server_cpu_ms_per_second", measured.serverSeconds * 1e3 / measured.seconds);
        }
        report.put("idle_messages", measured.messages);
    }

    private void singleChanges(Session session, MeshProxies proxies, Report report) throws InterruptedException {
        var measured = new Span(session.server(), proxies);
        long missing = 0;
        for (int i = 0; i < changes; i++) {
            missing += proxies.playRound(i % services, converge);
            TimeUnit.MILLISECONDS.sleep(pauseMillis);
        }
        measured.end();
        double pushes = (double) changes * streams;
        report.put("changes", (long) changes);
        report.put("change_messages_per_stream", measured.messages / pushes);
        report.put("change_bytes_per_stream", measured.bytes / pushes);
        if (session.server() != null) {
            report.put("change_server_cpu_ms", measured.serverSeconds * 1e3 / changes);
            report.put("change_server_cpu_us_per_stream", measured.serverSeconds * 1e6 / pushes);
        }
        report.putLatency("push", proxies.each());
        report.putLatency("last_push", proxies.last());
        report.putFailures("changes_missing", missing);
    }

    private void manyChanges(Session session, MeshProxies proxies, MeshServices all, Report report)
            throws InterruptedException {
        // No service has two changes under way, unless there are fewer services than changes.
        var order = new ArrayList<>(IntStream.range(0, services).boxed().toList());
        Collections.shuffle(order, new Random(options.seed));
        var answers = new CompletableFuture<?>[burst];
        var measured = new Span(session.server(), proxies);
        long begin = System.nanoTime();
        for (int i = 0; i < burst; i++) {
            long due = begin + (long) (i * 1e9 / burst);
            TimeUnit.NANOSECONDS.sleep(Math.max(0, due - System.nanoTime()));
            answers[i] = all.change(order.get(i % services));
        }
        CompletableFuture.allOf(answers).join();
        long lastChange = System.nanoTime();
        long deadline = lastChange + (long) (converge * 1e9);
        while (proxies.countWrong() > 0 && deadline - System.nanoTime() > 0) {
            TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
        }
        long converged = proxies.latestNanos();
        pause(settle);
        measured.end();
        report.put("burst_changes", (long) burst);
        report.put("burst_messages_per_stream", (double) measured.messages / streams);
        report.put("burst_bytes", measured.bytes);
        if (session.server() != null) {
            report.put("burst_server_cpu_seconds", measured.serverSeconds);
        }
        report.put("burst_converged_after_last_change_us", Math.max(0, converged - lastChange) / 1e3);
        reportFinalState(proxies, report, "streams_with_a_wrong_final_state");
    }

    private static void reportFinalState(MeshProxies proxies, Report report, String name) {
        report.putFailures(name, proxies.countWrong());
    }

    private void reportHeap(Session session, Report report, String name, long bytes) {
        if (session.server() != null) {
            report.put(name, (double) bytes / streams);
        }
    }

    /** 0 without a process to ask. */
    private long settledHeap(Session session) throws InterruptedException {
        ServerProcess server = session.server();
        if (server == null) {
            return 0;
        }
        pause(settle);
        return server.liveHeapBytes();
    }

    private static void pause(double seconds) throws InterruptedException {
        TimeUnit.MILLISECONDS.sleep((long) (seconds * 1000));
    }

    /** A part of the run: its time, the server's CPU time, and what came to all proxies. */
    private static final class Span {
        private final MeshProxies proxies;
        private final DoubleSupplier cpu;
        private double seconds = -System.nanoTime() / 1e9;
        private double serverSeconds;
        private long messages;
        private long bytes;

        Span(@Nullable ServerProcess server, MeshProxies proxies) {
            this.proxies = proxies;
            cpu = server == null ? () -> 0 : server.cpuSecondsFromNow();
            messages = -proxies.messages();
            bytes = -proxies.bytes();
        }

        void end() {
            seconds += System.nanoTime() / 1e9;
            serverSeconds = cpu.getAsDouble();
            messages += proxies.messages();
            bytes += proxies.bytes();
        }
    }
}
