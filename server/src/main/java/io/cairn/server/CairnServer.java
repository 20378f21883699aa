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

/** A running server. {@link #main} and tests start it through the builder. */
public final class CairnServer implements AutoCloseable {

    private final CairnApplication.Running running;
    private final @Nullable Path temporaryHome;

    private CairnServer(CairnApplication.Running running, @Nullable Path temporaryHome) {
        this.running = running;
        this.temporaryHome = temporaryHome;
    }

    /**
     * Starts a server: {@code --name=value} sets a setting, {@code --train} makes one short run for the JVM to record,
     * {@code --dry-run} prints the SQL with which a start would prepare the database. The system property {@code cairn.home} names
     * the folder.
     */
    public static void main(String[] arguments) {
        Launcher.launch(arguments);
    }

    public static Builder builder() {
        return new Builder();
    }

    public int httpPort() {
        return running.httpPort();
    }

    public int grpcPort() {
        return running.grpcPort();
    }

    public String address() {
        return host() + ':' + running.httpPort();
    }

    /** The beginning of every path of the HTTP API, such as {@code /nacos}; may be empty. */
    public String contextPath() {
        return running.contextPath();
    }

    /** The longest wait of a stop for clients to move. */
    Duration drain() {
        return running.drain();
    }

    /** Why the server is not ready, or null. May block on the storage. */
    @Nullable
    String notReadyBecause() {
        return running.state().notReadyBecause();
    }

    String host() {
        String host = running.host();
        return host.indexOf(':') >= 0 ? '[' + host + ']' : host;
    }

    String httpScheme() {
        return running.httpScheme();
    }

    /** The file with the generated password, until the user has another one. */
    Optional<Path> firstPassword() {
        return running.firstPassword();
    }

    /** Stops the server; acknowledged writes are durable, ports and files are released. Idempotent. */
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

    public static final class Builder {

        private final Map<String, Object> settings = new HashMap<>();
        private final List<String> arguments = new ArrayList<>();
        private @Nullable Path home;
        private boolean temporary;
        private InternalTimings timings = InternalTimings.PRODUCTION;

        private Builder() {}

        /** The folder of {@code conf/}, {@code data/} and {@code logs/}. */
        public Builder home(Path folder) {
            home = folder;
            return this;
        }

        /** A temporary folder, deleted at the close, and free ports on loopback. */
        public Builder temporary() {
            temporary = true;
            setting("server.port", "0");
            setting("cairn.shutdown.drain", "0s");
            return this;
        }

        /** Takes precedence over the configuration file. */
        public Builder setting(String name, String value) {
            arguments.add("--" + name + '=' + value);
            return this;
        }

        Builder timings(InternalTimings internalTimings) {
            timings = internalTimings;
            return this;
        }

        Builder arguments(List<String> commandLine) {
            arguments.addAll(commandLine);
            return this;
        }

        /**
         * Returns once the server serves.
         *
         * @throws RuntimeException with the cause of a failed start
         */
        public CairnServer start() {
            Path temporaryHome = temporary ? createTemporaryHome() : null;
            Path folder = temporaryHome != null ? temporaryHome : home == null ? Path.of("") : home;
            // Above every other source of a home: a temporary server stays in its folder.
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
         * The SQL with which a start would prepare the database, not executed, and the rows that it would leave out.
         *
         * @throws RuntimeException for unreadable settings or database
         */
        CairnApplication.DryRun dryRun() {
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
