package io.cairn.server.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A Cairn server in its own JVM, run from the unpacked distribution. A start returns once the server is ready.
 *
 * <pre>{@code
 * try (CairnProcess cairn = CairnProcess.builder().start()) {
 *     client.connect(cairn.serverAddress());
 *     cairn.kill();
 *     cairn.restart();
 * }
 * }</pre>
 *
 * <p>The distribution is the folder in the system property {@code cairn.distribution}, otherwise
 * {@code distribution/target/cairn} below the working directory or one of its parents. The server is killed when this
 * JVM ends. Not thread-safe.
 */
public final class CairnProcess implements AutoCloseable {
    private static final int PORT_TRIES = 5;
    private static final Duration STOP_TIMEOUT = Duration.ofMinutes(2);

    private final ServerLaunch launch;
    private final PortPair ports;
    private final boolean temporaryHome;
    private final Thread killer;
    private volatile Process process;

    private CairnProcess(ServerLaunch launch, PortPair ports, boolean temporaryHome, Process process) {
        this.launch = launch;
        this.ports = ports;
        this.temporaryHome = temporaryHome;
        this.process = process;
        this.killer = new Thread(() -> this.process.destroyForcibly(), "cairn-process-killer");
        Runtime.getRuntime().addShutdownHook(killer);
    }

    /** The settings that differ from a server with default settings, a temporary home folder and free ports. */
    public static Builder builder() {
        return new Builder();
    }

    /** The port of HTTP on loopback. */
    public int httpPort() {
        return ports.http();
    }

    /** The port of gRPC on loopback, 1000 above that of HTTP. */
    public int grpcPort() {
        return ports.grpc();
    }

    /** The server's address in the form that clients accept: {@code 127.0.0.1:port}, with the HTTP port. */
    public String serverAddress() {
        return "127.0.0.1:" + httpPort();
    }

    /** The folder with the server's conf/, data/ and logs/. */
    public Path home() {
        return launch.home();
    }

    /** The process id of the last start. */
    public long pid() {
        return process.pid();
    }

    /** The process of the last start. */
    public Process process() {
        return process;
    }

    /** The last 64 KB of standard output and error, across all starts in this home. */
    public String output() {
        return launch.output();
    }

    /**
     * Kills the server (SIGKILL), like a crash; returns when the process has ended. Does nothing when it is not
     * running.
     */
    public void kill() {
        ServerLaunch.kill(process);
    }

    /**
     * Asks the server to end (SIGTERM) and waits up to two minutes for it. Does nothing when it is not running.
     *
     * @return the exit status
     * @throws IllegalStateException when it did not end in time; it was killed then
     */
    public int stop() {
        return stop(STOP_TIMEOUT);
    }

    /**
     * Asks the server to end (SIGTERM) and waits for it. Does nothing when it is not running.
     *
     * @return the exit status
     * @throws IllegalStateException when it did not end in time or this thread was interrupted; it was killed then
     */
    public int stop(Duration timeout) {
        process.destroy();
        boolean ended = false;
        try {
            ended = process.waitFor(timeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (!ended) {
            kill();
            throw new IllegalStateException("the server did not stop within " + timeout.toMillis() + " ms");
        }
        return process.exitValue();
    }

    /**
     * Starts the server again in the same home and on the same ports; one that still runs is stopped first.
     *
     * @throws CairnStartException when it does not become ready
     */
    public void restart() {
        stop();
        process = launch.start(ports);
    }

    /**
     * Ends the server: gracefully when its home was given, at once when its home is temporary, which is deleted.
     */
    @Override
    public void close() {
        try {
            if (temporaryHome) {
                kill();
            } else {
                stop();
            }
        } finally {
            forgetKiller();
            if (temporaryHome) {
                delete(home());
            }
        }
    }

    private void forgetKiller() {
        try {
            Runtime.getRuntime().removeShutdownHook(killer);
        } catch (IllegalStateException shuttingDown) {
            // the JVM is ending: the hook runs and finds no process
        }
    }

    private static void delete(Path folder) {
        try (var files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The options of a start. */
    public static final class Builder {
        private final List<String> jvmArguments = new ArrayList<>();
        private final List<String> programArguments = new ArrayList<>();
        private Path javaHome = Path.of(System.getProperty("java.home"));
        private Duration startTimeout = Duration.ofMinutes(3);
        private @Nullable Path distribution;
        private @Nullable Path home;
        private @Nullable PortPair ports;

        private Builder() {}

        /** The unpacked distribution to run; by default the one of this build. */
        public Builder distribution(Path distribution) {
            this.distribution = distribution.toAbsolutePath();
            return this;
        }

        /** The server's home folder, created when missing and kept. By default a temporary one, deleted on close. */
        public Builder home(Path home) {
            this.home = home.toAbsolutePath();
            return this;
        }

        /** The HTTP port; gRPC uses port + 1000. By default a free pair of ports on loopback. */
        public Builder httpPort(int httpPort) {
            this.ports = new PortPair(httpPort);
            return this;
        }

        /** A setting of {@code conf/application.properties}, such as {@code server.address}. */
        public Builder setting(String key, Object value) {
            return programArguments("--" + key + "=" + value);
        }

        /** Program arguments, appended to former ones. */
        public Builder programArguments(String... arguments) {
            programArguments.addAll(List.of(arguments));
            return this;
        }

        /** JVM arguments, appended to those of {@link ServerLaunch} and former ones; the last one wins. */
        public Builder jvmArguments(String... arguments) {
            jvmArguments.addAll(List.of(arguments));
            return this;
        }

        /** The JDK that runs the server; by default the one of this JVM. */
        public Builder javaHome(Path javaHome) {
            this.javaHome = javaHome;
            return this;
        }

        /** The timeout of a start, three minutes by default: a busy machine needs many times as long as an idle one. */
        public Builder startTimeout(Duration startTimeout) {
            this.startTimeout = startTimeout;
            return this;
        }

        /**
         * Starts the server and returns once it is ready.
         *
         * @throws CairnStartException with the one-line cause when it does not become ready; no process is left then
         * @throws IllegalStateException when there is no distribution
         */
        public CairnProcess start() {
            PackedServer server = distribution == null ? PackedServer.locate() : new PackedServer(distribution);
            Path folder = home == null ? temporaryFolder() : home;
            var launch = new ServerLaunch(server, javaHome, folder, jvmArguments, programArguments, startTimeout);
            boolean started = false;
            try {
                CairnProcess process = start(launch);
                started = true;
                return process;
            } finally {
                if (!started && home == null) {
                    delete(folder);
                }
            }
        }

        private CairnProcess start(ServerLaunch launch) {
            if (ports != null) {
                return new CairnProcess(launch, ports, home == null, launch.start(ports));
            }
            for (int tries = 1; ; tries++) {
                PortPair free = PortPair.free();
                try {
                    return new CairnProcess(launch, free, home == null, launch.start(free));
                } catch (CairnStartException e) {
                    if (tries == PORT_TRIES || free.isFree()) { // otherwise another process took a port before the bind
                        throw e;
                    }
                }
            }
        }

        private static Path temporaryFolder() {
            try {
                return Files.createTempDirectory("cairn-home");
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
