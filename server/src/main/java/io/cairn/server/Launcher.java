package io.cairn.server;

import io.cairn.api.error.CairnException;
import io.cairn.server.wiring.CairnApplication;
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
 * Starts the server as a process: writes the files for the scripts ({@code cairn.pid-file}, {@code cairn.status-file}), and reports
 * a failed start in one line.
 */
final class Launcher {

    private static final String TRAIN = "--train";
    private static final String DRY_RUN = "--dry-run";
    private static final String LEAK_DETECTION = "io.netty.leakDetection.level";

    private static final Duration STOP_AFTER_DRAIN = Duration.ofSeconds(8);

    private static final Duration READINESS_LOOK = Duration.ofMillis(20);

    private Launcher() {}

    static void launch(String[] commandLine) {
        if (System.getProperty(LEAK_DETECTION) == null) {
            // Netty would record the user of every 128th buffer, which costs some 8 % of a push or read. Tests keep it.
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
                awaitReadiness(server, statusFile.resolveSibling(statusFile.getFileName() + ".waiting"));
                write(statusFile, "ready\n" + addresses(server));
            }
            // All threads of the server are daemons; this one keeps the process until a stop.
            Thread.currentThread().join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException | Error e) {
            fail(e, statusFile);
        }
    }

    /**
     * Waits for the readiness of the endpoint. The scripts limit the time.
     *
     * @param reasons a file for the present reason meanwhile
     */
    private static void awaitReadiness(CairnServer server, Path reasons) throws InterruptedException {
        String last = null;
        for (String reason = server.notReadyBecause(); reason != null; reason = server.notReadyBecause()) {
            if (!reason.equals(last)) {
                write(reasons, reason + '\n');
                last = reason;
            }
            // The parts that decide have no common event.
            Thread.sleep(READINESS_LOOK.toMillis());
        }
        if (last != null) {
            delete(reasons);
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
            // Deleted last: the scripts regard the server as running until then.
            if (pidFile != null) {
                delete(pidFile);
            }
        }
    }

    /** A database without answers, for example, must not delay the end; acknowledged writes are stored. */
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
        // Later arguments take precedence, so the command line does.
        all.addAll(arguments);
        return all;
    }

    /** A short run of a server, for the JVM to record the used classes and methods. */
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
            CairnApplication.DryRun found =
                    CairnServer.builder().home(home).arguments(quiet).dryRun();
            List<String> statements = found.statements();
            for (String sql : statements) {
                out.println(sql.stripTrailing() + (sql.stripTrailing().endsWith(";") ? "" : ";"));
            }
            out.println(
                    statements.isEmpty()
                            ? "-- The database is ready as it is: a start would run nothing."
                            : "-- Nothing of this was run.");
            found.remarks().forEach(line -> out.println("-- " + line));
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

    /** The innermost text for users; without one, the root cause. */
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

    /** Writes the file so that a waiting process never reads half of it. */
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
            System.err.println(file + " cannot be deleted: " + e.getMessage());
        }
    }
}
