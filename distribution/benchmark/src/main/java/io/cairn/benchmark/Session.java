package io.cairn.benchmark;

import io.cairn.benchmark.wire.AdsConnection;
import io.cairn.benchmark.wire.AdsSubscription;
import io.cairn.benchmark.wire.GrpcConnection;
import io.cairn.benchmark.wire.HttpConnection;
import io.cairn.benchmark.wire.LoginMessages;
import io.cairn.benchmark.wire.ProxyListener;
import io.cairn.benchmark.wire.PushListener;
import io.cairn.benchmark.wire.Transport;
import io.cairn.benchmark.wire.ViewListener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** One run of one benchmark against one server: its connections, and the process that is measured. */
final class Session implements AutoCloseable {
    private static final int OPENED_AT_ONCE = 64;
    private static final long CLOSE_SECONDS = 10;

    private final RunOptions options;
    private final Target target;
    private final @Nullable ServerProcess server;
    private final Transport transport;
    private final List<GrpcConnection> connections = new CopyOnWriteArrayList<>();
    private final List<HttpConnection> httpConnections = new ArrayList<>();
    private final long firstSerial = System.currentTimeMillis() << 20;

    Session(RunOptions options, Target target, long pid) {
        this.options = options;
        this.target = target;
        server = pid == 0 ? null : new ServerProcess(pid);
        if (server != null) {
            long unused = server.cpuMicros(); // refuses a pid that is none before anything is started
        }
        transport = new Transport("benchmark", options.threads);
    }

    /** Logs in with the name and password of the options, if there are any; every request from then on carries the token. */
    void logIn() throws InterruptedException {
        String user = options.user;
        if (user == null) {
            return;
        }
        byte[] request = LoginMessages.httpLogin(target.authority(), user, options.password);
        Batch.run("log in as " + user, 1, 1, Duration.ofSeconds(30), i -> newHttpConnection()
                .ask(request)
                .thenAccept(answer -> transport.authorize(LoginMessages.token(answer))));
    }

    /** Has every connection from now on take compressed pushes. */
    void takeGzip() {
        transport.takeGzip();
    }

    RunOptions options() {
        return options;
    }

    Target target() {
        return target;
    }

    /** Null without {@code --pid}. */
    @Nullable
    ServerProcess server() {
        return server;
    }

    Measurement newMeasurement() {
        return new Measurement(server);
    }

    /** Contents are numbered from here; a run lasts less than the millions that lie between two of them. */
    long firstSerial() {
        return firstSerial;
    }

    /** The name of a service that no earlier run has used. */
    String newServiceName(String prefix) {
        return prefix + "-" + Long.toString(firstSerial >> 20, Character.MAX_RADIX);
    }

    GrpcConnection connect() throws InterruptedException {
        return connect(1, i -> PushListener.NONE).get(0);
    }

    List<GrpcConnection> connect(int count, IntFunction<PushListener> listeners) throws InterruptedException {
        return open(count, i -> GrpcConnection.open(transport, target.grpc(), listeners.apply(i)));
    }

    GrpcConnection connectNaming() throws InterruptedException {
        return connectNaming(1, i -> ViewListener.NONE).get(0);
    }

    List<GrpcConnection> connectNaming(int count, IntFunction<ViewListener> listeners) throws InterruptedException {
        return open(count, i -> GrpcConnection.openNaming(transport, target.grpc(), listeners.apply(i)));
    }

    /** Does not wait; the connection is closed with the session. */
    CompletableFuture<GrpcConnection> openConfig(PushListener listener) {
        return kept(GrpcConnection.open(transport, target.grpc(), listener));
    }

    /** As {@link #openConfig}, for naming. */
    CompletableFuture<GrpcConnection> openNaming(ViewListener listener) {
        return kept(GrpcConnection.openNaming(transport, target.grpc(), listener));
    }

    private CompletableFuture<GrpcConnection> kept(CompletableFuture<GrpcConnection> opening) {
        return opening.thenApply(connection -> {
            connections.add(connection);
            return connection;
        });
    }

    private List<GrpcConnection> open(int count, IntFunction<CompletableFuture<GrpcConnection>> opening)
            throws InterruptedException {
        var opened = new GrpcConnection[count];
        var limit = Duration.ofSeconds(30 + count / 100);
        Batch.run("connect to " + target.grpc(), count, OPENED_AT_ONCE, limit, i -> opening.apply(i)
                .thenAccept(connection -> opened[i] = connection));
        List<GrpcConnection> result = Arrays.asList(opened);
        connections.addAll(result);
        return result;
    }

    /** Does not wait; completes when the proxy has all that the subscription asks for. The caller closes it. */
    CompletableFuture<AdsConnection> openAds(AdsSubscription subscription, ProxyListener listener) {
        return AdsConnection.open(transport, target.grpc(), subscription, listener);
    }

    /** Not yet connected: that happens with the first request. */
    HttpConnection newHttpConnection() {
        var connection = new HttpConnection(transport, target.http());
        httpConnections.add(connection);
        return connection;
    }

    List<HttpConnection> newHttpConnections(int count) {
        return Stream.generate(this::newHttpConnection).limit(count).toList();
    }

    void close(List<GrpcConnection> closing) throws InterruptedException {
        Batch.run("close", closing.size(), OPENED_AT_ONCE, Duration.ofSeconds(60), i -> closing.get(i)
                .close());
        connections.removeAll(List.copyOf(closing));
    }

    @Override
    public void close() {
        CompletableFuture<?>[] closing = Stream.concat(
                        connections.stream().map(GrpcConnection::close),
                        httpConnections.stream().map(HttpConnection::close))
                .toArray(CompletableFuture<?>[]::new);
        CompletableFuture.allOf(closing)
                .completeOnTimeout(null, CLOSE_SECONDS, TimeUnit.SECONDS)
                .join();
        transport.close();
    }
}
