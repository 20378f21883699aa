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
 * A process that can be killed and paused, and ends with this JVM in any case: a shell reads a pipe from this JVM, and kills
 * the process and deletes its folder when the pipe is closed. Thread-safe.
 */
final class GuardedProcess {

    private static final long PATIENCE_SECONDS = 120;

    private static final String GUARD = "folder=$1; log=$2; shift 2; exec 3<&0; "
            + "\"$@\" 3<&- </dev/null >>\"$log\" 2>&1 & child=$!; echo $child; "
            // The waiting shell terminates the guard, which must delete the folder first.
            + "{ cat <&3; trap '' TERM; kill -9 $child; "
            + "rm -rf \"$folder\"; rmdir \"${folder%/*}\"; } >/dev/null 2>&1 & "
            + "guard=$!; exec 3<&-; wait $child; ended=$?; kill $guard; exit $ended";

    private final Process shell;
    private final long pid;

    private GuardedProcess(Process shell, long pid) {
        this.shell = shell;
        this.pid = pid;
    }

    /** The reason why this system does not support such processes; null when it does. */
    static @Nullable String obstacle() {
        return System.getProperty("os.name").toLowerCase(Locale.ROOT).contains("windows")
                ? "a cluster for tests needs a shell and signals, which Windows does not have (use Linux, macOS or WSL)"
                : null;
    }

    /**
     * @param folder deleted when this JVM ends before the process
     * @param log receives the output, appended
     */
    static GuardedProcess start(Path folder, Path log, List<String> command) {
        List<String> guarded = new ArrayList<>(List.of("sh", "-c", GUARD, "sh", folder.toString(), log.toString()));
        guarded.addAll(command);
        try {
            Process shell = new ProcessBuilder(guarded)
                    .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()))
                    .start();
            // The reader stays open, because the process uses the other end of the pipe.
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

    /** Sends SIGTERM; returns after the end of the process. */
    void stop() {
        if (isAlive()) {
            signal("TERM");
            awaitEnd();
        }
    }

    /** Sends SIGKILL; returns after the end of the process. */
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
