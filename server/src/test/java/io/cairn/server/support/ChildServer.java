package io.cairn.server.support;

import static io.cairn.testing.Patience.PATIENCE;
import static io.cairn.testing.Patience.START;
import static org.awaitility.Awaitility.await;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** A server in its own JVM, started as the scripts start it, on the class path of this JVM. */
public final class ChildServer implements AutoCloseable {

    private static final String HEAP = "256m";
    private static final String CLASS_PATH = System.getProperty("java.class.path");

    private final Path folder;
    private final Process process;

    private ChildServer(Path folder, Process process) {
        this.folder = folder;
        this.process = process;
    }

    /** Starts a server with that home on any free pair of ports and returns once it is ready. */
    public static ChildServer start(Path home, String... arguments) {
        return start(home, Map.of(), arguments);
    }

    /** Like {@link #start(Path, String...)}, with additional environment variables. */
    public static ChildServer start(Path home, Map<String, String> environment, String... arguments) {
        List<String> all = new ArrayList<>(List.of("--server.port=0"));
        all.addAll(List.of(arguments));
        ChildServer server = launch(home, environment, all.toArray(String[]::new));
        server.awaitReady();
        return server;
    }

    /** Like {@link #start(Path, String...)}, with that largest heap, such as {@code 96m}; it ends when that is not enough. */
    public static ChildServer startWithHeap(String heap, Path home, String... arguments) {
        List<String> all = new ArrayList<>(List.of("--server.port=0"));
        all.addAll(List.of(arguments));
        ChildServer server = launchOn(CLASS_PATH, heap, home, Map.of(), all.toArray(String[]::new));
        server.awaitReady();
        return server;
    }

    /** Like {@link #start(Path, String...)}, on the class path of this JVM without the entries that the condition names. */
    public static ChildServer startWithout(Predicate<String> left, Path home) {
        String classPath = Arrays.stream(CLASS_PATH.split(File.pathSeparator))
                .filter(left.negate())
                .collect(Collectors.joining(File.pathSeparator));
        if (classPath.equals(CLASS_PATH)) {
            throw new AssertionError("nothing to leave out of " + CLASS_PATH);
        }
        ChildServer server = launchOn(classPath, HEAP, home, Map.of(), "--server.port=0");
        server.awaitReady();
        return server;
    }

    /** Waits until the server is ready; kills it and fails if it does not become ready. */
    public void awaitReady() {
        try {
            await().atMost(START)
                    .pollInterval(Duration.ofMillis(20))
                    .until(() -> !status().isEmpty() || !process.isAlive());
            if (!status().startsWith("ready\n")) {
                throw new AssertionError("no server: " + status() + errors() + output());
            }
        } catch (RuntimeException | AssertionError e) {
            close();
            throw e;
        }
    }

    /** Starts a server with that home and returns at once. */
    public static ChildServer launch(Path home, String... arguments) {
        return launch(home, Map.of(), arguments);
    }

    private static ChildServer launch(Path home, Map<String, String> environment, String... arguments) {
        return launchOn(CLASS_PATH, HEAP, home, environment, arguments);
    }

    private static ChildServer launchOn(
            String classPath, String heap, Path home, Map<String, String> environment, String... arguments) {
        try {
            Files.createDirectories(home);
            Path folder = Files.createTempDirectory(home, "run");
            List<String> command = new ArrayList<>(List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-Xmx" + heap,
                    // As the scripts start it.
                    "-XX:+ExitOnOutOfMemoryError",
                    // The server runs for seconds only.
                    "-XX:TieredStopAtLevel=1",
                    "-XX:+UseSerialGC",
                    "--enable-native-access=ALL-UNNAMED",
                    "-Dcairn.home=" + home,
                    "-Dcairn.pid-file=" + folder.resolve("cairn.pid"),
                    "-Dcairn.status-file=" + folder.resolve("status"),
                    "-cp",
                    classPath,
                    "io.cairn.server.CairnServer"));
            command.addAll(List.of(arguments));
            ProcessBuilder builder = new ProcessBuilder(command)
                    .redirectOutput(folder.resolve("out").toFile())
                    .redirectError(folder.resolve("err").toFile());
            builder.environment().putAll(environment);
            return new ChildServer(folder, builder.start());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public long pid() {
        return process.pid();
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    public int httpPort() {
        return portOf("HTTP  http://127.0.0.1:");
    }

    public int grpcPort() {
        return portOf("gRPC  127.0.0.1:");
    }

    private int portOf(String before) {
        String line = status().lines()
                .filter(each -> each.startsWith(before))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no '" + before + "' in: " + status()));
        return Integer.parseInt(line.substring(before.length()).replaceAll("/.*", ""));
    }

    /** The text of the status file; empty when there is no file yet. */
    public String status() {
        return read("status");
    }

    public Path pidFile() {
        return folder.resolve("cairn.pid");
    }

    /** The standard output so far. */
    public String output() {
        return read("out");
    }

    /** The standard error so far. */
    public String errors() {
        return read("err");
    }

    private String read(String file) {
        try {
            Path path = folder.resolve(file);
            return Files.exists(path) ? Files.readString(path) : "";
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Waits until the process ends by itself; returns its exit status. */
    public int exit() {
        try {
            if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                throw new AssertionError("still running after " + PATIENCE + ": " + output());
            }
            return process.exitValue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** SIGTERM; returns the exit status. */
    public int stop() {
        process.destroy();
        return exit();
    }

    /** SIGKILL; returns when the process has ended. */
    public void kill() {
        process.destroyForcibly();
        exit();
    }

    @Override
    public void close() {
        kill();
    }
}
