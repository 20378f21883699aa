package io.cairn.benchmark;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.ConcurrentHistogram;
import org.jspecify.annotations.Nullable;

/**
 * Counts what ends within a window of time, and the CPU time that the server and this process took for it. What ends
 * before or after is not counted; failures always are. Safe to call from all event loops.
 */
final class Measurement {
    private static final long LONGEST_NANOS = TimeUnit.MINUTES.toNanos(2);
    private static final int DIGITS = 3;
    private static final int CAUSES_KEPT = 5;
    private static final int HOPELESS_FAILURES = 1000;
    private static final long POLL_MILLIS = 50;
    private static final Duration LONGEST_EXTENSION = Duration.ofMinutes(1);

    private final ConcurrentHistogram latency = newHistogram();
    private final LongAdder succeeded = new LongAdder();
    private final LongAdder failed = new LongAdder();
    private final ConcurrentMap<String, LongAdder> causes = new ConcurrentHashMap<>();
    private final Optional<ServerProcess> server;
    private final ServerProcess load = new ServerProcess(ProcessHandle.current().pid());
    private volatile boolean recording;
    private double seconds;
    private long serverMicros;
    private long loadMicros;
    private boolean countsWrites;
    private ServerProcess.@Nullable Writes writesBefore;
    private ServerProcess.@Nullable Writes writes;

    Measurement(@Nullable ServerProcess server) {
        this.server = Optional.ofNullable(server);
    }

    static ConcurrentHistogram newHistogram() {
        return new ConcurrentHistogram(1, LONGEST_NANOS, DIGITS);
    }

    /** Also counts the bytes and calls that the server writes within the window. */
    void countWrites() {
        countsWrites = true;
    }

    boolean isRecording() {
        return recording;
    }

    void succeeded(long startedNanos) {
        succeeded.increment();
        if (recording) {
            record(latency, System.nanoTime() - startedNanos);
        }
    }

    static void record(ConcurrentHistogram histogram, long nanos) {
        histogram.recordValue(Math.min(Math.max(nanos, 1), LONGEST_NANOS));
    }

    void failed(String cause) {
        failed.increment();
        LongAdder count = causes.get(cause);
        if (count == null && causes.size() < CAUSES_KEPT) {
            count = causes.computeIfAbsent(cause, unused -> new LongAdder());
        }
        if (count != null) {
            count.increment();
        }
    }

    long failures() {
        return failed.sum();
    }

    /** Lets the load run for the warm-up, then for the window that is measured: at least until one operation has ended in it. */
    void watch(Duration warmup, Duration window) throws InterruptedException {
        pass(warmup);
        begin();
        pass(window);
        long deadline = System.nanoTime() + LONGEST_EXTENSION.toNanos();
        while (latency.getTotalCount() == 0 && System.nanoTime() < deadline) {
            pass(Duration.ofMillis(POLL_MILLIS));
        }
        end();
    }

    void begin() {
        latency.reset();
        writesBefore = serverWrites();
        serverMicros = -serverCpu();
        loadMicros = -load.cpuMicros();
        seconds = -System.nanoTime() / 1e9;
        recording = true;
    }

    void end() {
        recording = false;
        seconds += System.nanoTime() / 1e9;
        loadMicros += load.cpuMicros();
        serverMicros += serverCpu();
        ServerProcess.Writes after = serverWrites();
        writes = after == null || writesBefore == null ? null : after.minus(writesBefore);
    }

    private ServerProcess.@Nullable Writes serverWrites() {
        return countsWrites ? server.map(ServerProcess::writes).orElse(null) : null;
    }

    private long serverCpu() {
        return server.map(ServerProcess::cpuMicros).orElse(0L);
    }

    private void pass(Duration time) throws InterruptedException {
        long deadline = System.nanoTime() + time.toNanos();
        for (long left = time.toNanos(); left > 0; left = deadline - System.nanoTime()) {
            TimeUnit.NANOSECONDS.sleep(Math.min(left, TimeUnit.MILLISECONDS.toNanos(POLL_MILLIS)));
            if (failed.sum() > HOPELESS_FAILURES && succeeded.sum() == 0) {
                throw new BenchmarkException("no operation succeeds: "
                        + causes.keySet().stream().findFirst().orElse("unknown cause"));
            }
        }
    }

    /** Operations a second, CPU time of each and latency, then what failed. */
    void report(Report report) {
        long operations = latency.getTotalCount();
        report.put("seconds", seconds);
        report.put("operations", operations);
        report.put("operations_per_second", operations / seconds);
        reportCpu(report, "op", operations);
        report.putLatency("latency", latency);
        reportFailures(report);
        if (operations == 0) {
            report.putFailures("windows_without_an_operation", 1);
        }
    }

    void reportCpu(Report report, String unit, long operations) {
        if (server.isPresent()) {
            report.put("server_cpu_us_per_" + unit, (double) serverMicros / Math.max(1, operations));
            report.put("server_cpu_cores", serverMicros / 1e6 / seconds);
            report.put("server_rss_kb", server.get().residentKilobytes());
            report.put("server_threads", server.get().threads());
        }
        report.put("load_cpu_us_per_" + unit, (double) loadMicros / Math.max(1, operations));
    }

    /** Bytes and calls that the server wrote within the window; nothing without {@link #countWrites} or without the server's process id. */
    void reportWrites(Report report, String unit) {
        if (writes != null) {
            double operations = Math.max(1, latency.getTotalCount());
            report.put("server_written_bytes_per_" + unit, writes.bytes() / operations);
            report.put("server_disk_bytes_per_" + unit, writes.diskBytes() / operations);
            report.put("server_write_calls_per_" + unit, writes.calls() / operations);
        }
    }

    /**
     * The part of {@link #reportCpu} that is not there without any load: what matters when the operations are few.
     *
     * @param idleCores what the server takes with the same connections and nothing to do
     */
    void reportCpuAboveIdle(Report report, String unit, long operations, double idleCores) {
        if (server.isPresent()) {
            report.put("server_cpu_ms_per_idle_second", idleCores * 1e3);
            report.put(
                    "server_cpu_us_per_" + unit + "_above_idle",
                    (serverMicros - idleCores * 1e6 * seconds) / Math.max(1, operations));
        }
    }

    void reportFailures(Report report) {
        report.putFailures("failures", failed.sum());
        int number = 0;
        for (var cause : causes.entrySet()) {
            number++;
            report.put("failure_" + number, cause.getValue().sum() + " x " + cause.getKey());
        }
    }
}
