package io.cairn.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Ends this training run when the server that needs the archive, the waiting script or the working folder is gone. The script ends
 * it, too, unless it was killed.
 */
final class TrainingWatch implements Runnable {

    private static final String PROCESSES = "cairn.train-for";
    private static final int STATUS = 3;

    private final List<ProcessHandle> needed;
    private final Path folder;
    private final Consumer<String> report;

    private TrainingWatch(List<ProcessHandle> needed, Path folder, Consumer<String> report) {
        this.needed = List.copyOf(needed);
        this.folder = folder;
        this.report = report;
    }

    /**
     * Watches the processes of the system property {@code cairn.train-for}.
     *
     * @param report receives the reason of the end; there may be no log yet
     */
    static void start(Consumer<String> report) {
        String ids = System.getProperty(PROCESSES);
        if (ids == null) {
            return;
        }
        List<ProcessHandle> needed = new ArrayList<>();
        for (String id : ids.split(",", -1)) {
            Optional<ProcessHandle> process = ProcessHandle.of(Long.parseLong(id));
            if (process.isEmpty()) {
                end("process " + id, report);
            }
            process.ifPresent(needed::add);
        }
        Thread watch = new Thread(
                new TrainingWatch(needed, Path.of(System.getProperty("cairn.home", "")), report),
                "cairn-training-watch");
        watch.setDaemon(true);
        watch.start();
    }

    @Override
    public void run() {
        try {
            while (true) {
                for (ProcessHandle process : needed) {
                    if (!process.isAlive()) {
                        end("process " + process.pid(), report);
                    }
                }
                if (!Files.exists(folder)) {
                    end(folder.toString(), report);
                }
                TimeUnit.SECONDS.sleep(1);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** By a signal: otherwise the JVM writes the archive first, in another JVM. */
    private static void end(String lost, Consumer<String> report) {
        report.accept("the training run ends without an archive: " + lost + " is gone");
        try {
            new ProcessBuilder(
                            "/bin/sh",
                            "-c",
                            "kill -KILL " + ProcessHandle.current().pid())
                    .start()
                    .waitFor();
        } catch (IOException e) {
            report.accept("the training run cannot be killed and ends as usual: " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        Runtime.getRuntime().halt(STATUS);
    }
}
