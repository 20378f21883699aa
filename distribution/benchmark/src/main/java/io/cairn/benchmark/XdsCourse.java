package io.cairn.benchmark;

import io.cairn.benchmark.wire.AdsSubscription;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.DoubleSupplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The parts of {@link XdsCommand} on one server. Used by one thread. */
final class XdsCourse {
    private static final int PRELIMINARY = 100;
    private static final long POLL_MILLIS = 20;

    /** All of them, in order. */
    static final List<Part> PARTS = List.of(
            XdsCourse::begin,
            XdsCourse::firstStorm,
            XdsCourse::idle,
            XdsCourse::singleChanges,
            XdsCourse::manyChanges,
            XdsCourse::close,
            XdsCourse::secondStorm);

    /** A part of the run. */
    interface Part {
        void play(XdsCourse course) throws Exception;
    }

    private final XdsCommand command;
    private final Session session;
    private final MeshServices all;
    private final MeshProxies proxies;
    private final Report report = new Report();
    /** CPU time of the server, by the name of the figure without its unit. */
    private final Map<String, Double> cpuSeconds = new LinkedHashMap<>();

    private long emptyHeap;

    XdsCourse(XdsCommand command, Session session) throws InterruptedException {
        this.command = command;
        this.session = session;
        String prefix = session.newServiceName("xds");
        all = new MeshServices(session.connectNaming(), prefix, command.services, command.endpoints);
        proxies = new MeshProxies(session, all, new AdsSubscription(command.delta, prefix, command.services));
    }

    Report report() {
        return report;
    }

    /** The CPU time of another server divided by that of this one, for each part. */
    void reportRatios(XdsCourse other, Report into) {
        cpuSeconds.forEach((name, seconds) -> {
            Double others = other.cpuSeconds.get(name);
            if (others != null) {
                into.put(name + "_server_cpu_ratio", others / seconds);
            }
        });
    }

    private void begin() throws Exception {
        all.register();
        report.put("streams", (long) command.streams);
        report.put("services", (long) command.services);
        report.put("endpoints", (long) command.services * command.endpoints);
        report.put("protocol", command.delta ? "delta" : "state of the world");

        // Classes and caches that the first streams load belong to the server, not to a stream.
        proxies.open(Math.min(command.streams, PRELIMINARY), PRELIMINARY, opening());
        proxies.close();
        emptyHeap = settledHeap();
    }

    private void firstStorm() throws Exception {
        storm("");
        reportHeap("heap_bytes_per_stream", settledHeap() - emptyHeap);
        reportFinalState("streams_with_a_wrong_first_state");
    }

    private void close() throws Exception {
        proxies.close();
        reportHeap("heap_bytes_kept_per_closed_stream", settledHeap() - emptyHeap);
    }

    private void secondStorm() throws Exception {
        storm("second_");
        reportFinalState("second_streams_with_a_wrong_first_state");
        report.putFailures("streams_lost", proxies.lost());
        proxies.close();
    }

    private Duration opening() {
        return Duration.ofSeconds(30 + command.streams / 20);
    }

    /** All streams at once, until all have everything. */
    private void storm(String prefix) throws Exception {
        var memory = new PeakMemory(session.server());
        var measured = new Span(session.server(), proxies);
        var done = new AtomicBoolean();
        CompletableFuture<Void> sampling = CompletableFuture.runAsync(() -> sample(memory, done));
        try {
            proxies.open(command.streams, command.atOnce == 0 ? command.streams : command.atOnce, opening());
        } finally {
            done.set(true);
            sampling.join();
        }
        measured.end();
        report.put(prefix + "streams_per_second", command.streams / measured.seconds);
        report.put(prefix + "storm_seconds", measured.seconds);
        if (session.server() != null) {
            report.put(prefix + "storm_server_cpu_seconds", measured.serverSeconds);
            report.put(prefix + "server_cpu_us_per_stream", measured.serverSeconds * 1e6 / command.streams);
            cpuSeconds.put(prefix + "storm", measured.serverSeconds);
        }
        report.put(prefix + "storm_messages_per_stream", (double) measured.messages / command.streams);
        report.put(prefix + "storm_bytes_per_stream", (double) measured.bytes / command.streams);
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

    private void idle() throws InterruptedException {
        var measured = new Span(session.server(), proxies);
        pause(command.idle);
        measured.end();
        if (session.server() != null) {
            report.put("idle_server_cpu_ms_per_second", measured.serverSeconds * 1e3 / measured.seconds);
        }
        report.put("idle_messages", measured.messages);
    }

    private void singleChanges() throws InterruptedException {
        var measured = new Span(session.server(), proxies);
        long missing = 0;
        for (int i = 0; i < command.changes; i++) {
            missing += proxies.playRound(i % command.services, command.converge);
            TimeUnit.MILLISECONDS.sleep(command.pauseMillis);
        }
        measured.end();
        double pushes = (double) command.changes * command.streams;
        report.put("changes", (long) command.changes);
        report.put("change_messages_per_stream", measured.messages / pushes);
        report.put("change_bytes_per_stream", measured.bytes / pushes);
        if (session.server() != null) {
            report.put("change_server_cpu_ms", measured.serverSeconds * 1e3 / command.changes);
            report.put("change_server_cpu_us_per_stream", measured.serverSeconds * 1e6 / pushes);
            cpuSeconds.put("change", measured.serverSeconds);
        }
        report.putLatency("push", proxies.each());
        report.putLatency("last_push", proxies.last());
        report.putFailures("changes_missing", missing);
    }

    private void manyChanges() throws InterruptedException {
        // No service has two changes under way, unless there are fewer services than changes.
        var order = new ArrayList<>(IntStream.range(0, command.services).boxed().toList());
        Collections.shuffle(order, new Random(command.options.seed));
        var answers = new CompletableFuture<?>[command.burst];
        var measured = new Span(session.server(), proxies);
        long begin = System.nanoTime();
        for (int i = 0; i < command.burst; i++) {
            long due = begin + (long) (i * 1e9 / command.burst);
            TimeUnit.NANOSECONDS.sleep(Math.max(0, due - System.nanoTime()));
            answers[i] = all.change(order.get(i % command.services));
        }
        CompletableFuture.allOf(answers).join();
        long lastChange = System.nanoTime();
        long deadline = lastChange + (long) (command.converge * 1e9);
        while (proxies.countWrong() > 0 && deadline - System.nanoTime() > 0) {
            TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
        }
        long converged = proxies.latestNanos();
        pause(command.settle);
        measured.end();
        report.put("burst_changes", (long) command.burst);
        report.put("burst_messages_per_stream", (double) measured.messages / command.streams);
        report.put("burst_bytes", measured.bytes);
        if (session.server() != null) {
            report.put("burst_server_cpu_seconds", measured.serverSeconds);
            cpuSeconds.put("burst", measured.serverSeconds);
        }
        report.put("burst_converged_after_last_change_us", Math.max(0, converged - lastChange) / 1e3);
        reportFinalState("streams_with_a_wrong_final_state");
    }

    private void reportFinalState(String name) {
        report.putFailures(name, proxies.countWrong());
    }

    private void reportHeap(String name, long bytes) {
        if (session.server() != null) {
            report.put(name, (double) bytes / command.streams);
        }
    }

    /** 0 without a process to ask. */
    private long settledHeap() throws InterruptedException {
        ServerProcess server = session.server();
        if (server == null) {
            return 0;
        }
        pause(command.settle);
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
