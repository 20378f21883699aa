package io.cairn.server.compatibility;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.alibaba.nacos.api.naming.pojo.Instance;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A provider in its own JVM, which can be killed. It ends with this JVM. */
final class ProviderProcess implements AutoCloseable {
    private static final List<String> SETTINGS_HANDED_ON = List.of(
            "user.home",
            "JM.SNAPSHOT.PATH",
            "JM.LOG.PATH",
            "org.slf4j.simpleLogger.logFile",
            "org.slf4j.simpleLogger.defaultLogLevel");

    private final Process process;

    private ProviderProcess(Process process) {
        this.process = process;
    }

    /** Returns once the instance is registered. */
    static ProviderProcess start(String serverAddress, String service, Instance instance) throws IOException {
        var arguments = new ArrayList<>(
                List.of(serverAddress, service, instance.getIp(), Integer.toString(instance.getPort())));
        instance.getMetadata().forEach((key, value) -> arguments.add(key + "=" + value));
        return start("provider", arguments);
    }

    /** A consumer. */
    static ProviderProcess subscribing(String serverAddress, String service, String application) throws IOException {
        return start(application, List.of(serverAddress, service));
    }

    private static ProviderProcess start(String application, List<String> arguments) throws IOException {
        var command = new ArrayList<String>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-Xmx128m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
        command.add("-Dproject.name=" + application);
        for (String setting : SETTINGS_HANDED_ON) {
            @Nullable String value = System.getProperty(setting);
            if (value != null) {
                command.add("-D" + setting + "=" + value);
            }
        }
        command.addAll(ClientSettings.arguments());
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), Provider.class.getName()));
        command.addAll(arguments);
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (var output = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8))) {
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                if (line.equals(Provider.REGISTERED)) {
                    return new ProviderProcess(process);
                }
            }
        }
        process.destroyForcibly();
        throw new IOException("the provider ended without a registration");
    }

    /** SIGSTOP: its connections stay open, without answers. */
    void pause() throws IOException, InterruptedException {
        Signals.send("STOP", process.pid());
    }

    /** SIGKILL; returns when the process is gone. */
    void kill() {
        process.destroyForcibly();
        process.onExit().join();
    }

    @Override
    public void close() {
        kill();
    }
}
