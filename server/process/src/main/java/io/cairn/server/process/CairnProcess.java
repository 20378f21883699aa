package io.cairn.server.process;

import static io.cairn.testing.Patience.PATIENCE;
import static io.cairn.testing.Patience.START;

import io.cairn.testing.Patience;
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
 * {@code distribution/target/cairn} below the working directory or a parent of it. The server is killed when this
 * JVM ends. Not thread-safe.
 */
public final class CairnProcess implements AutoCloseable {
    private static final int PORT_TRIES = 5;
    private static final Duration STOP_TIMEOUT = PATIENCE.multipliedBy(2);

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

    /** Changes default settings, temporary home and free ports. */
    public static Builder builder() {
        return new Builder();
    }

    public int httpPort() {
        return ports.http();
    }

    /** On loopback, 1000 above the HTTP port. */
    public int grpcPort() {
        return ports.grpc();
    }

    /** {@code 127.0.0.1:port} of HTTP, for clients. */
    public String serverAddress() {
        return "127.0.0.1:" + httpPort();
    }

    /** The folder of conf/, data/ and logs/. */
    public Path home() {
        return launch.home();
    }

    public long pid() {
        return process.pid();
    }

    public Process process() {
        return process;
    }

    /** The last 64 KB of standard output and error of all starts. */
    public String output() {
        return launch.output();
    }

    /** SIGKILL; returns when the process has ended. Idempotent. */
    public void kill() {
        ServerLaunch.kill(process);
    }

    /**
     * SIGTERM, with a wait of two minutes. Idempotent.
     *
     * @return the exit status
     * @throws IllegalStateException when it was killed after that time
     */
    public int stop() {
        return stop(STOP_TIMEOUT);
    }

    /**
     * SIGTERM, with a wait. Idempotent.
     *
     * @return the exit status
     * @throws IllegalStateException when it was killed after that time, or this thread was interrupted
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
     * Starts the server again in its home and on its ports, after a stop if it runs.
     *
     * @throws CairnStartException when it does not become ready
     */
    public void restart() {
        stop();
        process = launch.start(ports);
    }

    /** Stops a server with a given home; kills one with a temporary home, and deletes that. */
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
            // The JVM ends: the hook finds no process
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
        private Duration startTimeout = START;
        private @Nullable Path distribution;
        private @Nullable Path home;
        private @Nullable PortPair ports;

        private Builder() {}

        /** The unpacked distribution; by default that of this build. */
        public Builder distribution(Path distribution) {
            this.distribution = distribution.toAbsolutePath();
            return this;
        }

        /** Created when missing, and kept. By default a temporary folder. */
        public Builder home(Path home) {
            this.home = home.toAbsolutePath();
            return this;
        }

        /** By default a free pair of ports on loopback; gRPC has port + 1000. */
        public Builder httpPort(int httpPort) {
            this.ports = new PortPair(httpPort);
            return this;
        }

        /** A setting of {@code conf/application.properties}. */
        public Builder setting(String key, Object value) {
            return programArguments("--" + key + "=" + value);
        }

        public Builder programArguments(String... arguments) {
            programArguments.addAll(List.of(arguments));
            return this;
        }

        /** Appended to the arguments of {@link ServerLaunch} and former ones; the last applies. */
        public Builder jvmArguments(String... arguments) {
            jvmArguments.addAll(List.of(arguments));
            return this;
        }

        /** By default the JDK of this JVM. */
        public Builder javaHome(Path javaHome) {
            this.javaHome = javaHome;
            return this;
        }

        /** By default {@link Patience#START}. */
        public Builder startTimeout(Duration startTimeout) {
            this.startTimeout = startTimeout;
            return this;
        }

        /**
         * Returns once the server is ready.
         *
         * @throws CairnStartException with the one-line cause; no process is left then
         * @throws IllegalStateException without a distribution
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
                    if (tries == PORT_TRIES || free.isFree()) { // Otherwise another process took a port before the bind
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
