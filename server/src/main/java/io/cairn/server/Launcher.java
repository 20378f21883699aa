package io.cairn.server;

import io.cairn.api.error.CairnException;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Starts the server as a process: keeps the files by which scripts know it ({@code cairn.pid-file},
 * {@code cairn.status-file}), and says in one line why it does not start.
 */
final class Launcher {

    private static final String TRAIN = "--train";
    private static final String DRY_RUN = "--dry-run";
    private static final String LEAK_DETECTION = "io.netty.leakDetection.level";

    /** The time that the parts have to end, after clients had theirs to move. */
    private static final Duration STOP_AFTER_DRAIN = Duration.ofSeconds(8);

    private Launcher() {}

    static void launch(String[] commandLine) {
        if (System.getProperty(LEAK_DETECTION) == null) {
            // Netty would note down who took every 128th buffer, for some 8 % of what a push or a read costs.
            // Tests keep it: they do not come by here.
            System.setProperty(LEAK_DETECTION, "disabled");
        }
        List<String> arguments = new ArrayList<>(List.of(commandLine));
        if (arguments.remove(TRAIN)) {
            train(arguments);
            return;
        }
        Path home = Path.of(System.getProperty("cairn.home", ""));
        if (arguments.remove(DRY_RUN)) {
            dryRun(home, arguments);
            return;
        }
        Path pidFile = pathOf("cairn.pid-file");
        Path statusFile = pathOf("cairn.status-file");
        try {
            CairnServer server = CairnServer.builder()
                    .home(home)
                    .arguments(logging(home, arguments))
                    .start();
            if (pidFile != null) {
                write(pidFile, Long.toString(ProcessHandle.current().pid()));
            }
            Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(server, pidFile), "cairn-stop"));
            if (statusFile != null) {
                write(statusFile, "ready\n" + addresses(server));
            }
            // All threads of the server are daemons; this one keeps the process until it is asked to end.
            Thread.currentThread().join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException | Error e) {
            fail(e, statusFile);
        }
    }

    private static String addresses(CairnServer server) {
        return "HTTP  " + server.httpScheme() + "://" + server.address() + server.contextPath() + "\ngRPC  "
                + server.host() + ':'
                + server.grpcPort() + '\n'
                + server.firstPassword()
                        .map(file -> "Login the first user's password is in " + file + "; choose another one\n")
                        .orElse("");
    }

    private static void stop(CairnServer server, @Nullable Path pidFile) {
        Thread limit = new Thread(() -> endBy(server.drain().plus(STOP_AFTER_DRAIN), pidFile), "cairn-stop-limit");
        limit.setDaemon(true);
        limit.start();
        try {
            server.close();
        } finally {
            // Last: while the file is there, the scripts know that this server has not ended yet.
            if (pidFile != null) {
                delete(pidFile);
            }
        }
    }

    /** A database that does not answer, say, must not keep a server that was asked to go; acknowledged is what it has. */
    private static void endBy(Duration limit, @Nullable Path pidFile) {
        try {
            Thread.sleep(limit.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return;
        }
        System.err.println("Cairn did not stop within " + limit.toMillis()
                + " ms and ends as it is; writes that were not acknowledged may be missing");
        if (pidFile != null) {
            delete(pidFile);
        }
        Runtime.getRuntime().halt(143);
    }

    private static List<String> logging(Path home, List<String> arguments) {
        List<String> all = new ArrayList<>();
        if (System.getProperty("cairn.home") != null) {
            all.add("--logging.file.name=" + home.resolve("logs").resolve("cairn.log"));
            if ("false".equals(System.getProperty("cairn.log-to-console"))) {
                all.add("--logging.threshold.console=OFF");
            }
        }
        // The arguments of the command line come later and win.
        all.addAll(arguments);
        return all;
    }

    /** A short life of a server, for the JVM to record which classes and methods one needs. */
    private static void train(List<String> arguments) {
        List<String> quiet = new ArrayList<>(arguments);
        quiet.add("--logging.level.root=WARN");
        TrainingWatch.start(System.err::println);
        try {
            TrainingRun.run(quiet);
        } catch (RuntimeException e) {
            fail(e, null);
        }
    }

    private static void dryRun(Path home, List<String> arguments) {
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        List<String> quiet = new ArrayList<>(arguments);
        quiet.add("--logging.threshold.console=OFF");
        try {
            List<String> statements =
                    CairnServer.builder().home(home).arguments(quiet).dryRun();
            for (String sql : statements) {
                out.println(sql.stripTrailing() + (sql.stripTrailing().endsWith(";") ? "" : ";"));
            }
            out.println(
                    statements.isEmpty()
                            ? "-- The database is ready as it is: a start would run nothing."
                            : "-- Nothing of this was run.");
        } catch (RuntimeException e) {
            fail(e, null);
        }
    }

    private static void fail(Throwable failure, @Nullable Path statusFile) {
        String cause = oneLine(failure);
        PrintStream err = new PrintStream(System.err, true, StandardCharsets.UTF_8);
        err.println("Cairn did not start: " + cause);
        if (Boolean.getBoolean("cairn.trace")) {
            failure.printStackTrace(err);
        }
        if (statusFile != null) {
            write(statusFile, "failed\n" + cause + '\n');
        }
        System.exit(1);
    }

    /** The text of the innermost failure that was written for people; without one, the root cause. */
    private static String oneLine(Throwable failure) {
        Throwable root = failure;
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            root = cause;
            if (cause instanceof CairnException known) {
                return known.text().replaceAll("\\s*\\R\\s*", " ");
            }
        }
        return String.valueOf(root.getMessage() == null ? root : root.getMessage())
                .replaceAll("\\s*\\R\\s*", " ");
    }

    private static @Nullable Path pathOf(String property) {
        String value = System.getProperty(property);
        return value == null || value.isBlank() ? null : Path.of(value);
    }

    /** Writes the file so that a process that waits for it never reads half of it. */
    private static void write(Path file, String text) {
        try {
            Path folder = file.toAbsolutePath().getParent();
            if (folder != null) {
                Files.createDirectories(folder);
            }
            Path draft = file.resolveSibling(file.getFileName() + ".new");
            Files.writeString(draft, text);
            Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new IllegalStateException(file + " cannot be written: " + e.getMessage(), e);
        }
    }

    private static void delete(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            // The process ends; the scripts see by its number that it is gone.
            System.err.println(file + " cannot be deleted: " + e.getMessage());
        }
    }
}
