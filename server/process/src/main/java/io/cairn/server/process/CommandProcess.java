package io.cairn.server.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** {@code bin/cairn} of the unpacked distribution, in a process of its own. Not thread-safe. */
public final class CommandProcess implements AutoCloseable {

    private final Process process;
    private final Path log;

    private CommandProcess(Process process, Path log) {
        this.process = process;
        this.log = log;
    }

    /**
     * Returns at once.
     *
     * @param log receives standard output and error at its end
     * @param environment added to that of this JVM
     */
    public static CommandProcess start(Path log, Map<String, String> environment, String... arguments) {
        List<String> command = new ArrayList<>();
        command.add(PackedServer.locate().home().resolve("bin").resolve("cairn").toString());
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        builder.environment().putAll(environment);
        try {
            Process process = builder.start();
            process.getOutputStream().close();
            return new CommandProcess(process, log);
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

    public String output() {
        try {
            return Files.exists(log) ? Files.readString(log, StandardCharsets.UTF_8) : "";
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Awaits the end.
     *
     * @return the exit status
     * @throws IllegalStateException when the command runs on after that time
     */
    public int await(Duration timeout) throws InterruptedException {
        if (!process.waitFor(timeout.toMillis(), TimeUnit.MILLISECONDS)) {
            throw new IllegalStateException(
                    "the command runs on after " + timeout.toSeconds() + " s; it printed: " + output());
        }
        return process.exitValue();
    }

    /** SIGTERM. */
    public void end() {
        process.destroy();
    }

    /** SIGKILL; returns when the process has ended. */
    public void kill() {
        ServerLaunch.kill(process);
    }

    @Override
    public void close() {
        kill();
    }
}
