package io.cairn.server;

import io.cairn.server.wiring.CairnApplication;
import io.cairn.server.wiring.settings.InternalTimings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A running server. {@link #main} and tests start it alike, through the builder. Thread-safe.
 */
public final class CairnServer implements AutoCloseable {

    private final CairnApplication.Running running;
    private final @Nullable Path temporaryHome;

    private CairnServer(CairnApplication.Running running, @Nullable Path temporaryHome) {
        this.running = running;
        this.temporaryHome = temporaryHome;
    }

    /**
     * Starts a server from the command line: {@code --name=value} sets a setting, {@code --train} makes one short run
     * for the JVM to record, {@code --dry-run} prints the SQL by which a start would prepare the database. The folder comes from the system property {@code cairn.home}.
     */
    public static void main(String[] arguments) {
        Launcher.launch(arguments);
    }

    public static Builder builder() {
        return new Builder();
    }

    /** The HTTP port. */
    public int httpPort() {
        return running.httpPort();
    }

    /** The gRPC port, a thousand above the HTTP port. */
    public int grpcPort() {
        return running.grpcPort();
    }

    /** The address for clients: {@code host:port} of the HTTP port. */
    public String address() {
        return host() + ':' + running.httpPort();
    }

    /** The beginning of every path of the HTTP API, such as {@code /nacos}; may be empty. */
    public String contextPath() {
        return running.contextPath();
    }

    /** For how long a stop waits for clients to move at most. */
    Duration drain() {
        return running.drain();
    }

    String host() {
        String host = running.host();
        return host.indexOf(':') >= 0 ? '[' + host + ']' : host;
    }

    String httpScheme() {
        return running.httpScheme();
    }

    /** The file with the password that the first start made, until somebody has chosen another one. */
    Optional<Path> firstPassword() {
        return running.firstPassword();
    }

    /** Stops the server: what is acknowledged is durable, ports and files are released. Does nothing the second time. */
    @Override
    public void close() {
        running.context().close();
        if (temporaryHome != null && Files.exists(temporaryHome)) {
            delete(temporaryHome);
        }
    }

    private static void delete(Path folder) {
        if (!Files.exists(folder)) {
            return;
        }
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("temporary folder " + folder + " cannot be deleted", e);
        }
    }

    /** How a server is to be started. */
    public static final class Builder {

        private final Map<String, Object> settings = new HashMap<>();
        private final List<String> arguments = new ArrayList<>();
        private @Nullable Path home;
        private boolean temporary;
        private InternalTimings timings = InternalTimings.PRODUCTION;

        private Builder() {}

        /** The folder that holds {@code conf/}, {@code data/} and {@code logs/}. */
        public Builder home(Path folder) {
            home = folder;
            return this;
        }

        /** A folder of its own, deleted when the server is closed, and any free pair of ports on loopback. */
        public Builder temporary() {
            temporary = true;
            setting("server.port", "0");
            // All connected clients belong to the same test.
            setting("cairn.shutdown.drain", "0s");
            return this;
        }

        /** A setting that ranks above the configuration file. */
        public Builder setting(String name, String value) {
            arguments.add("--" + name + '=' + value);
            return this;
        }

        /** Other internal timings than those of production, for tests. */
        Builder timings(InternalTimings internalTimings) {
            timings = internalTimings;
            return this;
        }

        /** Arguments as they come from the command line. */
        Builder arguments(List<String> commandLine) {
            arguments.addAll(commandLine);
            return this;
        }

        /**
         * Starts the server and returns once it serves.
         *
         * @throws RuntimeException with the cause, when it cannot
         */
        public CairnServer start() {
            Path temporaryHome = temporary ? createTemporaryHome() : null;
            Path folder = temporaryHome != null ? temporaryHome : home == null ? Path.of("") : home;
            // Above everything else that may name a home: a temporary server stays in its own folder.
            livesIn(folder);
            try {
                return new CairnServer(CairnApplication.start(settings, arguments, timings), temporaryHome);
            } catch (RuntimeException e) {
                if (temporaryHome != null) {
                    delete(temporaryHome);
                }
                throw e;
            }
        }

        /**
         * The statements by which a start would prepare the database, scripts in one piece each; none are run.
         *
         * @throws RuntimeException with the cause, when the settings or the database cannot be read
         */
        List<String> dryRun() {
            livesIn(home == null ? Path.of("") : home);
            return CairnApplication.dryRun(settings, arguments);
        }

        private void livesIn(Path folder) {
            setting("cairn.home", folder.toAbsolutePath().toString());
            settings.put(
                    "spring.config.additional-location",
                    "optional:file:" + folder.toAbsolutePath().resolve("conf") + '/');
        }

        private static Path createTemporaryHome() {
            try {
                return Files.createTempDirectory("cairn-");
            } catch (IOException e) {
                throw new UncheckedIOException("no temporary folder can be created", e);
            }
        }
    }
}
