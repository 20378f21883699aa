package io.cairn.client.internal;

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
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a connection to a server and sends the requests. Replaces a broken connection, and notifies the
 * listeners that must synchronize their state with the new server.
 */
public final class ServerLink implements Link, AutoCloseable {

    private static final System.Logger LOG = System.getLogger("io.cairn.client");
    private static final Duration HEALTH_TIMEOUT = Duration.ofSeconds(3);
    private static final int MISSED_HEALTH_CHECKS = 2;
    /** The limit for a move requested by a server. */
    private static final Duration MOVE_PATIENCE = Duration.ofSeconds(30);
    /** Spreads the reconnects of all clients of a server. */
    private static final int SPREAD_MILLIS = 100;

    /** A shorter connection does not prove that its server is usable. */
    private static final Duration LONG_ENOUGH = Duration.ofSeconds(10);

    private final Threads threads;
    private final Timings timings;
    private final TokenRenewal tokens;
    private final ServerList servers;
    private final @Nullable AddressRefresh addresses;
    /** Used while the list of servers is empty. */
    private final Backoff withoutList = new Backoff(new Random());

    private final Opening opening;
    private final RequestQueue requests;
    private final Map<String, PushHandler> pushes = new ConcurrentHashMap<>();
    private final List<Listener> listeners = new CopyOnWriteArrayList<>();
    private final AtomicReference<@Nullable Connection> current = new AtomicReference<>();
    private final Handover handover;
    private final CompletableFuture<Void> firstRound = new CompletableFuture<>();
    private final CompletableFuture<Void> firstConnection = new CompletableFuture<>();
    private volatile @Nullable CairnException lastFailure;
    private final AtomicLong connections = new AtomicLong();
    private volatile boolean down;
    private volatile boolean closed;
    /** Must not block. */
    @FunctionalInterface
    public interface PushHandler {

        /** @return the push's request id, or null */
        @Nullable
        String receive(Connection connection, Payload push);
    }

    /** Called on the control thread, unless stated otherwise. */
    public interface Listener {

        /** The client has connected to a server that has no state of this client yet. */
        void connected(Connection connection);

        default void disconnected() {}

        /** Whether the present server has the listener's whole state; called on any thread, must not block. */
        default boolean inStep() {
            return true;
        }

        /** Called on the closing thread. */
        default void closed(CairnException over) {}
    }

    /** @param known may be empty when there are address servers */
    public ServerLink(
            List<ServerAddress> known,
            @Nullable AddressServers addressServers,
            Setup setup,
            @Nullable Login login,
            Threads threads,
            Timings timings) {
        this.threads = threads;
        this.timings = timings;
        servers = new ServerList(known, new Random(), System::nanoTime);
        addresses = addressServers == null ? null : new AddressRefresh(servers, addressServers, System::nanoTime);
        tokens = new TokenRenewal(login, threads, this::server);
        handover = new Handover(threads, this::inStep);
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
            LOG.log(System.Logger.Level.INFO, "{0} asks its clients to go elsewhere", connection.address());
            move(connection, reset);
            return reset.requestId();
        });
    }

    @Override
    public void onPush(String type, PushHandler handler) {
        pushes.put(type, handler);
    }

    @Override
    public void addListener(Listener listener) {
        listeners.add(listener);
    }

    /** @return completes once connected; fails once every server has failed, while the attempts continue */
    public CompletableFuture<Void> start() {
        threads.control().execute(this::connect);
        threads.repeat(timings.health().dividedBy(2), this::checkHealth);
        if (addresses != null) {
            threads.repeat(AddressRefresh.INTERVAL, () -> threads.control().execute(this::refresh));
        }
        return firstRound;
    }

    /** Fails only when every server rejects the user. */
    public CompletableFuture<Void> firstConnection() {
        return firstConnection;
    }

    @Override
    public @Nullable Connection connection() {
        return current.get();
    }

    public long connections() {
        return connections.get();
    }

    public Optional<ServerAddress> server() {
        return Optional.ofNullable(current.get()).map(Connection::address);
    }

    public List<ServerAddress> servers() {
        return servers.all();
    }

    /** The former connection during a move; null outside a move. */
    public @Nullable Connection leaving() {
        return handover.leaving();
    }

    @Override
    public boolean down() {
        return down;
    }

    @Override
    public Optional<CairnException> lastFailure() {
        return Optional.ofNullable(lastFailure);
    }

    @Override
    public boolean closed() {
        return closed;
    }

    /**
     * @param repeatable whether to repeat the request when its outcome is unknown
     * @return the response, also an error response; fails with {@code UNAVAILABLE} after a timeout
     */
    public CompletableFuture<Payload> request(String type, byte[] json, boolean repeatable) {
        return requests.submit(type, json, repeatable);
    }

    public CompletableFuture<Payload> request(String type, byte[] json, boolean repeatable, Duration timeout) {
        return requests.submit(type, json, repeatable, timeout);
    }

    @Override
    public CompletableFuture<Payload> requestNow(Connection connection, String type, byte[] json) {
        return requests.submitOver(connection, type, json);
    }

    private @Nullable String handle(Connection connection, Payload push) {
        PushHandler handler = pushes.get(push.type());
        if (handler == null) {
            throw new CairnException(ErrorCode.UNSUPPORTED, "this client does not know " + push.type());
        }
        return handler.receive(connection, push);
    }

    private void connect() {
        if (closed || current.get() != null) {
            return;
        }
        Connection connection = null;
        try {
            if (addresses != null) {
                addresses.beforeConnecting();
            }
            connection = openAny();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            if (connection == null) {
                connectIn(servers.all().isEmpty() ? withoutList.next() : servers.untilDue());
            }
        }
        if (connection != null) {
            use(connection);
            return;
        }
        List<CairnException> failures = servers.failures();
        if (servers.all().isEmpty() && addresses != null) {
            failures = addresses.failure().map(List::of).orElse(List.of());
        }
        if (!failures.isEmpty()) {
            allFailed(failures);
        }
    }

    private @Nullable Connection openAny() throws InterruptedException {
        for (ServerAddress server : servers.due()) {
            if (closed) {
                break;
            }
            try {
                return open(server);
            } catch (CairnException e) {
                servers.failed(server, e);
            }
        }
        return null;
    }

    private Connection open(ServerAddress server) throws InterruptedException {
        try {
            tokens.ensure(server);
            return opening.open(server);
        } catch (CairnException e) {
            throw e;
        } catch (RuntimeException | LinkageError e) {
            throw new ConnectFailure(server, Phase.SETUP, "unexpected: " + e, e);
        }
    }

    /** Updates the list of servers, and leaves a server that the list no longer contains. */
    private void refresh() {
        Connection connection = current.get();
        AddressRefresh list = addresses;
        if (closed || connection == null || list == null) {
            // Attempts to connect query the address servers themselves.
            return;
        }
        if (list.refresh(connection.address())) {
            LOG.log(System.Logger.Level.INFO, "{0} is not in the list of servers any more", connection.address());
            move(connection, new ServerPush(null, Set.of(), null, null));
        }
    }

    void loginAgain(Runnable then) {
        tokens.again(then);
    }

    private void use(Connection connection) {
        servers.use(connection.address());
        down = false;
        lastFailure = null;
        withoutList.reset();
        current.set(connection);
        connections.incrementAndGet();
        if (closed) {
            current.set(null);
            connection.close();
            return;
        }
        LOG.log(System.Logger.Level.INFO, "Connected to {0}", connection.address());
        notifyListeners(listener -> listener.connected(connection));
        requests.connected();
        firstRound.complete(null);
        firstConnection.complete(null);
        if (connection.ended()) {
            lost(connection, "it broke at once");
        }
    }

    private void notifyListeners(Consumer<Listener> what) {
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
            // Retries do not help against a wrong password.
            firstConnection.completeExceptionally(failure);
        }
        requests.unreachable(failure);
        notifyListeners(Listener::disconnected);
    }

    private void connectIn(Duration delay) {
        long millis = Math.max(1, delay.toMillis());
        threads.timer().schedule(() -> threads.control().execute(this::connect), millis, TimeUnit.MILLISECONDS);
    }

    private void lost(Connection connection, String why) {
        if (!current.compareAndSet(connection, null) || closed) {
            return;
        }
        LOG.log(System.Logger.Level.WARNING, "The connection to {0} has ended: {1}", connection.address(), why);
        servers.lost(connection.address(), connection.age().compareTo(LONG_ENOUGH) >= 0);
        Duration spread = Duration.ofMillis(ThreadLocalRandom.current().nextLong(SPREAD_MILLIS));
        Duration due = servers.untilDue();
        connectIn(due.compareTo(spread) > 0 ? due : spread);
        threads.control().execute(() -> notifyListeners(Listener::disconnected));
    }

    /** The new server receives the client's state before the old connection ends. */
    private void move(Connection old, ServerPush reset) {
        long untilNanos = System.nanoTime() + MOVE_PATIENCE.toNanos();
        threads.control().execute(() -> tryMove(old, reset, untilNanos));
    }

    /** Runs repeatedly, until another connection is established or the limit is reached. */
    private void tryMove(Connection old, ServerPush reset, long untilNanos) {
        // A third connection would occupy the last I/O thread, and the former connection may still be needed.
        if (closed
                || current.get() != old
                || handover.then(() -> threads.control().execute(() -> tryMove(old, reset, untilNanos)))) {
            return;
        }
        for (ServerAddress server : servers.forMove(old.address(), reset.serverIp(), reset.serverPort())) {
            if (closed || current.get() != old) {
                return;
            }
            try {
                use(open(server));
                handover.begin(old);
                if (closed) {
                    handover.close();
                }
                return;
            } catch (CairnException e) {
                servers.failed(server, e);
                LOG.log(System.Logger.Level.DEBUG, old.address() + " cannot be left for " + server, e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
        long next = Math.max(SPREAD_MILLIS, servers.untilDue().toMillis());
        if (System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(next) - untilNanos < 0) {
            threads.timer()
                    .schedule(
                            () -> threads.control().execute(() -> tryMove(old, reset, untilNanos)),
                            next,
                            TimeUnit.MILLISECONDS);
        } else {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "{0} is to be left, and no other server could be connected to in " + MOVE_PATIENCE.toSeconds()
                            + " s: it stays in use",
                    old.address());
        }
    }

    private boolean inStep() {
        Connection connection = current.get();
        return connection != null
                && !connection.ended()
                && listeners.stream().allMatch(Listener::inStep)
                && current.get() == connection;
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

    /** Pending requests fail. The owner closes the threads. */
    @Override
    public void close() {
        closed = true;
        opening.giveUp();
        Connection connection = current.getAndSet(null);
        if (connection != null) {
            connection.close();
        }
        handover.close();
        CairnException over = new CairnException(ErrorCode.UNAVAILABLE, "The client is closed");
        lastFailure = over;
        firstRound.completeExceptionally(over);
        firstConnection.completeExceptionally(over);
        requests.close(over);
        notifyListeners(listener -> listener.closed(over));
    }
}
