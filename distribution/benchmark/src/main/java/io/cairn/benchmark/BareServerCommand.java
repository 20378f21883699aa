package io.cairn.benchmark;

import io.cairn.benchmark.bare.BareServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

@Command(
        name = "bare-grpc",
        description =
                "Serves ready answers over bare grpc-netty and HTTP on loopback, to compare with; prints its HTTP "
                        + "port and process id.",
        sortOptions = false,
        mixinStandardHelpOptions = true)
final class BareServerCommand implements Callable<Integer> {
    static final String READY = "ready ";

    @Option(names = "--port", description = "HTTP port, gRPC is 1000 above; 0: free ones (default: ${DEFAULT-VALUE})")
    int port;

    @Option(names = "--seconds", description = "to serve (default: ${DEFAULT-VALUE})")
    double seconds = 600;

    @Option(names = "--threads", description = "event loops (default: ${DEFAULT-VALUE})")
    int threads = 2;

    @Option(names = "--until-eof", description = "end earlier when standard input ends")
    boolean untilEof;

    @Spec
    @Nullable
    CommandSpec spec;

    @Override
    public Integer call() throws IOException, InterruptedException {
        Limits.within("--port", port, 0, 64_535);
        Limits.within("--seconds", seconds, 0, 86_400);
        Limits.within("--threads", threads, 1, 64);
        try (BareServer server = BareServer.start(port, threads)) {
            if (spec != null) {
                PrintWriter out = spec.commandLine().getOut();
                out.println(READY + server.httpPort() + " pid "
                        + ProcessHandle.current().pid());
                out.flush();
            }
            var ended = new CountDownLatch(1);
            if (untilEof) {
                var reader = new Thread(() -> awaitEof(System.in, ended), "benchmark-stdin");
                reader.setDaemon(true);
                reader.start();
            }
            boolean unused = ended.await((long) (seconds * 1000), TimeUnit.MILLISECONDS);
        }
        return BenchmarkCommand.OK;
    }

    private static void awaitEof(InputStream in, CountDownLatch ended) {
        try {
            while (in.read() >= 0) {
                // whatever is written here only shows that the parent lives
            }
        } catch (IOException e) {
            // as good as its end
        } finally {
            ended.countDown();
        }
    }
}
