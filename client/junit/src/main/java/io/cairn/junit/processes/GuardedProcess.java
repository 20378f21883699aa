package io.cairn.junit.processes;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A process that can be killed, paused and resumed. It ends with this JVM, however that ends: a shell holds a pipe from this JVM,
 * and kills the process and removes its folder once the pipe is closed. Thread-safe.
 */
final class GuardedProcess {

    private static final long PATIENCE_SECONDS = 120;

    private static final String GUARD = "folder=$1; log=$2; shift 2; exec 3<&0; "
            + "\"$@\" 3<&- </dev/null >>\"$log\" 2>&1 & child=$!; echo $child; "
            // The shell that waits for the process ends this one, which has the folder to remove first.
            + "{ cat <&3; trap '' TERM; kill -9 $child; "
            + "rm -rf \"$folder\"; rmdir \"${folder%/*}\"; } >/dev/null 2>&1 & "
            + "guard=$!; exec 3<&-; wait $child; ended=$?; kill $guard; exit $ended";

    private final Process shell;
    private final long pid;

    private GuardedProcess(Process shell, long pid) {
        this.shell = shell;
        this.pid = pid;
    }

    /** Why no such process can be started here; null when it can. */
    static @Nullable String obstacle() {
        return System.getProperty("os.name").toLowerCase(Locale.ROOT).contains("windows")
                ? "a cluster for tests needs a shell and signals, which Windows does not have (use Linux, macOS or WSL)"
                : null;
    }

    /**
     * Starts a process.
     *
     * @param folder what is removed when this JVM ends first
     * @param log where its output goes, at the end of what is there
     */
    static GuardedProcess start(Path folder, Path log, List<String> command) {
        List<String> guarded = new ArrayList<>(List.of("sh", "-c", GUARD, "sh", folder.toString(), log.toString()));
        guarded.addAll(command);
        try {
            Process shell = new ProcessBuilder(guarded)
                    .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()))
                    .start();
            // Not closed: the other side of the pipe belongs to the process.
            String pid = new BufferedReader(new InputStreamReader(shell.getInputStream(), StandardCharsets.UTF_8))
                    .readLine();
            if (pid == null) {
                throw new IOException("the shell that was to start it has ended");
            }
            return new GuardedProcess(shell, Long.parseLong(pid));
        } catch (IOException e) {
            throw new UncheckedIOException(command.get(0) + " cannot be started: " + e.getMessage(), e);
        }
    }

    long pid() {
        return pid;
    }

    boolean isAlive() {
        return shell.isAlive();
    }

    /** SIGTERM; returns when it has ended. */
    void stop() {
        if (isAlive()) {
            signal("TERM");
            awaitEnd();
        }
    }

    /** SIGKILL; returns when it has ended. */
    void kill() {
        if (isAlive()) {
            signal("KILL");
            awaitEnd();
        }
    }

    void pause() {
        signal("STOP");
    }

    void resume() {
        signal("CONT");
    }

    private void signal(String name) {
        try {
            Process kill = new ProcessBuilder("kill", '-' + name, Long.toString(pid))
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.to(new File("/dev/null")))
                    .start();
            if (!kill.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS) || kill.exitValue() != 0 && isAlive()) {
                throw new IllegalStateException("process " + pid + " did not take signal " + name);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("signal " + name + " for process " + pid + " failed", e);
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    private void awaitEnd() {
        try {
            if (!shell.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                throw new IllegalStateException("process " + pid + " has not ended after " + PATIENCE_SECONDS + " s");
            }
            shell.getOutputStream().close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    private static IllegalStateException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new IllegalStateException("interrupted", e);
    }
}
