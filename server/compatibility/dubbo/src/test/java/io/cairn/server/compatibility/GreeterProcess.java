package io.cairn.server.compatibility;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A {@link GreeterProvider} in a JVM of its own, which can be killed. */
final class GreeterProcess implements AutoCloseable {
    private final Process process;
    private final int port;

    private GreeterProcess(Process process, int port) {
        this.process = process;
        this.port = port;
    }

    /** Returns when it is registered. */
    static GreeterProcess start(String serverAddress, String application, String registerMode, String version)
            throws IOException {
        var command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:TieredStopAtLevel=1",
                "-Duser.home=" + System.getProperty("user.home"),
                "-Ddubbo.application.logger=slf4j"));
        command.addAll(ClientSettings.arguments());
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), GreeterProvider.class.getName()));
        command.addAll(List.of(serverAddress, application, registerMode, version));
        Process process = new ProcessBuilder(command)
                .redirectError(new File("target/greeter-process.log"))
                .start();
        try {
            BufferedReader output = process.inputReader(UTF_8);
            String line = output.readLine();
            while (line != null && !line.startsWith("port ")) {
                line = output.readLine();
            }
            if (line == null) {
                throw new IllegalStateException("the provider ended before it was registered");
            }
            return new GreeterProcess(process, Integer.parseInt(line.substring("port ".length())));
        } catch (IOException | RuntimeException e) {
            process.destroyForcibly();
            throw e;
        }
    }

    int port() {
        return port;
    }

    /** SIGKILL where there are signals: it takes leave of nobody. */
    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }
}
