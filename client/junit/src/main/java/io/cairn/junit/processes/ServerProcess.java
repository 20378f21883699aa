package io.cairn.junit.processes;

import io.cairn.junit.isolation.IsolatedServer;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A server in a separate JVM, which a test can stop, kill, pause and start again. Thread-safe. */
public final class ServerProcess {

    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private final Path home;
    private final Map<String, String> settings;
    private final ClassArchive classes = new ClassArchive(IsolatedServer.cachedJars());

    /** Guarded by this. */
    private @Nullable GuardedProcess process;

    /** Guarded by this. */
    private boolean paused;

    /** @param settings as in application.properties; they override all other sources */
    public ServerProcess(Path home, Map<String, String> settings) {
        this.home = home;
        this.settings = Map.copyOf(settings);
    }

    public static @Nullable String obstacle() {
        return GuardedProcess.obstacle();
    }

    /** Returns without waiting; does nothing when the server is running. */
    public synchronized void launch() {
        if (process != null) {
            return;
        }
        try {
            Files.createDirectories(home);
            Files.deleteIfExists(status());
        } catch (IOException e) {
            throw new UncheckedIOException(home + " cannot be written: " + e.getMessage(), e);
        }
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                // A start fills this heap once.
                "-Xms128m",
                "-Xmn96m",
                // The process lives for seconds, too short for the second compiler.
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-XX:-UsePerfData",
                "--enable-native-access=ALL-UNNAMED"));
        command.addAll(classes.flags());
        command.addAll(List.of(
                "-Dcairn.home=" + home,
                "-Dcairn.status-file=" + status(),
                "-cp",
                IsolatedServer.jars().stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator)),
                "io.cairn.server.CairnServer"));
        settings.forEach((name, value) -> command.add("--" + name + '=' + value));
        process = GuardedProcess.start(home, log(), command);
        paused = false;
    }

    /** @throws IllegalStateException with the server's error text, when it does not start */
    public void awaitReady() {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            GuardedProcess running = process();
            boolean alive = running != null && running.isAlive();
            String said = read(status());
            if (said.startsWith("ready\n")) {
                return;
            }
            if (!alive || !said.isEmpty() || System.nanoTime() - deadline > 0) {
                kill();
                throw new IllegalStateException("The Cairn server did not start: "
                        + (said.isBlank() ? "its output was:\n" + output() : said.strip()));
            }
            Pauses.pause();
        }
    }

    private synchronized @Nullable GuardedProcess process() {
        return process;
    }

    public synchronized boolean serves() {
        return process != null && !paused && process.isAlive();
    }

    /**
     * Records the classes for faster starts once, which pauses the server for some seconds.
     */
    public synchronized void recordClasses() {
        GuardedProcess running = process;
        if (running != null && serves()) {
            classes.record(running.pid());
        }
    }

    /** Sends SIGTERM; returns after the end of the process. */
    public synchronized void stop() {
        GuardedProcess running = process;
        if (running != null) {
            resume();
            running.stop();
            process = null;
        }
    }

    /** Sends SIGKILL; returns after the end of the process. */
    public synchronized void kill() {
        GuardedProcess running = process;
        if (running != null) {
            running.kill();
            process = null;
            paused = false;
        }
    }

    /** Sends SIGSTOP: connections stay open without responses until {@link #resume}. */
    public synchronized void pause() {
        GuardedProcess running = process;
        if (running == null) {
            throw new IllegalStateException("the server does not run");
        }
        running.pause();
        paused = true;
    }

    /** Sends SIGCONT. */
    public synchronized void resume() {
        GuardedProcess running = process;
        if (running != null && paused) {
            running.resume();
            paused = false;
        }
    }

    public String output() {
        return read(log());
    }

    private Path status() {
        return home.resolve("status");
    }

    private Path log() {
        return home.resolve("output");
    }

    private static String read(Path file) {
        try {
            return Files.exists(file) ? Files.readString(file) : "";
        } catch (IOException e) {
            throw new UncheckedIOException(file + " cannot be read", e);
        }
    }
}
