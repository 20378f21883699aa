package io.cairn.server.subscription;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.cairn.api.wire.JsonInput;
import io.cairn.api.wire.JsonOutput;
import io.cairn.api.wire.MalformedMessageException;
import io.cairn.api.wire.MessageCatalog;
import io.cairn.api.wire.Payload;
import io.cairn.api.wire.config.ClientConfigMetrics;
import io.cairn.server.connection.ClientConnection;
import io.cairn.server.connection.ClientIdentity;
import io.cairn.server.connection.ConnectionRegistry;
import io.cairn.server.connection.RequestIds;
import io.cairn.server.timer.LoopTask;
import io.micrometer.core.instrument.Counter;
import io.netty.util.Timer;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds official Java clients that listen to fewer configurations than they believe, and asks them to connect anew, after
 * which they listen to all. nacos-client 2.0.3 to 3.0.3 marks the unchanged configurations of a listen as listened to
 * after it has fetched the changed ones, even if its connection was replaced in the meantime: the server of the new
 * connection never hears of them, and the client is behind with them until it compares all, after three to five minutes.
 *
 * <p>15 s after a connection was set up, and again 45 s later, its client is asked how many configurations it wants to
 * listen to. The answer covers all connections of the client, of which it has one for each 3,000 configurations (label
 * {@code taskId}). If that is more than is watched, it is asked again every 5 s; only when neither figure has changed
 * meanwhile, which leaves out clients that are about to listen, the connection is reset, at most twice.
 *
 * <p>Configurations that a client takes from a fail-over file count in its answer and are not listened to. So a connection
 * that replaces no other is not reset, and a client that lacks the same number after two resets is left alone.
 *
 * <p>Thread-safe; works on the event loops of the connections.
 */
public final class LostListens {

    /** The pause between the set-up of a connection and the first question, in production. */
    public static final Duration FIRST = Duration.ofSeconds(15);

    /** Official Java clients, whose version follows. */
    private static final String SDK = "Nacos-Java-Client:";

    private static final int ROUNDS = 2;
    /** Questions of one round. */
    private static final int QUESTIONS = 6;
    /** Resets of one connection, and of one client that goes on lacking the same number. */
    private static final int RESETS = 2;

    private static final int MOST_REMEMBERED = 100_000;
    private static final Duration REPLACED_WITHIN = Duration.ofMinutes(5);
    private static final Duration REMEMBERED_FOR = Duration.ofHours(1);
    private static final Logger log = LoggerFactory.getLogger(LostListens.class);

    private final ConnectionRegistry connections;
    private final RequestIds requestIds;
    private final Timer timer;
    private final Counter healed;
    private final long firstNanos;
    private final Map<Home, Set<ClientConnection>> homes = new ConcurrentHashMap<>();
    /** Which client a connection belongs to, by the id that it has given itself. */
    private final Map<ClientConnection, String> clients = new ConcurrentHashMap<>();

    /** Where a connection ended before its client could be asked. */
    private final Cache<Place, Boolean> left = Caffeine.newBuilder()
            .maximumSize(MOST_REMEMBERED)
            .expireAfterWrite(REPLACED_WITHIN)
            .build();
    /** The id of the first connection over which a client said who it is. */
    private final Cache<Line, String> first = Caffeine.newBuilder()
            .maximumSize(MOST_REMEMBERED)
            .expireAfterAccess(REMEMBERED_FOR)
            .build();

    private final Cache<String, Lack> lacks = Caffeine.newBuilder()
            .maximumSize(MOST_REMEMBERED)
            .expireAfterAccess(REMEMBERED_FOR)
            .build();

    /** What the connections of one client have in common. */
    private record Home(String remoteIp, String clientIp, String version) {

        static Home of(ClientConnection connection) {
            ClientIdentity identity = connection.identity();
            return new Home(connection.remoteIp(), identity.clientIp(), identity.version());
        }
    }

    /** What a connection has in common with the one that it replaces. */
    private record Place(Home home, String tenant, String task) {

        static Place of(ClientConnection connection) {
            return new Place(Home.of(connection), connection.identity().tenant(), taskOf(connection));
        }
    }

    /** One of the connections that a client has at a time. */
    private record Line(String client, String task) {}

    /** How many configurations a client goes without, and how often it was reset for that number. */
    private record Lack(int missing, int resets) {}

    /** What is known of one connection. Used on its event loop. */
    private final class Check {

        private final ClientConnection connection;
        private int round;
        private int questions;
        private int resets;
        private int wanted = -1;
        private int watched = -1;

        Check(ClientConnection connection) {
            this.connection = connection;
        }

        private void begin() {
            questions = 0;
            wanted = -1;
            watched = -1;
            round++;
            if (round < ROUNDS) {
                after(3 * firstNanos, this::begin);
            }
            ask();
        }

        private void ask() {
            questions++;
            if (connection.isReady()) {
                String requestId = requestIds.next();
                connection.ask(
                        question(requestId), requestId, MessageCatalog.CLIENT_CONFIG_METRIC_RESPONSE, this::answered);
            }
        }

        private void answered(Payload answer) {
            try {
                ClientConfigMetrics metrics = JsonInput.read(answer, ClientConfigMetrics::read);
                String client = metrics.client();
                if (client != null && metrics.listensTo() >= 0) {
                    compare(client, metrics.listensTo());
                }
            } catch (MalformedMessageException e) {
                log.debug("Malformed {} from {}: {}", answer.type(), connection.id(), e.getMessage());
            }
        }

        private void compare(String client, int nowWanted) {
            clients.put(connection, client);
            if (connection.isClosed()) {
                clients.remove(connection);
                return;
            }
            String firstId = first.get(new Line(client, taskOf(connection)), line -> connection.id());
            boolean replacesAnother =
                    !firstId.equals(connection.id()) || left.getIfPresent(Place.of(connection)) != null;
            int nowWatched = watchedFor(client, connection);
            if (nowWanted <= nowWatched) {
                lacks.invalidate(client);
            } else if (nowWanted == wanted && nowWatched == watched) {
                lacks(client, nowWanted - nowWatched, replacesAnother);
            } else if (questions < QUESTIONS) {
                wanted = nowWanted;
                watched = nowWatched;
                after(firstNanos / 3, this::ask);
            }
        }

        private void lacks(String client, int missing, boolean replacesAnother) {
            Lack before = lacks.getIfPresent(client);
            int repeated = before != null && before.missing == missing ? before.resets : 0;
            if (before == null && !replacesAnother) {
                lacks.put(client, new Lack(missing, RESETS));
            } else if (resets < RESETS && repeated < RESETS) {
                lacks.put(client, new Lack(missing, repeated + 1));
                resets++;
                healed.increment();
                log.info(
                        "Connection {} ({}) is asked to connect anew: its client listens to {} of {} configurations"
                                + " (cairn.config.heal-listeners)",
                        connection.id(),
                        connection.identity().version(),
                        watched,
                        wanted);
                connections.reset(connection, "", 0);
            }
        }

        private void after(long nanos, Runnable next) {
            timer.newTimeout(
                    new LoopTask(connection.loop(), fired -> {
                        if (!connection.isClosed()) {
                            next.run();
                        }
                    }),
                    nanos,
                    TimeUnit.NANOSECONDS);
        }
    }

    /**
     * @param healed counts resets
     * @param first the pause between the set-up of a connection and the first question
     */
    public LostListens(
            ConnectionRegistry connections, RequestIds requestIds, Timer timer, Counter healed, Duration first) {
        this.connections = connections;
        this.requestIds = requestIds;
        this.timer = timer;
        this.healed = healed;
        this.firstNanos = first.toNanos();
    }

    /** Asks about the connections that are set up from now on. */
    public void follow() {
        connections.onOpen(this::opened);
        connections.onClose(this::closed);
    }

    private static boolean mayLose(ClientConnection connection) {
        ClientIdentity identity = connection.identity();
        return identity.version().startsWith(SDK)
                && "config".equals(identity.labels().get("module"));
    }

    private static String taskOf(ClientConnection connection) {
        return connection.identity().labels().getOrDefault("taskId", "");
    }

    private void opened(ClientConnection connection) {
        if (!mayLose(connection)) {
            return;
        }
        Place place = Place.of(connection);
        homes.compute(place.home, (home, known) -> {
            Set<ClientConnection> all = known == null ? ConcurrentHashMap.newKeySet(2) : known;
            all.add(connection);
            return all;
        });
        Check check = new Check(connection);
        check.after(firstNanos, check::begin);
    }

    private void closed(ClientConnection connection) {
        if (!mayLose(connection)) {
            return;
        }
        Place place = Place.of(connection);
        homes.computeIfPresent(place.home, (home, known) -> {
            known.remove(connection);
            return known.isEmpty() ? null : known;
        });
        if (clients.remove(connection) == null) {
            left.put(place, Boolean.TRUE);
        }
    }

    /**
     * Configurations that are watched for that client over its connection and over those that are, or may be, its others: too
     * many rather than too few, for what is counted may be another client's.
     */
    private int watchedFor(String client, ClientConnection connection) {
        int watched = connection.watches().size();
        String task = taskOf(connection);
        for (ClientConnection other : homes.getOrDefault(Home.of(connection), Set.of())) {
            if (other != connection
                    && !taskOf(other).equals(task)
                    && client.equals(clients.getOrDefault(other, client))) {
                watched += other.watches().size();
            }
        }
        return watched;
    }

    private static Payload question(String requestId) {
        return Payload.of(
                MessageCatalog.CLIENT_CONFIG_METRIC_REQUEST,
                new JsonOutput(96)
                        .json("headers", "{}")
                        .text("requestId", requestId)
                        .json("metricsKeys", "[]")
                        .text("module", "config")
                        .toBytes());
    }
}
