package io.cairn.server.xds.clients;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/** A server in a JVM of its own with the class path of the test, which can be killed and started again on its ports. */
final class ServerProcess implements AutoCloseable {

    private static final Duration START_TIMEOUT = Duration.ofSeconds(60);
    private static final int GRPC_OFFSET = 1_000;
    /** Systems commonly hand out ports above 32768 for outgoing connections. */
    private static final int LOWEST_PORT = 10_000;

    private static final int HIGHEST_PORT = 31_000;

    private final int port = freePort();
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
        long deadline = System.nanoTime() + START_TIMEOUT.toNanos();
        while (!Files.exists(status) || !Files.readString(status).startsWith("ready")) {
            if (process.waitFor(20, TimeUnit.MILLISECONDS) || System.nanoTime() > deadline) {
                process.destroyForcibly();
                throw new IOException("the server did not start:\n" + output());
            }
        }
    }

    /** A port that is free now, with one 1000 above it that is free too. */
    private static int freePort() {
        while (true) {
            int candidate = ThreadLocalRandom.current().nextInt(LOWEST_PORT, HIGHEST_PORT);
            if (isFree(candidate) && isFree(candidate + GRPC_OFFSET)) {
                return candidate;
            }
        }
    }

    private static boolean isFree(int candidate) {
        try (ServerSocket socket = new ServerSocket(candidate, 1, InetAddress.getLoopbackAddress())) {
            return socket.isBound();
        } catch (IOException taken) {
            return false;
        }
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
