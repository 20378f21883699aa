package io.cairn.junit;

import com.sun.management.OperatingSystemMXBean;
import io.cairn.junit.isolation.IsolatedServer;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/**
 * Measures the first start of a JVM by hand; docs/internals/lab/2026-11-22-first-server-in-a-test-jvm.md has the command.
 */
final class FirstStart {

    private FirstStart() {}

    public static void main(String[] arguments) throws IOException {
        Path home = Files.createTempDirectory("cairn-first-start-");
        long start = System.nanoTime();
        try (IsolatedServer server = IsolatedServer.start(home, 0, Map.of())) {
            long wallMillis = Duration.ofNanos(System.nanoTime() - start).toMillis();
            long cpuMillis = Duration.ofNanos(ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class)
                            .getProcessCpuTime())
                    .toMillis();
            System.out.printf(
                    "port %d after %d ms; the process: %d ms of CPU, %d classes%n",
                    server.httpPort(),
                    wallMillis,
                    cpuMillis,
                    ManagementFactory.getClassLoadingMXBean().getTotalLoadedClassCount());
        }
    }
}
