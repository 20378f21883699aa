package io.cairn.benchmark;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.cairn.benchmark.wire.HttpConnection;
import io.cairn.benchmark.wire.NamingMessages;
import io.cairn.benchmark.wire.NamingMessages.Instance;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
        name = "http-beat",
        description = "Registers instances over HTTP v1 and sends their beats as a 1.x client does, flat out or at a "
                + "rate, a request at a time a connection.",
        sortOptions = false,
        mixinStandardHelpOptions = true)
final class HttpBeatCommand extends BenchmarkCommand {
    private static final Duration LIMIT = Duration.ofMinutes(5);

    /** The beats must not be so rare that an instance is taken for dead between two of its own. */
    private static final double LONGEST_SILENCE_SECONDS = 10;

    @Option(names = "--connections", description = "(default: ${DEFAULT-VALUE})")
    int connections = 16;

    @Option(names = "--instances", description = "that are kept alive, in turn (default: ${DEFAULT-VALUE})")
    int instances = 1000;

    @Option(names = "--services", description = "they belong to (default: ${DEFAULT-VALUE})")
    int services = 100;

    @Option(names = "--full", description = "beats that carry the instance, as the first ones of a client do")
    boolean full;

    @Option(names = "--rate", description = "beats a second; 0: flat out (default: ${DEFAULT-VALUE})")
    double rate;

    @Override
    void check() {
        Limits.within("--connections", connections, 1, Limits.CONNECTIONS);
        Limits.within("--instances", instances, connections, Limits.INSTANCES);
        Limits.within("--services", services, 1, instances);
        if (rate != 0) {
            Limits.within("--rate", rate, Math.ceil(instances / LONGEST_SILENCE_SECONDS), 1e6);
        }
    }

    @Override
    void measure(Session session, Report report) throws Exception {
        String name = session.newServiceName("http-beat");
        String authority = session.target().authority();
        List<HttpConnection> opened = session.newHttpConnections(connections);
        try {
            forAll(
                    "register",
                    opened,
                    i -> NamingMessages.httpRegister(authority, serviceOf(name, i), new Instance(i, 0)));
            Measurement measurement = session.newMeasurement();
            var load = new Load(measurement, rate);
            for (int i = 0; i < connections; i++) {
                HttpConnection connection = opened.get(i);
                List<byte[]> beats = own(i).mapToObj(instance -> NamingMessages.httpBeat(
                                authority, serviceOf(name, instance), new Instance(instance, 0), full))
                        .toList();
                new Beat(load, load.lane(connection.loop()), connection, beats);
            }
            load.start();
            measurement.watch(options.warmupTime(), options.window());
            measurement.report(report);
            report.putFailures("unanswered", load.stop());
            HttpSlot.reportReconnects(report, opened);
        } finally {
            forAll(
                    "deregister",
                    session.newHttpConnections(connections),
                    i -> NamingMessages.httpDeregister(authority, serviceOf(name, i), new Instance(i, 0)));
        }
    }

    private String serviceOf(String name, int instance) {
        return name + "-" + instance % services;
    }

    /** The instances that one connection speaks for. */
    private IntStream own(int connection) {
        return IntStream.iterate(connection, i -> i < instances, i -> i + connections);
    }

    private interface InstanceRequest {
        byte[] of(int instance);
    }

    private void forAll(String what, List<HttpConnection> opened, InstanceRequest request) throws InterruptedException {
        Batch.run(what, connections, connections, LIMIT, i -> inTurn(opened.get(i), own(i), request));
    }

    private static CompletableFuture<String> inTurn(HttpConnection connection, IntStream own, InstanceRequest request) {
        CompletableFuture<String> last = CompletableFuture.completedFuture("ok");
        for (int instance : own.toArray()) {
            last = last.thenCompose(done -> connection.ask(request.of(instance)))
                    .thenApply(HttpBeatCommand::checkDone);
        }
        return last;
    }

    private static String checkDone(String answer) {
        if (!answer.strip().equals("ok")) {
            throw new IllegalStateException("'" + answer + "' (expected: 'ok')");
        }
        return answer;
    }

    private static final class Beat extends HttpSlot {
        private static final ByteBuf DONE = Unpooled.unreleasableBuffer(
                Unpooled.wrappedBuffer("\"code\":10200".getBytes(US_ASCII)).asReadOnly());

        private final List<byte[]> beats;
        private int next;

        Beat(Load load, Load.Lane lane, HttpConnection connection, List<byte[]> beats) {
            super(load, lane, connection);
            this.beats = beats;
        }

        @Override
        byte[] request() {
            byte[] beat = beats.get(next);
            next = (next + 1) % beats.size();
            return beat;
        }

        @Override
        @Nullable
        String judge(int status, ByteBuf body) {
            return status == 200 && ByteBufUtil.indexOf(DONE, body) >= 0
                    ? null
                    : unexpected(status, body, "code 10200");
        }
    }
}
