package io.cairn.server.naming.health;

import static io.cairn.server.naming.health.ProbeResult.Outcome.DOWN;
import static io.cairn.server.naming.health.ProbeResult.Outcome.FAILED;
import static io.cairn.server.naming.health.ProbeResult.Outcome.PASSED;
import static io.cairn.server.naming.health.ProbeResult.Outcome.UNKNOWN;
import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.eventloop.EventLoops;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ServerCalls;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.HashedWheelTimer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The probes against real sockets; after each test no connection is left. */
class HealthProbesIT {

    private static final EventLoops LOOPS = new EventLoops(2);
    private static final HealthCheck.Http GET = new HealthCheck.Http("", "", 200);
    private static final HealthCheck.Mysql QUERY = new HealthCheck.Mysql("u", "s3cret", "select 1");

    private final Queue<Channel> channels = new ConcurrentLinkedQueue<>();
    private final Socket taken = new Socket();
    private final HealthProbes probes = new HealthProbes(LOOPS.workers(), this::newChannel);

    private Channel newChannel() {
        Channel channel = LOOPS.newClientChannel();
        channels.add(channel);
        return channel;
    }

    @AfterEach
    void nothingIsLeftOpen() throws IOException {
        taken.close();
        Awaitility.await().until(() -> channels.stream().noneMatch(Channel::isOpen));
        probes.close();
        probes.close();
        assertNoThreads();
    }

    @AfterAll
    static void closeLoops() {
        LOOPS.close();
    }

    private static void assertNoThreads() {
        // A pool says that it has ended a moment before its last thread has.
        Awaitility.await().untilAsserted(() -> assertThat(threadsOfTheProbes()).isEmpty());
    }

    private static List<String> threadsOfTheProbes() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.startsWith("cairn-health") || name.startsWith("mysql-"))
                .toList();
    }

    private ProbeResult ask(int port, HealthCheck check) throws Exception {
        return ask(probes, port, check);
    }

    private static ProbeResult ask(HealthProbes probes, int port, HealthCheck check) throws Exception {
        return probes.check("127.0.0.1", port, check).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    private ProbeResult askInTime(int port, HealthCheck check) {
        return askInTime(probes, port, check);
    }

    /** Asks again where this machine was so busy that a time limit of production was over before the target had answered. */
    private static ProbeResult askInTime(HealthProbes probes, int port, HealthCheck check) {
        return Awaitility.await().until(() -> ask(probes, port, check), result -> !result.reason()
                .matches(".* within \\d+ ms|no answer in time"));
    }

    /** A port without a listener, which nobody else takes while this test runs. */
    private int refusedPort() throws IOException {
        if (!taken.isBound()) {
            taken.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        }
        return taken.getLocalPort();
    }

    /** A port whose queue of connections is full, so that the operating system does not answer further ones. */
    private static final class FullPort implements AutoCloseable {

        private final ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        private final List<Socket> waiting = new ArrayList<>();

        FullPort() throws IOException {
            for (int i = 0; i < 10; i++) {
                Socket socket = new Socket();
                waiting.add(socket);
                try {
                    socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port()), 200);
                } catch (SocketTimeoutException e) {
                    return;
                }
            }
        }

        int port() {
            return listener.getLocalPort();
        }

        @Override
        public void close() throws IOException {
            for (Socket socket : waiting) {
                socket.close();
            }
            listener.close();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "localhost"})
    void acceptedConnectionPasses(String host) throws Exception {
        try (ScriptedServer server = ScriptedServer.silent()) {
            ProbeResult result =
                    probes.check(host, server.port(), HealthCheck.TCP).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);

            assertThat(result.outcome()).isEqualTo(PASSED);
            Awaitility.await().until(() -> server.open() == 0);
        }
    }

    @Test
    void refusedConnectionIsDownForEveryType() throws Exception {
        int port = refusedPort();

        for (HealthCheck check : List.of(HealthCheck.TCP, GET, new HealthCheck.Grpc(""), QUERY)) {
            assertThat(askInTime(port, check)).as("%s", check).isEqualTo(ProbeResult.down("connection refused"));
        }
    }

    @Test
    void unacceptedConnectionFailsForEveryType() throws Exception {
        try (FullPort full = new FullPort()) {
            for (HealthCheck check : List.of(HealthCheck.TCP, GET, new HealthCheck.Grpc(""), QUERY)) {
                long started = System.nanoTime();
                ProbeResult result = ask(full.port(), check);

                assertThat(result.outcome()).as("%s: %s", check, result).isEqualTo(FAILED);
                assertThat(Duration.ofNanos(System.nanoTime() - started))
                        .as("%s", check)
                        .isGreaterThanOrEqualTo(Duration.ofMillis(450));
            }
        }
    }

    @Test
    void withoutNativeTransportTheResultsAreTheSame() throws Exception {
        EventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
        HealthProbes portable = new HealthProbes(loops, NioSocketChannel::new);
        try (ScriptedServer server = ScriptedServer.silent();
                FullPort full = new FullPort()) {
            for (HealthCheck check : List.of(HealthCheck.TCP, new HealthCheck.Grpc(""))) {
                assertThat(askInTime(portable, refusedPort(), check).outcome()).isEqualTo(DOWN);
                assertThat(ask(portable, full.port(), check).outcome()).isEqualTo(FAILED);
            }
            assertThat(askInTime(portable, server.port(), HealthCheck.TCP).outcome())
                    .isEqualTo(PASSED);
        } finally {
            portable.close();
            loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
        }
    }

    @Test
    void hostWithoutAddressIsUnknown() throws Exception {
        for (HealthCheck check : List.of(HealthCheck.TCP, GET, new HealthCheck.Grpc(""), QUERY)) {
            ProbeResult result =
                    probes.check("no-such-host.invalid", 80, check).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);

            // A resolver that hangs is this side's trouble.
            assertThat(result.outcome()).as("%s: %s", check, result).isIn(FAILED, UNKNOWN);
        }
    }

    @Test
    void aPortOutOfRangeIsDown() throws Exception {
        assertThat(askInTime(0, HealthCheck.TCP)).isEqualTo(ProbeResult.down("port 0 (expected: 1-65535)"));
        assertThat(askInTime(65_536, GET).outcome()).isEqualTo(DOWN);
    }

    @Test
    void missingSocketGivesAnUnknownResult() throws Exception {
        try (ScriptedServer server = ScriptedServer.silent();
                HealthProbes poor = new HealthProbes(LOOPS.workers(), () -> {
                    throw new ChannelException("too many open files");
                })) {
            for (HealthCheck check : List.of(HealthCheck.TCP, GET, new HealthCheck.Grpc(""))) {
                ProbeResult result = askInTime(poor, server.port(), check);

                assertThat(result.outcome()).as("%s: %s", check, result).isEqualTo(UNKNOWN);
            }
        }
    }

    @Test
    void closedProbesOpenNothing() throws Exception {
        try (ScriptedServer server = ScriptedServer.silent()) {
            probes.close();

            for (HealthCheck check : List.of(HealthCheck.TCP, GET, new HealthCheck.Grpc(""), QUERY)) {
                assertThat(ask(server.port(), check).outcome()).as("%s", check).isIn(FAILED, UNKNOWN);
            }
        }
    }

    @Test
    void closingEndsWhatIsUnderWay() throws Exception {
        try (ScriptedServer server = ScriptedServer.silent()) {
            var get = probes.check("127.0.0.1", server.port(), GET);
            var call = probes.check("127.0.0.1", server.port(), new HealthCheck.Grpc(""));
            Awaitility.await().until(() -> server.open() == 2);

            probes.close();

            assertThat(channels).hasSize(2).noneMatch(Channel::isOpen);
            assertThat(get.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).outcome())
                    .isEqualTo(FAILED);
            assertThat(call.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).outcome())
                    .isEqualTo(FAILED);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "200, 200, PASSED",
        "204, 204, PASSED",
        "302, 302, PASSED",
        "302, 200, FAILED",
        "503, 200, FAILED",
        "301, 200, DOWN",
        "404, 200, DOWN",
        "500, 200, DOWN",
        "201, 200, DOWN",
        "200, 204, DOWN"
    })
    void theStatusDecides(int status, int expected, ProbeResult.Outcome outcome) throws Exception {
        String body = status == 204 ? "" : "Content-Length: 2\r\n\r\nhi";
        try (ScriptedServer server = ScriptedServer.answering(
                "HTTP/1.1 " + status + " x\r\n" + "Location: /elsewhere\r\n" + (body.isEmpty() ? "\r\n" : body))) {
            ProbeResult result = askInTime(server.port(), new HealthCheck.Http("/health", "", expected));

            assertThat(result.outcome()).isEqualTo(outcome);
            assertThat(result.reason()).contains("status " + status);
            assertThat(server.requests()).as("redirects are not followed").hasSize(1);
        }
    }

    @Test
    void theRequestIsASmallOneWithTheHeadersOfTheCheck() throws Exception {
        try (ScriptedServer server = ScriptedServer.answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")) {
            askInTime(server.port(), new HealthCheck.Http("health?deep=1", "X-Token:abc|Accept: text/plain", 200));

            String[] lines = server.requests().get(0).split("\n");
            assertThat(lines[0]).isEqualTo("GET /health?deep=1 HTTP/1.1");
            assertThat(lines)
                    .extracting(line -> line.toLowerCase(Locale.ROOT))
                    .contains(
                            "host: 127.0.0.1:" + server.port(),
                            "user-agent: cairn-health-check",
                            "connection: close",
                            "x-token: abc",
                            "accept: text/plain")
                    .noneMatch(line -> line.startsWith("content-length"));
        }
    }

    @Test
    void theHostHeaderMayBeThatOfAVirtualHost() throws Exception {
        try (ScriptedServer server = ScriptedServer.answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")) {
            askInTime(server.port(), new HealthCheck.Http("", "Host:shop.example", 200));

            assertThat(server.requests().get(0).lines().filter(line -> line.matches("(?i)host:.*")))
                    .containsExactly("Host: shop.example");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "HTTP/1.0 200 OK\r\n\r\nuntil the end",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n",
                "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
                "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
            })
    void completeResponseOfAnyFramingPasses(String answer) throws Exception {
        try (ScriptedServer server = ScriptedServer.answering(answer)) {
            assertThat(askInTime(server.port(), GET)).isEqualTo(ProbeResult.passed("status 200"));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "\0\1\2 no HTTP \r\n\r\n",
                "SSH-2.0-OpenSSH_9.2\r\n",
                "HTTP/1.1 abc x\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
                "HTTP/1.1 200 OK\r\nX: "
            })
    void incompleteHttpResponseFails(String answer) throws Exception {
        try (ScriptedServer server = ScriptedServer.answering(answer)) {
            assertThat(askInTime(server.port(), GET).outcome()).isEqualTo(FAILED);
        }
    }

    @Test
    void unfinishedResponseFailsAfterTwoSeconds() throws Exception {
        try (ScriptedServer nothing = beginning("");
                ScriptedServer head = beginning("HTTP/1.1 200 OK\r\n");
                ScriptedServer body = beginning("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf")) {
            List<ScriptedServer> servers = List.of(nothing, head, body);
            long started = System.nanoTime();

            // All at the same time, for each takes its two seconds.
            var results = servers.stream()
                    .map(server -> probes.check("127.0.0.1", server.port(), GET)
                            .thenApply(result -> Map.entry(result, System.nanoTime() - started)))
                    .toList();

            for (var each : results) {
                var result = each.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
                assertThat(result.getKey()).isEqualTo(ProbeResult.failed("no complete answer within 2000 ms"));
                assertThat(result.getValue()).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(1_900));
            }
            for (ScriptedServer server : servers) {
                Awaitility.await().until(() -> server.open() == 0);
            }
        }
    }

    /** A server that begins an answer and does not go on. */
    private static ScriptedServer beginning(String beginning) throws IOException {
        return new ScriptedServer(connection -> {
            connection.readHead();
            connection.send(beginning);
            connection.awaitEnd();
        });
    }

    @ParameterizedTest
    @CsvSource({
        "'HTTP/1.1 200 OK\r\n\r\n', PASSED",
        "'HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n', PASSED",
        "'HTTP/1.1 404 No\r\n\r\n', DOWN",
        "'HTTP/1.1 200 OK\r\nX: ', FAILED",
        "'', FAILED"
    })
    void endlessResponseIsReadUpToTheLimit(String beginning, ProbeResult.Outcome outcome) throws Exception {
        try (ScriptedServer server = new ScriptedServer(connection -> {
            connection.readHead();
            connection.send(beginning);
            String block = "x".repeat(8 * 1024);
            for (int i = 0; i < 100_000; i++) { // far more than the sockets' buffers: ends when the probe hangs up
                connection.send(block);
            }
        })) {
            assertThat(askInTime(server.port(), GET).outcome()).isEqualTo(outcome);
            Awaitility.await().until(() -> server.open() == 0);
        }
    }

    private static final MethodDescriptor.Marshaller<byte[]> BYTES = new MethodDescriptor.Marshaller<>() {
        @Override
        public InputStream stream(byte[] value) {
            return new ByteArrayInputStream(value);
        }

        @Override
        public byte[] parse(InputStream stream) {
            try {
                return stream.readAllBytes();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    };

    /** A server whose services are named for their answers. */
    private static Server healthServer() throws IOException {
        MethodDescriptor<byte[], byte[]> method = MethodDescriptor.<byte[], byte[]>newBuilder()
                .setType(MethodDescriptor.MethodType.UNARY)
                .setFullMethodName("grpc.health.v1.Health/Check")
                .setRequestMarshaller(BYTES)
                .setResponseMarshaller(BYTES)
                .build();
        return NettyServerBuilder.forPort(0)
                .addService(ServerServiceDefinition.builder("grpc.health.v1.Health")
                        .addMethod(method, ServerCalls.<byte[], byte[]>asyncUnaryCall((request, answer) -> {
                            String service = request.length == 0
                                    ? "number 1"
                                    : new String(request, 2, request.length - 2, StandardCharsets.UTF_8);
                            if (service.startsWith("number ")) {
                                answer.onNext(new byte[] {8, Byte.parseByte(service.substring(7))});
                                answer.onCompleted();
                            } else if (service.equals("garbage")) {
                                answer.onNext(new byte[] {8, (byte) 0x80});
                                answer.onCompleted();
                            } else if (service.equals("large")) {
                                answer.onNext(new byte[100_000]);
                                answer.onCompleted();
                            } else if (!service.equals("silence")) {
                                answer.onError(
                                        Status.Code.valueOf(service).toStatus().asRuntimeException());
                            }
                        }))
                        .build())
                .build()
                .start();
    }

    @ParameterizedTest
    @CsvSource({
        "'', PASSED",
        "number 1, PASSED",
        "number 2, DOWN",
        "number 3, DOWN",
        "number 0, FAILED",
        "number 9, FAILED",
        "NOT_FOUND, DOWN",
        "UNIMPLEMENTED, DOWN",
        "UNAVAILABLE, FAILED",
        "INTERNAL, FAILED",
        "PERMISSION_DENIED, FAILED",
        "garbage, FAILED",
        "large, FAILED",
        "silence, FAILED"
    })
    void theServingStatusDecides(String service, ProbeResult.Outcome outcome) throws Exception {
        Server server = healthServer();
        try {
            HealthCheck check = new HealthCheck.Grpc(service);
            ProbeResult result = outcome == FAILED ? ask(server.getPort(), check) : askInTime(server.getPort(), check);

            assertThat(result.outcome()).as("%s", result).isEqualTo(outcome);
        } finally {
            server.shutdownNow().awaitTermination();
        }
    }

    @Test
    void serverWithoutHealthServiceIsDown() throws Exception {
        Server server = NettyServerBuilder.forPort(0).build().start();
        try {
            ProbeResult result = askInTime(server.getPort(), new HealthCheck.Grpc(""));

            assertThat(result.outcome()).isEqualTo(DOWN);
            assertThat(result.reason()).contains("UNIMPLEMENTED");
        } finally {
            server.shutdownNow().awaitTermination();
        }
    }

    @Test
    void serverWithoutGrpcFails() throws Exception {
        try (ScriptedServer server =
                ScriptedServer.answering("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")) {
            assertThat(askInTime(server.port(), new HealthCheck.Grpc("")).outcome())
                    .isEqualTo(FAILED);
        }
    }

    @Test
    void silentGrpcServerFailsAfterTwoSeconds() throws Exception {
        try (ScriptedServer server = ScriptedServer.silent()) {
            long started = System.nanoTime();

            assertThat(ask(server.port(), new HealthCheck.Grpc("")))
                    .isEqualTo(ProbeResult.failed("no answer within 2000 ms"));
            assertThat(System.nanoTime() - started).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(1_900));
        }
    }

    @Test
    void databaseThatClosesTheConnectionFails() throws Exception {
        try (ScriptedServer server = new ScriptedServer(connection -> {})) {
            assertThat(askInTime(server.port(), QUERY).outcome()).isEqualTo(FAILED);
        }
    }

    @Test
    void silentDatabaseFailsAfterTheReadTimeout() throws Exception {
        try (ScriptedServer server = ScriptedServer.silent()) {
            long started = System.nanoTime();

            assertThat(ask(server.port(), QUERY)).isEqualTo(ProbeResult.failed("no answer in time"));
            assertThat(System.nanoTime() - started).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(900));
        }
    }

    @Test
    void databaseThatAnswersByteByByteFailsAfterFourSeconds() throws Exception {
        try (ScriptedServer server = new ScriptedServer(connection -> {
            connection.send("@\0\0\0"); // a packet of 64 bytes
            for (int i = 0; i < 64; i++) {
                connection.send("J");
                connection.pause(300);
            }
        })) {
            assertThat(ask(server.port(), QUERY)).isEqualTo(ProbeResult.failed("no complete answer within 4000 ms"));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"\1\0\0\0\n", "SSH-2.0-OpenSSH_9.2\r\n", "\u00ff\u00ff\u00ff\u0000"})
    void serverThatIsNotADatabaseFails(String greeting) throws Exception {
        try (ScriptedServer server = new ScriptedServer(connection -> connection.send(greeting))) {
            assertThat(askInTime(server.port(), QUERY).outcome()).isEqualTo(FAILED);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "127.0.0.1:%d/?allowLoadLocalInfile=true#",
                "address=(host=127.0.0.1)(port=%d)",
                "127.0.0.1:%d,127.0.0.1",
                "u:p@127.0.0.1:%d/?a=",
                ""
            })
    void hostCannotContainDriverOptions(String host) throws Exception {
        try (ScriptedServer server = ScriptedServer.silent()) {
            ProbeResult result = probes.check(host.formatted(server.port()), server.port(), QUERY)
                    .get(PATIENCE.toSeconds(), TimeUnit.SECONDS);

            assertThat(result).isEqualTo(ProbeResult.failed("the host is neither an address nor a name"));
            assertThat(server.open()).isZero();
        }
    }

    @Test
    void instancesAreFoundOutAndNothingIsLeftBehind() throws Exception {
        HashedWheelTimer timer = new HashedWheelTimer(20, TimeUnit.MILLISECONDS);
        HealthChecks checks = new HealthChecks(
                timer,
                LOOPS.workers(),
                this::newChannel,
                () -> new HealthCheckSettings(
                        1,
                        true,
                        HealthCheckSettings.defaults().tcp(),
                        HealthCheckSettings.defaults().http(),
                        HealthCheckSettings.defaults().mysql(),
                        HealthCheckSettings.defaults().grpc()),
                new FirstCheck(Duration.ofMillis(50), Duration.ofMillis(200)),
                new SimpleMeterRegistry());
        try (ScriptedServer well = ScriptedServer.answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
                ScriptedServer hanging = ScriptedServer.silent()) {
            TestSubject gone = new TestSubject();
            gone.host = "localhost";
            gone.port = refusedPort();
            TestSubject back = new TestSubject();
            back.host = "127.0.0.1";
            back.port = well.port();
            back.check = GET;
            back.healthy = false;
            TestSubject stuck = new TestSubject();
            stuck.host = "127.0.0.1";
            stuck.port = hanging.port();
            stuck.check = QUERY;
            List.of(gone, back, stuck).forEach(checks::watch);

            Awaitility.await().until(() -> !gone.healthy && back.healthy && !stuck.healthy);

            assertThat(gone.reports).containsExactly("false TCP: connection refused");
            assertThat(back.reports).containsExactly("true HTTP: status 200");
            assertThat(stuck.reports).containsExactly("false MYSQL: no answer in time");
        } finally {
            checks.close();
            Awaitility.await().until(() -> timer.pendingTimeouts() == 0);
            timer.stop();
        }
        assertNoThreads();
    }
}
