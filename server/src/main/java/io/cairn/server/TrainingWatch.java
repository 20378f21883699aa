package io.cairn.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends this process, a training run, as soon as it has lost its purpose: the server for whose sake the archive is recorded,
 * the script that waits for it, or the folder in which it works. The script ends it too; this holds where the script was
 * killed.
 */
final class TrainingWatch implements Runnable {

    private static final Logger log = LoggerFactory.getLogger(TrainingWatch.class);
    private static final String SERVER = "cairn.train-for";
    private static final int STATUS = 3;

    private final List<ProcessHandle> needed;
    private final Path folder;

    private TrainingWatch(List<ProcessHandle> needed, Path folder) {
        this.needed = List.copyOf(needed);
        this.folder = folder;
    }

    /** Begins to watch where the system property {@code cairn.train-for} names a process. */
    static void start() {
        Long server = Long.getLong(SERVER);
        if (server == null) {
            return;
        }
        List<ProcessHandle> needed = new ArrayList<>();
        Optional<ProcessHandle> started = ProcessHandle.of(server);
        if (started.isEmpty()) {
            end("process " + server);
        }
        started.ifPresent(needed::add);
        ProcessHandle.current().parent().ifPresent(needed::add);
        Thread watch = new Thread(
                new TrainingWatch(needed, Path.of(System.getProperty("cairn.home", ""))), "cairn-training-watch");
        watch.setDaemon(true);
        watch.start();
    }

    @Override
    public void run() {
        try {
            while (true) {
                for (ProcessHandle process : needed) {
                    if (!process.isAlive()) {
                        end("process " + process.pid());
                    }
                }
                if (!Files.exists(folder)) {
                    end(folder.toString());
                }
                TimeUnit.SECONDS.sleep(1);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** By a signal: a JVM that ends in any other way writes the archive first, and starts another JVM for that. */
    private static void end(String lost) {
        log.warn("the training run ends without an archive: {} is gone", lost);
        try {
            new ProcessBuilder(
                            "/bin/sh",
                            "-c",
                            "kill -KILL " + ProcessHandle.current().pid())
                    .start()
                    .waitFor();
        } catch (IOException e) {
            log.warn("the training run cannot be killed and ends as usual: {}", e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        Runtime.getRuntime().halt(STATUS);
    }
}
