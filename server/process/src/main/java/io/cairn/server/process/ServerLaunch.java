package io.cairn.server.process;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Starts a server in its home folder, also repeatedly. */
record ServerLaunch(
        PackedServer server,
        Path javaHome,
        Path home,
        List<String> jvmArguments,
        List<String> programArguments,
        Duration timeout) {
    static final String MAIN_CLASS = "io.cairn.server.CairnServer";

    /** A test server lives for seconds or minutes: with the first compiler alone a start needs half the CPU time. */
    static final List<String> SHORT_LIVED =
            List.of("-Xms32m", "-Xmx512m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC");

    private static final long POLL_MILLIS = 20;
    private static final int TAIL_BYTES = 64 * 1024;

    ServerLaunch {
        jvmArguments = List.copyOf(jvmArguments);
        programArguments = List.copyOf(programArguments);
    }

    /**
     * Returns when the server serves.
     *
     * @throws CairnStartException when it fails, ends or is not ready in time; no process is left then
     */
    Process start(PortPair ports) {
        try {
            Files.createDirectories(log().getParent());
            Path status = Files.createTempFile(home, "status", ".txt");
            Files.delete(status);
            Process process = new ProcessBuilder(command(ports, status))
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile()))
                    .start();
            boolean ready = false;
            try {
                process.getOutputStream().close();
                awaitReady(process, status);
                ready = true;
                return process;
            } finally {
                if (!ready) {
                    kill(process);
                }
                Files.deleteIfExists(status);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static void kill(Process process) {
        process.destroyForcibly();
        process.onExit().join();
    }

    Path log() {
        return home.resolve("logs").resolve("start.out");
    }

    String output() {
        try (var file = new RandomAccessFile(log().toFile(), "r")) {
            var tail = new byte[(int) Math.min(file.length(), TAIL_BYTES)];
            file.seek(file.length() - tail.length);
            file.readFully(tail);
            return new String(tail, StandardCharsets.UTF_8);
        } catch (IOException unread) {
            return "";
        }
    }

    private List<String> command(PortPair ports, Path status) throws IOException {
        var command = new ArrayList<String>();
        command.add(javaHome.resolve("bin").resolve("java").toString());
        command.add("-Dcairn.home=" + home);
        command.add("-Dcairn.pid-file=" + home.resolve("cairn.pid"));
        command.add("-Dcairn.status-file=" + status);
        command.add("--enable-native-access=ALL-UNNAMED");
        command.addAll(SHORT_LIVED);
        command.addAll(ClassArchive.of(server, javaHome).flags());
        command.addAll(jvmArguments);
        command.add("-cp");
        command.add(server.classPath());
        command.add(MAIN_CLASS);
        command.add("--server.port=" + ports.http());
        command.addAll(programArguments);
        return command;
    }

    private void awaitReady(Process process, Path status) throws IOException {
        long deadline = System.nanoTime() + timeout.toNanos();
        while (true) {
            boolean alive = process.isAlive(); // Before the status, which a dying server writes last
            List<String> lines = read(status);
            if (!lines.isEmpty() && lines.get(0).equals("ready")) {
                return;
            }
            if (lines.size() > 1 && lines.get(0).equals("failed")) {
                throw failure(lines.get(1));
            }
            if (!alive) {
                throw failure(
                        "the server ended with status " + process.exitValue() + " before it was ready: " + lastLine());
            }
            if (System.nanoTime() >= deadline) {
                throw failure("not ready within " + timeout.toMillis() + " ms: " + lastLine());
            }
            pause(process);
        }
    }

    private void pause(Process process) {
        try {
            process.waitFor(POLL_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw failure("interrupted while the server started");
        }
    }

    private CairnStartException failure(String cause) {
        return new CairnStartException(cause, output());
    }

    private static List<String> read(Path status) throws IOException {
        try {
            return Files.readAllLines(status);
        } catch (NoSuchFileException notYet) {
            return List.of();
        }
    }

    private String lastLine() {
        return output().lines()
                .filter(line -> !line.isBlank())
                .reduce((earlier, later) -> later)
                .map(String::strip)
                .orElse("it printed nothing");
    }
}
