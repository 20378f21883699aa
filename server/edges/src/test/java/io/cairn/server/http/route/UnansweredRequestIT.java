package io.cairn.server.http.route;

import static io.cairn.testing.Patience.PATIENCE;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cairn.api.error.CairnException;
import io.cairn.server.admission.AnswerMemory;
import io.cairn.server.admission.MemoryBudget;
import io.cairn.server.auth.AccessPolicy;
import io.cairn.server.change.VisibilityBarrier;
import io.cairn.server.compress.SharedCompression;
import io.cairn.server.eventloop.EventLoops;
import io.cairn.server.http.HttpBody;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.HttpServer;
import io.cairn.server.limit.Limit;
import io.cairn.server.testing.EqualLimits;
import io.cairn.server.testing.RawSocket;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.time.Clock;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Where a request fails so thoroughly that there are no words for it, its client is not left waiting. */
class UnansweredRequestIT {

    private static final Limit LARGE = new Limit("a-limit", "a setting", 1_000_000);

    private final EventLoops loops = new EventLoops(1);
    private final ExecutorService work = Executors.newSingleThreadExecutor();
    private HttpServer server;

    @BeforeEach
    void start() {
        HttpErrors speechless = new HttpErrors() {
            @Override
            public HttpResponse failed(HttpRequest call, CairnException failure) {
                throw new OutOfMemoryError("no room for words");
            }

            @Override
            public HttpResponse wrongMethod(HttpRequest call, String allowed) {
                throw new OutOfMemoryError("no room for words");
            }
        };
        Endpoints endpoints = new Endpoints(speechless);
        List<HttpRoute> routes = List.of(
                endpoints.post("/lost", Operation.unlisted(Right.open()), call -> {
                    throw new StackOverflowError();
                }),
                endpoints.get("/pieces", Operation.unlisted(Right.open()), call -> pieces("one", "", "two", null)),
                endpoints.get("/cut", Operation.unlisted(Right.open()), call -> pieces("half")));
        HttpAuthorizer authorizer = new HttpAuthorizer(
                new AccessPolicy(false), null, null, new CrossOriginGuard(true, Set.of()), null, null);
        server = new HttpServer(
                new HttpServer.Settings(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        1_000_000,
                        600,
                        600,
                        100,
                        EqualLimits.of(LARGE)),
                new HttpRouter(
                        new RouteTable("", routes, new ContainerErrors(Clock.systemUTC())),
                        new SimpleMeterRegistry(),
                        work,
                        work,
                        authorizer,
                        new HttpAudit(null),
                        VisibilityBarrier.ofSingleServer(),
                        LARGE),
                new MemoryBudget(100_000_000),
                new AnswerMemory(LARGE),
                new SharedCompression(Runnable::run),
                loops.acceptor(),
                loops.workers(),
                loops::newServerChannel,
                channel -> {});
        server.start();
    }

    @AfterEach
    void stop() {
        server.close();
        loops.close();
        work.shutdownNow();
    }

    /** A response in pieces, which fails after the last of them unless that is null. */
    private static CompletionStage<HttpResponse> pieces(String... pieces) {
        Iterator<String> left = Arrays.asList(pieces).iterator();
        return CompletableFuture.completedFuture(HttpResponse.status(200).body(new HttpBody() {
            @Override
            public long length() {
                return UNKNOWN_LENGTH;
            }

            @Override
            public CompletionStage<byte[]> next() {
                if (!left.hasNext()) {
                    return CompletableFuture.failedFuture(new IOException("no more, for a test"));
                }
                String next = left.next();
                return CompletableFuture.completedFuture(next == null ? null : next.getBytes(UTF_8));
            }

            @Override
            public void close() {}
        }));
    }

    @Test
    void aResponseInPiecesGoesOnWhereThereWereNoneForAMoment() {
        try (RawSocket socket = RawSocket.connect(server.port())) {
            socket.send("GET /pieces HTTP/1.1\r\nHost: cairn\r\nConnection: close\r\n\r\n");

            assertThat(socket.readAll(PATIENCE)).endsWith("\r\n\r\n3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n");
        }
    }

    @Test
    void aResponseInPiecesThatFailsHasNoLastChunk() {
        try (RawSocket socket = RawSocket.connect(server.port())) {
            socket.send("GET /cut HTTP/1.1\r\nHost: cairn\r\n\r\n");

            assertThat(socket.readAll(PATIENCE)).endsWith("\r\n\r\n4\r\nhalf\r\n");
        }
    }

    @Test
    void itsConnectionOfHttp1Ends() {
        try (RawSocket socket = RawSocket.connect(server.port())) {
            int length = HttpRouter.LARGE_BODY_BYTES + 1;
            socket.send("POST /lost HTTP/1.1\r\nHost: cairn\r\nContent-Length: " + length + "\r\n\r\n"
                    + "x".repeat(length));

            assertThat(socket.readAll(PATIENCE)).isEmpty();
        }
    }

    @Test
    void itsConnectionOfHttp2Ends() {
        java.net.http.HttpRequest request = java.net.http.HttpRequest.newBuilder(
                        URI.create("http://127.0.0.1:" + server.port() + "/lost"))
                .POST(BodyPublishers.ofByteArray(new byte[HttpRouter.LARGE_BODY_BYTES + 1]))
                .timeout(PATIENCE)
                .build();

        assertThatThrownBy(() -> HttpClient.newHttpClient().send(request, BodyHandlers.ofString()))
                .isInstanceOf(IOException.class)
                .isNotInstanceOf(HttpTimeoutException.class);
    }
}
