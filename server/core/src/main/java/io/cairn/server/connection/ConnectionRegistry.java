package io.cairn.server.connection;

import io.cairn.api.wire.JsonOutput;
import io.cairn.api.wire.MessageCatalog;
import io.cairn.api.wire.Payload;
import io.cairn.server.limit.Limit;
import io.cairn.server.push.PushBudget;
import io.cairn.server.push.PushQueue;
import io.cairn.server.timer.LoopTask;
import io.netty.util.Timer;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connections. A silent one gets a detection, and is closed without an answer. Each has one time-out on the timer wheel; no
 * task visits all.
 */
public final class ConnectionRegistry implements ClientConnection.Environment {

    private static final Logger log = LoggerFactory.getLogger(ConnectionRegistry.class);

    private final ConcurrentHashMap<String, ClientConnection> connections = new ConcurrentHashMap<>();
    private final AtomicInteger count = new AtomicInteger();
    private final List<Consumer<ClientConnection>> onOpen = new CopyOnWriteArrayList<>();
    private final List<Consumer<ClientConnection>> onClose = new CopyOnWriteArrayList<>();
    private final ConnectionSettings settings;
    private final int maxPushesInFlight;
    private final PushBudget pushBudget;
    private final RequestIds requestIds;
    private final Timer timer;
    private final String serverIp;
    private final Map<MoveReason, LongAdder> moves = new ConcurrentHashMap<>();

    private volatile @Nullable Limit limit;

    /**
     * @param maxPushesInFlight unacknowledged pushes of one connection
     * @param pushBudget for large pushes of all connections
     * @param serverIp the sender in pushes
     */
    public ConnectionRegistry(
            ConnectionSettings settings,
            int maxPushesInFlight,
            PushBudget pushBudget,
            RequestIds requestIds,
            Timer timer,
            String serverIp) {
        this.settings = settings;
        this.maxPushesInFlight = maxPushesInFlight;
        this.pushBudget = pushBudget;
        this.requestIds = requestIds;
        this.timer = timer;
        this.serverIp = serverIp;
    }

    /** Called for every ended connection, on its event loop if that still runs. */
    public void onClose(Consumer<ClientConnection> listener) {
        onClose.add(listener);
    }

    /** Sets the limit that counts refused connections. */
    public void limitedBy(Limit counted) {
        limit = counted;
    }

    /** Called for every new connection; must be quick. */
    public void onOpen(Consumer<ClientConnection> listener) {
        onOpen.add(listener);
    }

    /** False at the limit of connections. */
    public boolean register(ClientConnection connection) {
        int wanted = count.incrementAndGet();
        if (wanted > settings.maxConnections()) {
            count.decrementAndGet();
            Limit counted = limit;
            if (counted != null) {
                counted.allows(wanted);
            }
            log.warn(
                    "Connection from {} refused: {} connections are open (cairn.connections.max)",
                    connection.identity().clientIp(),
                    settings.maxConnections());
            return false;
        }
        ClientConnection before = connections.put(connection.id(), connection);
        if (before != null) {
            gone(before, false);
        }
        watchSilence(connection, settings.silence().toNanos());
        onOpen.forEach(listener -> listener.accept(connection));
        return true;
    }

    public @Nullable ClientConnection find(String connectionId) {
        return connections.get(connectionId);
    }

    /** Removes an ended connection with all that it owns. */
    public void closed(ClientConnection connection) {
        gone(connection, true);
    }

    private void gone(ClientConnection connection, boolean listed) {
        if (!connection.markClosed()) {
            return;
        }
        if (listed) {
            connections.remove(connection.id(), connection);
        }
        count.decrementAndGet();
        for (Consumer<ClientConnection> listener : onClose) {
            try {
                listener.accept(connection);
            } catch (RuntimeException e) {
                // The other listeners must be called in spite of the failure.
                log.error("A listener of the end of connection {} failed", connection.id(), e);
            }
        }
    }

    @Override
    public PushQueue newPushQueue(ClientConnection connection) {
        return new PushQueue(connection, maxPushesInFlight, pushBudget, timer);
    }

    @Override
    public void dropped(ClientConnection connection, String reason) {
        log.warn(
                "Connection {} ({}) closed: {}",
                connection.id(),
                connection.identity().version(),
                reason);
        closed(connection);
        connection.closeLine(false);
    }

    /** Ends all connections, so that their clients connect elsewhere. */
    public void closeAll() {
        for (ClientConnection connection : connections.values()) {
            onLoop(connection, () -> {
                closed(connection);
                connection.closeLine(true);
            });
        }
    }

    private void watchSilence(ClientConnection connection, long afterNanos) {
        connection.watchedBy(timer.newTimeout(
                new LoopTask(connection.loop(), fired -> checkSilence(connection)), afterNanos, TimeUnit.NANOSECONDS));
    }

    private static void onLoop(ClientConnection connection, Runnable task) {
        try {
            connection.loop().execute(task);
        } catch (RejectedExecutionException e) {
            log.debug("The event loop of {} has ended", connection.id(), e);
        }
    }

    private void checkSilence(ClientConnection connection) {
        if (connection.isClosed()) {
            return;
        }
        long allowed = settings.silence().toNanos();
        long silent = System.nanoTime() - connection.lastActiveNanos();
        if (silent < allowed) {
            watchSilence(connection, allowed - silent);
            return;
        }
        String requestId = requestIds.next();
        long askedNanos = System.nanoTime();
        connection.detecting(requestId);
        if (connection.isReady()) {
            connection.send(detection(requestId));
        }
        connection.watchedBy(timer.newTimeout(
                new LoopTask(connection.loop(), fired -> checkAnswer(connection, askedNanos)),
                settings.detectionTimeout().toNanos(),
                TimeUnit.NANOSECONDS));
    }

    private void checkAnswer(ClientConnection connection, long askedNanos) {
        if (connection.isClosed()) {
            return;
        }
        if (connection.isDetecting() && connection.lastActiveNanos() - askedNanos < 0) {
            long silent = System.nanoTime() - connection.lastActiveNanos();
            dropped(
                    connection,
                    "silent for " + TimeUnit.NANOSECONDS.toSeconds(silent) + " s and no answer to a detection within "
                            + settings.detectionTimeout().toSeconds() + " s");
        } else {
            checkSilence(connection);
        }
    }

    private Payload detection(String requestId) {
        return Payload.of(
                MessageCatalog.CLIENT_DETECTION_REQUEST,
                serverIp,
                new JsonOutput(96)
                        .json("headers", "{}")
                        .text("requestId", requestId)
                        .text("module", "internal")
                        .toBytes());
    }

    /**
     * Asks a client to connect to another server, or to reconnect here.
     *
     * @param host empty for another server of the client's list
     * @param port the main port
     */
    public void reset(ClientConnection connection, String host, int port, MoveReason reason) {
        moves.computeIfAbsent(reason, first -> new LongAdder()).increment();
        String requestId = requestIds.next();
        Payload payload = Payload.of(
                MessageCatalog.CONNECT_RESET_REQUEST,
                serverIp,
                new JsonOutput(160)
                        .json("headers", "{}")
                        .text("requestId", requestId)
                        .text("serverIp", host)
                        .text("serverPort", Integer.toString(port))
                        .text("connectionId", connection.id())
                        .text("module", "internal")
                        .toBytes());
        onLoop(connection, () -> {
            // Sent even if the transport is not writable: it is small, and slow clients must move, too.
            if (!connection.isClosed()) {
                connection.askedToMove();
                connection.send(payload);
            }
        });
    }

    /** Requests to move since the start. */
    public long moves() {
        return moves.values().stream().mapToLong(LongAdder::sum).sum();
    }

    /** As {@link #moves()}, for that reason. */
    public long moves(MoveReason reason) {
        LongAdder counted = moves.get(reason);
        return counted == null ? 0 : counted.sum();
    }

    public Collection<ClientConnection> connections() {
        return Collections.unmodifiableCollection(connections.values());
    }

    public int size() {
        return count.get();
    }
}
