package io.cairn.benchmark;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A bare server in a process of its own, so that its CPU time and heap can be told from the load's. */
final class BareProcess implements AutoCloseable {
    private static final int LONGEST_SECONDS = 7200;

    private final Process process;
    private final int httpPort;

    private BareProcess(Process process, int httpPort) {
        this.process = process;
        this.httpPort = httpPort;
    }

    static BareProcess start() throws IOException {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        Process process = new ProcessBuilder(List.of(
                        java,
                        "-Xmx512m",
                        "-XX:+UseG1GC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Benchmark.class.getName(),
                        "bare-grpc",
                        "--until-eof",
                        "--seconds",
                        Integer.toString(LONGEST_SECONDS)))
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        BufferedReader out = process.inputReader(StandardCharsets.UTF_8);
        String line = out.readLine();
        if (line == null || !line.startsWith(BareServerCommand.READY)) {
            process.destroyForcibly();
            throw new BenchmarkException("the bare server does not start: '" + line + "'");
        }
        return new BareProcess(process, Integer.parseInt(line.split(" ", -1)[1]));
    }

    int httpPort() {
        return httpPort;
    }

    long pid() {
        return process.pid();
    }

    /** Ends the process. */
    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(5, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
