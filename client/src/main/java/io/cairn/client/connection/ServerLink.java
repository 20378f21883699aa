package io.cairn.client.connection;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.wire.AnswerFields;
import io.cairn.api.wire.JsonInput;
import io.cairn.api.wire.JsonOutput;
import io.cairn.api.wire.MessageCatalog;
import io.cairn.api.wire.Payload;
import io.cairn.api.wire.WireError;
import io.cairn.api.wire.connection.ServerPush;
import io.cairn.client.auth.Login;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Keeps one connection to one of the servers, whichever answers, and carries the requests. When it breaks, another one
 * is made, and those who must tell the new server something are called. Thread-safe.
 */
public final class ServerLink implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger("io.cairn.client");
    private static final Duration HEALTH_TIMEOUT = Duration.ofSeconds(3);
    private static final int MISSED_HEALTH_CHECKS = 2;
    /** A connection that has lived for so long was a good one. */
    private static final Duration LONG_ENOUGH = Duration.ofSeconds(10);
    /** So many in a row may end before that without a pause. */
    private static final int SHORT_LIVED_FOR_FREE = 2;

    private static final Duration OVERLAP = Duration.ofSeconds(3);

    private final Threads threads;
    private final Timings timings;
    private final @Nullable Login login;
    private final ServerList servers;
    private final Backoff backoff = new Backoff(new Random());
    private final Opening opening;
    private final RequestQueue requests;
    private final Map<String, PushHandler> pushes = new ConcurrentHashMap<>();
    private final List<Listener> listeners = new CopyOnWriteArrayList<>();
    private final AtomicReference<@Nullable Connection> current = new AtomicReference<>();
    private final CompletableFuture<Void> firstRound = new CompletableFuture<>();
    private final CompletableFuture<Void> firstConnection = new CompletableFuture<>();
    private volatile @Nullable CairnException lastFailure;
    private volatile boolean down;
    private volatile boolean closed;
    private int missedHealthChecks;
    /** Of the control thread, like all that concerns logging in. */
    private @Nullable Future<?> renewal;

    private volatile long connectedNanos;
    private int shortLived;

    /** Takes a push; must not block. */
    @FunctionalInterface
    public interface PushHandler {

        /** @return the push's request id; null when it has none */
        @Nullable
        String take(Connection connection, Payload push);
    }

    /** Is told what becomes of the connection, on the control thread. */
    public interface Listener {

        /** There is a new connection, to a server that knows nothing of this client yet. */
        void connected(Connection connection);

        /** There is none at present. */
        default void disconnected() {}
    }

    public ServerLink(
            List<ServerAddress> addresses, Setup setup, @Nullable Login login, Threads threads, Timings timings) {
        this.threads = threads;
        this.timings = timings;
        this.login = login;
        servers = new ServerList(addresses, new Random());
        requests = new RequestQueue(this, threads, timings.request(), login);
        opening = new Opening(setup, threads, new Connection.Events() {
            @Override
            public @Nullable String onPush(Connection connection, Payload push) {
                return handle(connection, push);
            }

            @Override
            public void onEnd(Connection connection, String why) {
                lost(connection, why);
            }
        });
        onPush(MessageCatalog.CLIENT_DETECTION_REQUEST, (connection, push) -> JsonInput.read(push, ServerPush::read)
                .requestId());
        onPush(MessageCatalog.CONNECT_RESET_REQUEST, (connection, push) -> {
            ServerPush reset = JsonInput.read(push, ServerPush::read);
            threads.control().execute(() -> move(connection, reset));
            return reset.requestId();
        });
    }

    /** Says who takes the pushes of that type; before the start. */
    public void onPush(String type, PushHandler handler) {
        pushes.put(type, handler);
    }

    /** Adds someone to be told; before the start. */
    public void addListener(Listener listener) {
        listeners.add(listener);
    }

    /**
     * Begins to connect, and goes on trying.
     *
     * @return completes once connected; fails once every server was tried in vain, while the attempts go on
     */
    public CompletableFuture<Void> start() {
        threads.control().execute(this::connect);
        long millis = timings.health().toMillis();
        threads.timer()
                .scheduleWithFixedDelay(this::checkHealth, millis, Math.max(1, millis / 2), TimeUnit.MILLISECONDS);
        return firstRound;
    }

    /** Completes with the first connection; fails before only when every server refuses the user. */
    public CompletableFuture<Void> firstConnection() {
        return firstConnection;
    }

    /** The connection at present; null when there is none. */
    public @Nullable Connection connection() {
        return current.get();
    }

    /** Where the client is connected to. */
    public Optional<ServerAddress> server() {
        return Optional.ofNullable(current.get()).map(Connection::address);
    }

    /** Whether all servers were tried in vain since the last connection. */
    public boolean down() {
        return down;
    }

    /** Why there is no connection; empty before the first failure. */
    public Optional<CairnException> lastFailure() {
        return Optional.ofNullable(lastFailure);
    }

    /** Whether the client was closed. */
    public boolean closed() {
        return closed;
    }

    /**
     * Sends a request over the connection, waiting for one when there is none.
     *
     * @param repeatable whether it may be sent again when it is unknown what became of it
     * @return the answer, whatever it says; fails with {@code UNAVAILABLE} when there is none in time
     */
    public CompletableFuture<Payload> request(String type, byte[] json, boolean repeatable) {
        return requests.submit(type, json, repeatable);
    }

    /** {@link #request} that is not worth waiting for a connection. */
    public CompletableFuture<Payload> requestNow(Connection connection, String type, byte[] json) {
        Map<String, String> headers = requests.headers();
        return connection
                .request(Payload.of(type, null, headers, json), timings.request())
                .thenCompose(answer -> {
                    Login auth = login;
                    if (auth == null || answer.bodyLength() > RequestQueue.LONGEST_REFUSAL) {
                        return CompletableFuture.completedFuture(answer);
                    }
                    AnswerFields said = JsonInput.read(answer, AnswerFields::read);
                    if (said.succeeded()
                            || said.errorCode() != WireError.NO_RIGHT
                            || !auth.mayBeMended(headers.get("accessToken"), said.message())) {
                        return CompletableFuture.completedFuture(answer);
                    }
                    CompletableFuture<Payload> again = new CompletableFuture<>();
                    loginAgain(() -> connection
                            .request(Payload.of(type, null, requests.headers(), json), timings.request())
                            .whenComplete((second, failure) -> {
                                if (failure != null) {
                                    again.completeExceptionally(failure);
                                } else {
                                    again.complete(second);
                                }
                            }));
                    return again;
                });
    }

    /** What is said of a client that was closed. */
    public static CairnException over() {
        return new CairnException(ErrorCode.UNAVAILABLE, "The client is closed");
    }

    private @Nullable String handle(Connection connection, Payload push) {
        PushHandler handler = pushes.get(push.type());
        if (handler == null) {
            throw new CairnException(ErrorCode.UNSUPPORTED, "this client does not know " + push.type());
        }
        return handler.take(connection, push);
    }

    private void connect() {
        if (closed || current.get() != null) {
            return;
        }
        List<CairnException> failures = new ArrayList<>();
        for (ServerAddress server : servers.round()) {
            if (closed) {
                return;
            }
            try {
                use(open(server));
                return;
            } catch (CairnException e) {
                failures.add(e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            } catch (RuntimeException e) {
                failures.add(new ConnectFailure(server, Phase.SETUP, "unexpected: " + e, e));
            }
        }
        allFailed(failures);
    }

    private Connection open(ServerAddress server) throws InterruptedException {
        Login auth = login;
        if (auth != null) {
            renewIn(auth.ensure(server));
        }
        return opening.open(server);
    }

    private void renewToken() {
        Connection connection = current.get();
        Login auth = login;
        if (closed || connection == null || auth == null) {
            return;
        }
        Duration again = Duration.ofSeconds(5);
        try {
            again = auth.ensure(connection.address());
        } catch (CairnException e) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "The token could not be renewed, next attempt in 5 s: " + e.getMessage());
        }
        renewIn(again);
    }

    /** There is one renewal ahead, however often a connection was made. */
    private void renewIn(Duration delay) {
        Future<?> before = renewal;
        if (before != null) {
            before.cancel(false);
        }
        renewal = threads.timer()
                .schedule(() -> threads.control().execute(this::renewToken), delay.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Gets a new token after a refusal, then runs that. */
    void loginAgain(Runnable then) {
        threads.control().execute(() -> {
            Connection connection = current.get();
            Login auth = login;
            try {
                if (connection != null && auth != null) {
                    renewIn(auth.ensure(connection.address()));
                }
            } catch (CairnException e) {
                LOG.log(System.Logger.Level.WARNING, "Logging in again has failed: " + e.getMessage());
            } finally {
                then.run();
            }
        });
    }

    private void use(Connection connection) {
        servers.use(connection.address());
        connectedNanos = System.nanoTime();
        down = false;
        lastFailure = null;
        missedHealthChecks = 0;
        current.set(connection);
        if (closed) {
            connection.close();
            return;
        }
        LOG.log(System.Logger.Level.INFO, "Connected to {0}", connection.address());
        tell(listener -> listener.connected(connection));
        requests.connected();
        firstRound.complete(null);
        firstConnection.complete(null);
        if (connection.ended()) {
            lost(connection, "it broke at once");
        }
    }

    private void allFailed(List<CairnException> failures) {
        CairnException failure = failures.get(0);
        if (failures.size() > 1) {
            StringBuilder text = new StringBuilder("None of " + failures.size() + " servers can be used");
            failures.forEach(one -> text.append("; ").append(one.getMessage()));
            failure = new CairnException(ErrorCode.UNAVAILABLE, text.toString(), failures.get(0));
        }
        lastFailure = failure;
        if (!down) {
            down = true;
            LOG.log(System.Logger.Level.WARNING, "Not connected: {0}; trying on", failure.getMessage());
        }
        firstRound.completeExceptionally(failure);
        if (failures.stream().allMatch(one -> one instanceof ConnectFailure known && known.phase() == Phase.AUTH)) {
            // A wrong password does not become right by waiting.
            firstConnection.completeExceptionally(failure);
        }
        requests.unreachable(failure);
        connectIn(backoff.next());
        tell(Listener::disconnected);
    }

    /** What one of them does with it keeps neither the others nor the connecting from going on. */
    private void tell(Consumer<Listener> what) {
        for (Listener listener : listeners) {
            try {
                what.accept(listener);
            } catch (RuntimeException e) {
                LOG.log(System.Logger.Level.ERROR, "A change of the connection could not be taken in", e);
            }
        }
    }

    private void connectIn(Duration delay) {
        threads.timer()
                .schedule(() -> threads.control().execute(this::connect), delay.toMillis(), TimeUnit.MILLISECONDS);
    }

    private void lost(Connection connection, String why) {
        if (current.compareAndSet(connection, null) && !closed) {
            LOG.log(System.Logger.Level.WARNING, "The connection to {0} has ended: {1}", connection.address(), why);
            threads.control().execute(() -> {
                connectIn(pauseAfterLoss());
                tell(Listener::disconnected);
            });
        }
    }

    /** All clients of a server lose it at once; and one that takes connections and drops them is not pestered. */
    private Duration pauseAfterLoss() {
        if (System.nanoTime() - connectedNanos >= LONG_ENOUGH.toNanos()) {
            shortLived = 0;
            backoff.reset();
        } else {
            shortLived++;
        }
        return shortLived > SHORT_LIVED_FOR_FREE
                ? backoff.next()
                : Duration.ofMillis(ThreadLocalRandom.current().nextLong(100));
    }

    /** The server asks to go elsewhere: the new connection is made before the old one ends. */
    private void move(Connection old, ServerPush reset) {
        if (closed || current.get() != old) {
            return;
        }
        servers.prefer(reset.serverIp(), reset.serverPort());
        for (ServerAddress server : servers.round()) {
            try {
                use(open(server));
                threads.timer().schedule(old::close, OVERLAP.toMillis(), TimeUnit.MILLISECONDS);
                return;
            } catch (CairnException e) {
                LOG.log(System.Logger.Level.WARNING, "A reset was asked for, but: {0}", e.getMessage());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    private void checkHealth() {
        Connection connection = current.get();
        if (connection == null
                || System.nanoTime() - connection.lastHeardNanos()
                        < timings.health().toNanos()) {
            missedHealthChecks = 0;
            return;
        }
        Payload request = Payload.of(
                MessageCatalog.HEALTH_CHECK_REQUEST,
                new JsonOutput(32).text("module", "internal").toBytes());
        Duration patience = HEALTH_TIMEOUT.compareTo(timings.health()) < 0 ? HEALTH_TIMEOUT : timings.health();
        connection.request(request, patience).whenComplete((answer, failure) -> {
            if (failure != null) {
                threads.timer().execute(() -> missed(connection));
            }
        });
    }

    private void missed(Connection connection) {
        missedHealthChecks++;
        if (missedHealthChecks >= MISSED_HEALTH_CHECKS) {
            missedHealthChecks = 0;
            connection.end("it has not answered health checks");
        }
    }

    /** Closes the connection; what waits for an answer fails. The threads belong to another. */
    @Override
    public void close() {
        closed = true;
        opening.giveUp();
        Connection connection = current.getAndSet(null);
        if (connection != null) {
            connection.close();
        }
        CairnException over = over();
        lastFailure = over;
        firstRound.completeExceptionally(over);
        firstConnection.completeExceptionally(over);
        requests.close(over);
    }
}
