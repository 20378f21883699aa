package io.cairn.server.compatibility;

import io.cairn.server.process.CommandProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** {@code bin/cairn migrate} between two servers, with one journal for all its starts. Not thread-safe. */
final class MigrationBridge implements AutoCloseable {

    private final Path folder;
    private final String from;
    private final String to;
    private final int intervalSeconds;
    private final List<String> options;
    private CommandProcess process;
    private int starts;

    private MigrationBridge(Path folder, String from, String to, int intervalSeconds, List<String> options) {
        this.intervalSeconds = intervalSeconds;
        this.folder = folder;
        this.from = from;
        this.to = to;
        this.options = List.copyOf(options);
        process = launch(options);
    }

    /** Starts a bridge that follows both servers. */
    static MigrationBridge follow(Path folder, String from, String to, String... options) {
        return follow(folder, from, to, 2, options);
    }

    static MigrationBridge follow(Path folder, String from, String to, int intervalSeconds, String... options) {
        List<String> all = new ArrayList<>(List.of("--follow", "--both-ways"));
        all.addAll(List.of(options));
        return new MigrationBridge(folder, from, to, intervalSeconds, all);
    }

    private CommandProcess launch(List<String> more) {
        List<String> arguments = new ArrayList<>(List.of(
                "migrate",
                "--from",
                "http://" + from,
                "--to",
                "http://" + to,
                "--namespaces",
                "public",
                "--interval",
                String.valueOf(intervalSeconds),
                "--journal",
                folder.resolve("journal").toString()));
        arguments.addAll(more);
        starts++;
        return CommandProcess.start(
                folder.resolve("bridge-" + starts + ".out"), Map.of(), arguments.toArray(String[]::new));
    }

    void killAndStart() {
        process.kill();
        process = launch(options);
    }

    /** Ends the bridge and cuts over in its place; returns the exit status. */
    int cutOver(Duration timeout) throws InterruptedException {
        process.end();
        process.await(timeout);
        List<String> last = new ArrayList<>(options);
        last.remove("--both-ways");
        last.add("--cut-over");
        process = launch(last);
        return process.await(timeout);
    }

    boolean isAlive() {
        return process.isAlive();
    }

    long pid() {
        return process.pid();
    }

    /** Of the present process. */
    String output() {
        return process.output();
    }

    @Override
    public void close() {
        process.close();
    }
}
