package io.cairn.benchmark;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.cairn.benchmark.wire.GrpcConnection;
import io.cairn.benchmark.wire.HttpConnection;
import io.cairn.benchmark.wire.NamingMessages;
import io.cairn.benchmark.wire.NamingMessages.Instance;
import io.netty.buffer.ByteBuf;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
        name = "http-list",
        description = "Lists the instances of services over HTTP v1 as a 1.x client does, flat out or at a rate, a "
                + "request at a time a connection.",
        sortOptions = false,
        mixinStandardHelpOptions = true)
final class HttpListCommand extends BenchmarkCommand {
    private static final int LOOKS = 100;
    private static final long LOOK_PAUSE_MILLIS = 50;

    @Option(names = "--connections", description = "(default: ${DEFAULT-VALUE})")
    int connections = 16;

    @Option(names = "--services", description = "listed at random (default: ${DEFAULT-VALUE})")
    int services = 1;

    @Option(names = "--instances", description = "of each service (default: ${DEFAULT-VALUE})")
    int instances = 10;

    @Option(names = "--rate", description = "lists a second; 0: flat out (default: ${DEFAULT-VALUE})")
    double rate;

    @Override
    void check() {
        Limits.within("--connections", connections, 1, Limits.CONNECTIONS);
        Limits.within("--services", services, 1, 10_000);
        Limits.within("--instances", instances, 1, 10_000);
        Limits.within("--services x --instances", (double) services * instances, 1, Limits.INSTANCES);
        Limits.within("--rate", rate, 0, 1e6);
    }

    @Override
    void measure(Session session, Report report) throws Exception {
        String name = session.newServiceName("http-list");
        String authority = session.target().authority();
        GrpcConnection provider = session.connectNaming();
        List<Instance> all =
                IntStream.range(0, instances).mapToObj(i -> new Instance(i, 0)).toList();
        Batch.run(
                "register",
                services,
                4,
                Duration.ofMinutes(2),
                i -> provider.ask(NamingMessages.registerAll(name + "-" + i, all)));
        var lists = new ArrayList<ListRequest>();
        HttpConnection first = session.newHttpConnection();
        for (int i = 0; i < services; i++) {
            byte[] request = NamingMessages.httpList(authority, name + "-" + i);
            lists.add(new ListRequest(request, awaitComplete(first, request)));
        }

        Measurement measurement = session.newMeasurement();
        var load = new Load(measurement, rate);
        List<HttpConnection> opened = session.newHttpConnections(connections);
        for (int i = 0; i < connections; i++) {
            HttpConnection connection = opened.get(i);
            var random = new SplittableRandom(options.seed + i);
            new Listing(load, load.lane(connection.loop()), connection, lists, random);
        }
        load.start();
        measurement.watch(options.warmupTime(), options.window());
        measurement.report(report);
        report.put("answer_bytes", (long) lists.get(0).answerBytes);
        report.putFailures("unanswered", load.stop());
        HttpSlot.reportReconnects(report, opened);
    }

    /** A server may need a moment until a list shows what it acknowledged; returns the length of the answer then. */
    private int awaitComplete(HttpConnection connection, byte[] request) throws InterruptedException {
        var answer = new ArrayList<String>();
        for (int look = 0; look < LOOKS; look++) {
            answer.clear();
            Batch.run("list", 1, 1, Duration.ofSeconds(30), i -> connection
                    .ask(request)
                    .thenAccept(answer::add));
            String list = answer.get(0);
            if (IntStream.range(0, instances).allMatch(i -> list.contains(new Instance(i, 0).mark()))) {
                return list.getBytes(UTF_8).length;
            }
            TimeUnit.MILLISECONDS.sleep(LOOK_PAUSE_MILLIS);
        }
        throw new BenchmarkException("a list does not show the " + instances + " instances: " + answer.get(0));
    }

    /** @param answerBytes of an answer with all instances; nothing in it changes its length */
    private record ListRequest(byte[] request, int answerBytes) {}

    private static final class Listing extends HttpSlot {
        private final List<ListRequest> lists;
        private final SplittableRandom random;
        private ListRequest current;

        Listing(
                Load load,
                Load.Lane lane,
                HttpConnection connection,
                List<ListRequest> lists,
                SplittableRandom random) {
            super(load, lane, connection);
            this.lists = lists;
            this.random = random;
            current = lists.get(0);
        }

        @Override
        byte[] request() {
            current = lists.get(random.nextInt(lists.size()));
            return current.request;
        }

        @Override
        @Nullable
        String judge(int status, ByteBuf body) {
            return status == 200 && body.readableBytes() == current.answerBytes
                    ? null
                    : unexpected(status, body, "200 with " + current.answerBytes + " bytes");
        }
    }
}
