package io.cairn.server.xds.clients;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.testing.ReservedPorts;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A server in a JVM of its own with the class path of the test, which can be killed and started again on its ports. */
final class ServerProcess implements AutoCloseable {

    private static final int GRPC_OFFSET = 1_000;

    private final int port = ReservedPorts.ofServer();
    private final Path home;
    private final List<String> settings;
    private Process process;

    ServerProcess(Path home, String... settings) throws IOException, InterruptedException {
        this.home = home;
        this.settings = List.of(settings);
        start();
    }

    /** Starts it and returns once it serves. */
    void start() throws IOException, InterruptedException {
        Files.createDirectories(home);
        Path status = home.resolve("status");
        Files.deleteIfExists(status);
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Dcairn.home=" + home,
                "-Dcairn.status-file=" + status,
                "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                "io.cairn.server.CairnServer",
                "--server.port=" + port));
        command.addAll(settings);
        process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(home.resolve("start.out").toFile())
                .start();
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!Files.exists(status) || !Files.readString(status).startsWith("ready")) {
            if (process.waitFor(20, TimeUnit.MILLISECONDS) || System.nanoTime() > deadline) {
                process.destroyForcibly();
                throw new IOException("the server did not start:\n" + output());
            }
        }
    }

    /** Waits until it would remember the instances of the service after a kill. */
    void awaitRemembered(String service) {
        await().untilAsserted(() -> {
            StringBuilder remembered = new StringBuilder();
            try (DirectoryStream<Path> files = Files.newDirectoryStream(home.resolve("data"), "last-known.db*")) {
                for (Path file : files) {
                    remembered.append(Files.readString(file, StandardCharsets.ISO_8859_1));
                }
            }
            assertThat(remembered).contains(service);
        });
    }

    /** The output of its last run. */
    String output() throws IOException {
        return Files.readString(home.resolve("start.out"));
    }

    int httpPort() {
        return port;
    }

    int grpcPort() {
        return port + GRPC_OFFSET;
    }

    /** Kills it without a chance to stop. */
    void kill() {
        process.destroyForcibly();
        process.onExit().join();
    }

    @Override
    public void close() {
        kill();
    }
}
