package io.cairn.cli;

import static io.cairn.cli.DoctorCommand.Finding.fail;
import static io.cairn.cli.DoctorCommand.Finding.ok;
import static io.cairn.cli.DoctorCommand.Finding.warn;

import io.cairn.api.installation.ReadableSecrets;
import io.cairn.cli.DoctorCommand.Finding;
import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

final class HomeChecks {

    /** Begins a dry run's line about rows left out. */
    private static final String LEFT_OUT = "-- Rows of ";
    /** Begins a dry run's line about tables that ignore case. */
    private static final String CASELESS = "-- The unique keys of ";
    /** Begins a dry run's line about permissions without a matching resource. */
    private static final String INEFFECTIVE = "-- Permissions that allow nothing: ";

    private static final Set<String> DATABASE_SERVERS = Set.of("mysql", "mariadb", "postgresql", "postgres");
    private static final long MEGABYTE = 1024 * 1024;
    private static final int RECOMMENDED_JAVA = 25;

    /** A lower limit of open files gives a warning. */
    static final int FEW_FILES = 4096;

    private static final String DATA_DIR = "--cairn.data-dir=";

    private final Path home;
    private final Map<String, String> environment;

    HomeChecks(Path home, Map<String, String> environment) {
        this.home = home;
        this.environment = environment;
    }

    /**
     * @param isRunning whether the server answers
     * @param process the server's data about its process, or null
     */
    void run(List<Finding> findings, boolean isRunning, @Nullable Object process) {
        String version = System.getProperty("java.version");
        findings.add(java("jdk", version, version + " in " + System.getProperty("java.home") + " runs this command"));
        Properties settings = settings(findings);
        Path data = dataFolder(settings);
        if (process != null && isOfThisHome(process)) {
            data = Path.of(Json.text(process, "dataFolder"));
        } else if (process != null) {
            findings.add(ok(
                    "home",
                    "the server is that of another installation (" + Json.text(process, "home") + "), this one is "
                            + home));
        }
        disk(findings, data);
        secrets(findings, data);
        confSecrets(findings);
        if (!isRunning) {
            ports(findings, settings);
            database(findings, settings);
        }
    }

    static Finding java(String about, String version, String text) {
        return Runtime.Version.parse(version).feature() < RECOMMENDED_JAVA
                ? warn(about, text, "a JDK " + RECOMMENDED_JAVA + " starts faster and takes less memory")
                : ok(about, text);
    }

    private boolean isOfThisHome(Object process) {
        Path there = Path.of(Json.text(process, "home"));
        try {
            return there.equals(home) || (Files.exists(there) && Files.isSameFile(there, home));
        } catch (IOException e) {
            return false;
        }
    }

    /** The data folder of the running server, else of a start. */
    private Path dataFolder(Properties settings) {
        Optional<String> named = runningArguments().stream()
                .filter(argument -> argument.startsWith(DATA_DIR))
                .map(argument -> argument.substring(DATA_DIR.length()))
                .reduce((first, last) -> last);
        // Environment variables from which Spring reads this setting.
        return home.resolve(named.or(() -> Stream.of("CAIRN_DATADIR", "CAIRN_DATA_DIR")
                        .map(name -> environment.getOrDefault(name, ""))
                        .filter(value -> !value.isBlank())
                        .findFirst())
                .orElseGet(() -> settings.getProperty("cairn.data-dir", "data")));
    }

    /** The command line of the server started here, or empty. */
    private List<String> runningArguments() {
        Path file = home.resolve("data").resolve("cairn.pid");
        try {
            if (!Files.exists(file)) {
                return List.of();
            }
            ProcessHandle server = ProcessHandle.of(
                            Long.parseLong(Files.readString(file).strip()))
                    .orElse(null);
            if (server == null) {
                return List.of();
            }
            Path ofLinux = Path.of("/proc", Long.toString(server.pid()), "cmdline");
            List<String> arguments = Files.isReadable(ofLinux)
                    ? List.of(Files.readString(ofLinux).split("\0"))
                    : server.info().arguments().map(List::of).orElse(List.of());
            return arguments.contains("-Dcairn.home=" + home) ? arguments : List.of();
        } catch (IOException | NumberFormatException e) {
            // The process is ending, or belongs to another user.
            return List.of();
        }
    }

    private Properties settings(List<Finding> findings) {
        Properties settings = new Properties();
        Path file = home.resolve("conf").resolve("application.properties");
        if (Files.exists(file)) {
            try (Reader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
                settings.load(reader);
                findings.add(ok("settings", file + ", " + settings.size() + " set"));
            } catch (IOException | IllegalArgumentException e) {
                findings.add(fail("settings", file + " cannot be read: " + e.getMessage(), "mend it"));
            }
        } else {
            findings.add(ok("settings", "no " + file + ", so defaults hold"));
        }
        return settings;
    }

    private void disk(List<Finding> findings, Path data) {
        Path existing = Files.exists(data) ? data : home;
        if (!Files.isWritable(existing)) {
            findings.add(
                    fail("disk", existing + " is not writable for this user", "chown it to the user of the server"));
            return;
        }
        try {
            findings.add(disk("disk", data, Files.getFileStore(existing).getUsableSpace()));
        } catch (IOException e) {
            findings.add(warn("disk", "the space of " + data + " is not told: " + e.getMessage(), "look with df"));
        }
    }

    static Finding disk(String about, Path data, long freeBytes) {
        long free = freeBytes / MEGABYTE;
        String text = free + " MB free for " + data;
        if (free < 100) {
            return fail(about, text, "free some; writes will be refused when it is full");
        }
        return free < 1024 ? warn(about, text, "free some") : ok(about, text);
    }

    private static void secrets(List<Finding> findings, Path data) {
        Path keys = data.resolve("auth").resolve("signing-keys");
        Path initial = data.resolve("auth").resolve("initial-admin-password");
        if (Files.exists(initial)) {
            findings.add(warn(
                    "secrets", initial + " is still there", "log in and change the password; the file goes by itself"));
        }
        if (!Files.exists(keys)) {
            return;
        }
        try {
            Set<PosixFilePermission> allowed = Files.getPosixFilePermissions(keys);
            boolean isPrivate = Set.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE)
                    .containsAll(allowed);
            findings.add(
                    isPrivate
                            ? ok("secrets", "for their owner alone")
                            : fail("secrets", keys + " can be read by others", "chmod 600 " + keys));
        } catch (IOException | UnsupportedOperationException e) {
            findings.add(warn(
                    "secrets",
                    "the permissions of " + keys + " cannot be read",
                    "make sure that only its owner can read it"));
        }
    }

    /** Files of conf with a secret that all users of this machine can read. */
    private void confSecrets(List<Finding> findings) {
        Path conf = home.resolve("conf");
        try {
            for (Path file : ReadableSecrets.in(conf)) {
                findings.add(warn("secrets", file + " has a secret and can be read by all users", "chmod 600 " + file));
            }
        } catch (IOException | UncheckedIOException e) {
            findings.add(warn(
                    "secrets",
                    "the permissions of the files in " + conf + " cannot be read: " + e.getMessage(),
                    "make sure that only the user of the server can read those with a secret"));
        }
    }

    private static void ports(List<Finding> findings, Properties settings) {
        String named = settings.getProperty("server.port", settings.getProperty("nacos.server.main.port", "8848"));
        int http;
        try {
            http = Integer.parseInt(named.strip());
        } catch (NumberFormatException e) {
            findings.add(fail(
                    "ports", "server.port: " + named + " (expected: a number)", "mend conf/application.properties"));
            return;
        }
        for (int port : new int[] {http, http + 1000}) {
            try (ServerSocket probe = new ServerSocket()) {
                probe.setReuseAddress(true);
                probe.bind(new InetSocketAddress(settings.getProperty("server.address", "127.0.0.1"), port));
                findings.add(ok("ports", port + " is free"));
            } catch (IOException | IllegalArgumentException e) {
                findings.add(fail(
                        "ports",
                        port + " cannot be had: " + e.getMessage(),
                        "stop the process that has it, or set another server.port (gRPC is at it + 1000)"));
            }
        }
    }

    /** A start's changes to an external database. */
    private void database(List<Finding> findings, Properties settings) {
        String platform = settings.getProperty(
                "spring.sql.init.platform", settings.getProperty("spring.datasource.platform", ""));
        Path script = home.resolve("bin").resolve("startup.sh");
        boolean isServer = DATABASE_SERVERS.contains(platform.toLowerCase(Locale.ROOT));
        if (!isServer || !Files.exists(script)) {
            findings.add(ok("schema", isServer ? "not looked at" : "embedded; a start brings it up to date"));
            return;
        }
        try {
            Process dryRun = new ProcessBuilder(script.toString(), "--dry-run")
                    .redirectErrorStream(true)
                    .start();
            String said = new String(dryRun.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            boolean ended = dryRun.waitFor(60, TimeUnit.SECONDS);
            String last = said.substring(said.lastIndexOf('\n') + 1);
            if (!ended || dryRun.exitValue() != 0) {
                findings.add(fail("schema", last, "see the db.* settings and whether the database runs"));
            } else if (said.startsWith("-- The database is ready")) {
                findings.add(ok("schema", "the database is reached and ready"));
            } else {
                findings.add(
                        warn("schema", "a start would change the database", "bin/startup.sh --dry-run shows the SQL"));
            }
            said.lines()
                    .filter(line -> line.startsWith(LEFT_OUT))
                    .forEach(line -> findings.add(
                            warn("rows", line.substring(3), "correct or delete these rows; see docs/guide/mysql.md")));
            said.lines()
                    .filter(line -> line.startsWith(CASELESS))
                    .forEach(line -> findings.add(
                            warn("names", line.substring(3), "see \"Upper and lower case\" in docs/guide/mysql.md")));
            said.lines()
                    .filter(line -> line.startsWith(INEFFECTIVE))
                    .forEach(line -> findings.add(warn(
                            "permissions",
                            line.substring(3),
                            "add permissions that match; see \"Rights\" in docs/guide/security.md")));
        } catch (IOException e) {
            findings.add(warn("schema", "not looked at: " + e.getMessage(), "run bin/startup.sh --dry-run"));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
