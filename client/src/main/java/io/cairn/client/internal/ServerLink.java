package io.cairn.client.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.wire.JsonInput;
import io.cairn.api.wire.JsonOutput;
import io.cairn.api.wire.MessageCatalog;
import io.cairn.api.wire.Payload;
import io.cairn.api.wire.connection.ServerPush;
import io.cairn.client.connection.ConnectFailure;
import io.cairn.client.connection.Phase;
import io.cairn.client.connection.ServerAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
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
    private static final Duration RENEW_AGAIN = Duration.ofSeconds(5);
    private static final Duration OVERLAP = Duration.ofSeconds(3);
    /** A connection that lived shorter has not shown that its server can be used. */
    private static final Duration LONG_ENOUGH = Duration.ofSeconds(10);

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
    /** Left by a move, and to be closed soon. */
    private final Set<Connection> leaving = ConcurrentHashMap.newKeySet();

    @GuardedBy("itself")
    private final List<Runnable> afterLogin = new ArrayList<>();

    private final CompletableFuture<Void> firstRound = new CompletableFuture<>();
    private final CompletableFuture<Void> firstConnection = new CompletableFuture<>();
    private volatile @Nullable CairnException lastFailure;
    private volatile boolean down;
    private volatile boolean closed;
    /** Used by the control thread alone. */
    private @Nullable Future<?> renewal;

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

        /** The client is closed; on the closing thread. */
        default void closed(CairnException over) {}
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
        threads.repeat(timings.health().dividedBy(2), this::checkHealth);
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

    /** Whether the client is closed. */
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

    /** {@link #request} over that connection or none: what another server need not be asked. */
    public CompletableFuture<Payload> requestNow(Connection connection, String type, byte[] json) {
        return requests.submitOver(connection, type, json);
    }

    private @Nullable String handle(Connection connection, Payload push) {
        PushHandler handler = pushes.get(push.type());
        if (handler == null) {
            throw new CairnException(ErrorCode.UNSUPPORTED, "this client does not know " + push.type());
        }
        return handler.take(connection, push);
    }

    /** Leaves a connection behind, or another attempt to come; whatever happens. */
    private void connect() {
        if (closed || current.get() != null) {
            return;
        }
        List<CairnException> failures = new ArrayList<>();
        Connection connection = null;
        try {
            connection = openAny(failures);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            if (connection == null) {
                connectIn(backoff.next());
            }
        }
        if (connection != null) {
            use(connection);
        } else if (!failures.isEmpty()) {
            allFailed(failures);
        }
    }

    private @Nullable Connection openAny(List<CairnException> failures) throws InterruptedException {
        for (ServerAddress server : servers.round()) {
            if (closed) {
                break;
            }
            try {
                return open(server);
            } catch (CairnException e) {
                failures.add(e);
            } catch (RuntimeException | LinkageError e) {
                failures.add(new ConnectFailure(server, Phase.SETUP, "unexpected: " + e, e));
            }
        }
        return null;
    }

    private Connection open(ServerAddress server) throws InterruptedException {
        ensureToken(server);
        return opening.open(server);
    }

    private void ensureToken(ServerAddress server) {
        Login auth = login;
        if (auth != null) {
            renewTokenIn(auth.ensure(server));
        }
    }

    /** The one renewal to come; on the control thread. */
    private void renewTokenIn(Duration delay) {
        Future<?> before = renewal;
        if (before != null) {
            before.cancel(false);
        }
        renewal = threads.timer()
                .schedule(() -> threads.control().execute(this::renewToken), delay.toMillis(), TimeUnit.MILLISECONDS);
    }

    private void renewToken() {
        Connection connection = current.get();
        if (closed || connection == null) {
            // The next connection begins with a look at the token.
            return;
        }
        try {
            ensureToken(connection.address());
        } catch (CairnException e) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "The token could not be renewed, next attempt in " + RENEW_AGAIN.toSeconds() + " s: "
                            + e.getMessage());
            renewTokenIn(RENEW_AGAIN);
        }
    }

    /** Sees to a new token after a refusal, then runs that: one login for all that were refused meanwhile. */
    void loginAgain(Runnable then) {
        boolean first;
        synchronized (afterLogin) {
            first = afterLogin.isEmpty();
            afterLogin.add(then);
        }
        if (first) {
            threads.control().execute(this::logInAgain);
        }
    }

    private void logInAgain() {
        Connection connection = current.get();
        try {
            if (connection != null) {
                ensureToken(connection.address());
            }
        } catch (CairnException e) {
            LOG.log(System.Logger.Level.WARNING, "Logging in again has failed: " + e.getMessage());
        } finally {
            List<Runnable> all;
            synchronized (afterLogin) {
                all = List.copyOf(afterLogin);
                afterLogin.clear();
            }
            all.forEach(Runnable::run);
        }
    }

    private void use(Connection connection) {
        servers.use(connection.address());
        down = false;
        lastFailure = null;
        current.set(connection);
        if (closed) {
            current.set(null);
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

    private void tell(Consumer<Listener> what) {
        for (Listener listener : listeners) {
            try {
                what.accept(listener);
            } catch (RuntimeException | LinkageError e) {
                LOG.log(System.Logger.Level.ERROR, "What depends on the connection could not be told of it", e);
            }
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
        tell(Listener::disconnected);
    }

    private void connectIn(Duration delay) {
        threads.timer()
                .schedule(() -> threads.control().execute(this::connect), delay.toMillis(), TimeUnit.MILLISECONDS);
    }

    private void lost(Connection connection, String why) {
        if (!current.compareAndSet(connection, null) || closed) {
            return;
        }
        LOG.log(System.Logger.Level.WARNING, "The connection to {0} has ended: {1}", connection.address(), why);
        if (connection.age().compareTo(LONG_ENOUGH) >= 0) {
            backoff.reset();
            // All clients of a server lose it at once.
            connectIn(Duration.ofMillis(ThreadLocalRandom.current().nextLong(100)));
        } else {
            connectIn(backoff.next());
        }
        threads.control().execute(() -> tell(Listener::disconnected));
    }

    /** The server asks to go elsewhere: the new connection is made before the old one ends. */
    private void move(Connection old, ServerPush reset) {
        if (closed || current.get() != old) {
            return;
        }
        List<ServerAddress> round = new ArrayList<>(servers.roundFrom(reset.serverIp(), reset.serverPort()));
        boolean named = servers.knows(reset.serverIp(), reset.serverPort());
        if (!named && round.size() > 1) {
            // It is about to stop.
            round.remove(old.address());
        }
        LOG.log(System.Logger.Level.INFO, "{0} asks its clients to go elsewhere", old.address());
        // A connection more than two would leave no thread for shaking hands.
        closeLeaving();
        for (ServerAddress server : round) {
            if (closed || current.get() != old) {
                return;
            }
            try {
                Connection next = open(server);
                leave(old);
                use(next);
                return;
            } catch (CairnException e) {
                LOG.log(System.Logger.Level.INFO, "It cannot be left for " + server + ": " + e.getMessage());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            } catch (RuntimeException | LinkageError e) {
                LOG.log(System.Logger.Level.WARNING, "It cannot be left for " + server, e);
            }
        }
    }

    private void leave(Connection old) {
        leaving.add(old);
        threads.timer()
                .schedule(
                        () -> {
                            if (leaving.remove(old)) {
                                old.close();
                            }
                        },
                        OVERLAP.toMillis(),
                        TimeUnit.MILLISECONDS);
    }

    private void closeLeaving() {
        leaving.removeIf(old -> {
            old.close();
            return true;
        });
    }

    private void checkHealth() {
        Connection connection = current.get();
        if (connection == null) {
            return;
        }
        if (System.nanoTime() - connection.lastHeardNanos() < timings.health().toNanos()) {
            connection.healthy();
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

    private static void missed(Connection connection) {
        if (connection.missed() >= MISSED_HEALTH_CHECKS) {
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
        closeLeaving();
        CairnException over = new CairnException(ErrorCode.UNAVAILABLE, "The client is closed");
        lastFailure = over;
        firstRound.completeExceptionally(over);
        firstConnection.completeExceptionally(over);
        requests.close(over);
        tell(listener -> listener.closed(over));
    }
}
