package io.cairn.benchmark;

import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that every benchmark has. */
final class RunOptions {
    private static final double LONGEST_SECONDS = 3600;
    private static final int MOST_THREADS = 16;

    @Option(
            names = "--server",
            paramLabel = "host:port",
            description = "HTTP port of the server; gRPC is 1000 above (default: ${DEFAULT-VALUE})")
    String server = "127.0.0.1:8848";

    @Option(names = "--pid", description = "the server's process id, to measure its CPU time and memory")
    long pid;

    @Option(names = "--seconds", description = "length of the measured window (default: ${DEFAULT-VALUE})")
    double seconds = 10;

    @Option(names = "--warmup", description = "seconds of load before it (default: ${DEFAULT-VALUE})")
    double warmup = 5;

    @Option(names = "--seed", description = "seed of all random values (default: ${DEFAULT-VALUE})")
    long seed = 1;

    @Option(names = "--threads", description = "event loops of this process (default: ${DEFAULT-VALUE})")
    int threads = 1;

    @Option(names = "--json", description = "print one JSON object instead of the table")
    boolean json;

    @Option(names = "--json-file", description = "write the JSON to this file as well")
    @Nullable
    Path jsonFile;

    @Option(names = "--user", description = "logs in with this name, and with --password")
    @Nullable
    String user;

    @Option(names = "--password", description = "of --user")
    String password = "";

    @Option(
            names = "--baseline",
            description = "first run the same load against a bare server in its own process (figures: bare_...)")
    boolean baseline;

    void check() {
        Limits.within("--seconds", seconds, 0.05, LONGEST_SECONDS);
        Limits.within("--warmup", warmup, 0, LONGEST_SECONDS);
        Limits.within("--threads", threads, 1, MOST_THREADS);
        Limits.within("--pid", (double) pid, 0, Integer.MAX_VALUE);
    }

    Duration window() {
        return Duration.ofNanos((long) (seconds * 1e9));
    }

    Duration warmupTime() {
        return Duration.ofNanos((long) (warmup * 1e9));
    }
}
