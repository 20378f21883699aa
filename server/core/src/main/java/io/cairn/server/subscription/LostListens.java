package io.cairn.server.subscription;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.Namespace;
import io.cairn.api.wire.JsonInput;
import io.cairn.api.wire.MalformedMessageException;
import io.cairn.api.wire.MessageCatalog;
import io.cairn.api.wire.Payload;
import io.cairn.api.wire.config.ClientConfigMetrics;
import io.cairn.api.wire.config.ClientConfigQuestion;
import io.cairn.server.auth.Principal;
import io.cairn.server.connection.ClientConnection;
import io.cairn.server.connection.ClientIdentity;
import io.cairn.server.connection.ConnectionRegistry;
import io.cairn.server.connection.MoveReason;
import io.cairn.server.connection.RequestIds;
import io.cairn.server.timer.LoopTask;
import io.micrometer.core.instrument.Counter;
import io.netty.util.Timer;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds official Java clients that listen to fewer configurations than they believe. Notifies them of recent changes, after which
 * they listen to these again, and then makes them reconnect, after which they listen to all. nacos-client from 2.0.3 on (read up to
 * 3.2.1) marks unchanged configurations as listened to after it has fetched the changed ones, even if its connection was replaced
 * meanwhile. The new server never gets these listens, and the client has old contents until its full comparison, after three to
 * five minutes.
 *
 * <p>15 s after the set-up of a connection, 6 s in a cluster, and again after three times that pause, the server asks for the
 * client's number of configurations. The answer covers all its connections, one for each 3,000 configurations (label
 * {@code taskId}). If it exceeds the watches, the question is repeated after a third of the pause. Only if neither number has
 * changed, which excludes clients about to listen, the connection is reset, at most twice. There is no decision while connections
 * of the same address and version with an unknown client may have the missing watches.
 *
 * <p>Configurations from a fail-over file count in the answer and are not listened to. So a connection that replaces no other is
 * not reset if its client listens to at least half of them, and a client that lacks the same number after two resets is not reset
 * again. In a cluster each connection is assumed to replace a connection of another node. If a connection ends before the
 * comparison of its client, the next connection of the same address, version, namespace and task is assumed to replace it, or a
 * connection set up just before the end.
 *
 * <p>Runs on the event loops of the connections.
 */
public final class LostListens {

    /** From the set-up of a connection to the first question, in production. */
    public static final Duration FIRST = Duration.ofSeconds(15);

    /** On a node of a cluster: the clients of a stopped node connect to the others at once. */
    public static final Duration FIRST_IN_CLUSTER = Duration.ofSeconds(6);

    /**
     * The times of notices in eighths of the first question's time. A client that lacks watches is notified of recent changes then:
     * in a cluster within 3 s of each.
     */
    private static final int[] NOTICES = {1, 3, 5};

    /** A change so shortly before the set-up may have broken the former listen. */
    private static final Duration BEFORE_SETUP = Duration.ofSeconds(30);

    private static final int ROUNDS = 2;
    /** Of one round. */
    private static final int QUESTIONS = 6;
    /** Of one connection, and of one client that lacks the same number each time. */
    private static final int RESETS = 2;

    private static final int MOST_REMEMBERED = 100_000;
    private static final Duration REPLACED_WITHIN = Duration.ofMinutes(5);
    /** A client opens the next connection before it closes the dead one. */
    private static final Duration REPLACED_BEFORE = Duration.ofSeconds(1);

    private static final Duration REMEMBERED_FOR = Duration.ofHours(1);
    private static final Logger log = LoggerFactory.getLogger(LostListens.class);

    private final ConnectionRegistry connections;
    private final RequestIds requestIds;
    private final Timer timer;
    private final Counter healed;
    private final LatestChanges changes;
    private final Notices notices;
    private final long firstNanos;
    private final boolean hasPeers;
    /** The checks of open connections. A change of one home is atomic, with its part of {@link #left}. */
    private final Map<Home, Map<ClientConnection, Check>> homes = new ConcurrentHashMap<>();

    /** The unreplaced connections that ended before a comparison of their client. */
    private final Cache<Place, Integer> left = Caffeine.newBuilder()
            .maximumSize(MOST_REMEMBERED)
            .expireAfterWrite(REPLACED_WITHIN)
            .build();
    /** The id of the first connection over which a client was compared. */
    private final Cache<Line, String> first = Caffeine.newBuilder()
            .maximumSize(MOST_REMEMBERED)
            .expireAfterAccess(REMEMBERED_FOR)
            .build();

    private final Cache<String, Lack> lacks = Caffeine.newBuilder()
            .maximumSize(MOST_REMEMBERED)
            .expireAfterAccess(REMEMBERED_FOR)
            .build();

    /** Notifies a client of a change that it does not watch over that connection. */
    @FunctionalInterface
    public interface Notices {
        void changed(ClientConnection connection, ConfigKey key);
    }

    /** The common properties of a client's connections. */
    private record Home(String remoteIp, String clientIp, String version) {

        static Home of(ClientConnection connection) {
            ClientIdentity identity = connection.identity();
            return new Home(connection.remoteIp(), identity.clientIp(), identity.version());
        }
    }

    /** The common properties of a connection and its replacement. */
    private record Place(Home home, String tenant, String task) {

        static Place of(ClientConnection connection) {
            return new Place(Home.of(connection), connection.identity().tenant(), taskOf(connection));
        }
    }

    /** A client may have a connection for each task. */
    private record Line(String client, String task) {}

    /** The missing configurations of a client, and its resets for that number. */
    private record Lack(int missing, int resets) {}

    /** The check of one connection, on its event loop; other threads read the volatile fields. */
    private final class Check {

        private final ClientConnection connection;
        private final Place place;
        private final long openedNanos = System.nanoTime();
        /** The client's own id, from its first answer on. */
        private volatile @Nullable String client;
        /** Whether the replaced connection ended before a comparison of its client. */
        private volatile boolean replacesUncompared;

        /** The time of the first change still to be sent to a client that lacks watches. */
        private long unnotifiedNanos = openedNanos - BEFORE_SETUP.toNanos();

        /** The answer to an earlier question does not count. */
        private @Nullable String lastAsked;

        private int round;
        private int questions;
        private int resets;
        private int wanted = -1;
        private int watched = -1;

        Check(ClientConnection connection) {
            this.connection = connection;
            this.place = Place.of(connection);
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
            ask(true);
        }

        /** Asks, and notifies a client that lacks watches of changes, without a decision. */
        private void askEarly() {
            ask(false);
        }

        private void ask(boolean decides) {
            if (connection.isReady()) {
                String requestId = requestIds.next();
                lastAsked = requestId;
                connection.ask(
                        new ClientConfigQuestion(requestId, List.of()).toPayload(),
                        requestId,
                        MessageCatalog.CLIENT_CONFIG_METRIC_RESPONSE,
                        answer -> {
                            if (requestId.equals(lastAsked)) {
                                answered(answer, decides);
                            }
                        },
                        () -> {});
            }
        }

        private void answered(Payload answer, boolean decides) {
            try {
                ClientConfigMetrics metrics = JsonInput.read(answer, ClientConfigMetrics::read);
                String named = metrics.client();
                if (named != null && metrics.listensTo() >= 0 && !connection.isClosed()) {
                    client = named;
                    compare(named, metrics.listensTo(), decides);
                }
            } catch (MalformedMessageException e) {
                log.debug("Malformed {} from {}: {}", answer.type(), connection.id(), e.getMessage());
            }
        }

        /**
         * A notified client listens to wanted configurations again. That repairs lost listens of changed configurations before the
         * loss is certain.
         */
        private void notifyOfChanges() {
            Principal reader = connection.watcher();
            Namespace namespace = Namespace.ofNullable(connection.identity().tenant());
            long now = System.nanoTime();
            if (reader != null) {
                Set<Object> watchedKeys = new HashSet<>();
                connection.watches().all().forEach(watched -> watchedKeys.add(watched.key()));
                for (ConfigKey key : changes.since(unnotifiedNanos)) {
                    if (key.namespace().equals(namespace) && !watchedKeys.contains(key) && reader.mayRead(key)) {
                        notices.changed(connection, key);
                    }
                }
                unnotifiedNanos = now;
            }
        }

        private void compare(String named, int nowWanted, boolean decides) {
            int nowWatched = connection.watches().size();
            int perhapsWatched = 0;
            for (Check other : homes.getOrDefault(place.home, Map.of()).values()) {
                String otherClient = other.client;
                if (other.place.task.equals(place.task)) {
                    continue; // This connection, or another client's
                }
                if (otherClient == null) {
                    perhapsWatched += other.connection.watches().size();
                } else if (otherClient.equals(named)) {
                    nowWatched += other.connection.watches().size();
                }
            }
            if (nowWanted > nowWatched) {
                notifyOfChanges();
            }
            if (!decides) {
                return;
            }
            boolean isSame = nowWanted == wanted && nowWatched == watched;
            if (nowWanted <= nowWatched) {
                firstOf(named);
                lacks.invalidate(named);
            } else if (isSame && nowWanted > nowWatched + perhapsWatched) {
                boolean replacesAnother = hasPeers || !firstOf(named).equals(connection.id()) || replacesUncompared;
                lacks(named, nowWanted - nowWatched, replacesAnother);
            } else if (questions < QUESTIONS) {
                wanted = nowWanted;
                watched = nowWatched;
                after(firstNanos / 3, this::ask);
            }
        }

        private String firstOf(String named) {
            return first.get(new Line(named, place.task), line -> connection.id());
        }

        private boolean isCompared() {
            String named = client;
            return named != null && first.getIfPresent(new Line(named, place.task)) != null;
        }

        private boolean mayReplace(Check ended) {
            return place.equals(ended.place)
                    && openedNanos - ended.openedNanos > 0
                    && System.nanoTime() - openedNanos < REPLACED_BEFORE.toNanos();
        }

        private void lacks(String named, int missing, boolean replacesAnother) {
            Lack before = lacks.getIfPresent(named);
            int repeated = before != null && before.missing == missing ? before.resets : 0;
            if (before == null && !replacesAnother && missing <= wanted / 2) {
                lacks.put(named, new Lack(missing, RESETS));
            } else if (resets < RESETS && repeated < RESETS) {
                lacks.put(named, new Lack(missing, repeated + 1));
                resets++;
                healed.increment();
                log.info(
                        "Connection {} ({}) is asked to reconnect: its client listens to {} of {} configurations"
                                + " (cairn.config.heal-listeners)",
                        connection.id(),
                        connection.identity().version(),
                        watched,
                        wanted);
                connections.reset(connection, "", 0, MoveReason.LOST_LISTENS);
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
     * @param first from the set-up of a connection to the first question
     * @param hasPeers whether this is a node of a cluster, so that each connection may replace another node's
     */
    public LostListens(
            ConnectionRegistry connections,
            RequestIds requestIds,
            Timer timer,
            Counter healed,
            LatestChanges changes,
            Notices notices,
            Duration first,
            boolean hasPeers) {
        this.connections = connections;
        this.requestIds = requestIds;
        this.timer = timer;
        this.healed = healed;
        this.changes = changes;
        this.notices = notices;
        this.firstNanos = first.toNanos();
        this.hasPeers = hasPeers;
    }

    /** Checks later connections. */
    public void follow() {
        connections.onOpen(this::opened);
        connections.onClose(this::closed);
    }

    private static boolean mayLose(ClientConnection connection) {
        ClientIdentity identity = connection.identity();
        return identity.sdk().losesListens()
                && "config".equals(identity.labels().get("module"));
    }

    private static String taskOf(ClientConnection connection) {
        return connection.identity().labels().getOrDefault("taskId", "");
    }

    private void opened(ClientConnection connection) {
        if (!mayLose(connection)) {
            return;
        }
        Check check = new Check(connection);
        homes.compute(check.place.home, (home, known) -> {
            Map<ClientConnection, Check> all = known == null ? new ConcurrentHashMap<>(2) : known;
            check.replacesUncompared = takesPlace(check.place);
            all.put(connection, check);
            return all;
        });
        for (int eighths : NOTICES) {
            check.after(firstNanos * eighths / 8, check::askEarly);
        }
        check.after(firstNanos, check::begin);
    }

    private boolean takesPlace(Place place) {
        Integer count = left.getIfPresent(place);
        if (count == null) {
            return false;
        }
        if (count == 1) {
            left.invalidate(place);
        } else {
            left.put(place, count - 1);
        }
        return true;
    }

    private void closed(ClientConnection connection) {
        if (!mayLose(connection)) {
            return;
        }
        homes.computeIfPresent(Home.of(connection), (home, known) -> {
            Check ended = known.remove(connection);
            if (ended != null && !ended.isCompared()) {
                leave(ended, known.values());
            }
            return known.isEmpty() ? null : known;
        });
    }

    /** Of two possible replacements both count: an unnecessary reset does less harm than a missing one. */
    private void leave(Check ended, Collection<Check> open) {
        for (Check check : open) {
            if (check.mayReplace(ended)) {
                check.replacesUncompared = true;
            }
        }
        Integer count = left.getIfPresent(ended.place);
        left.put(ended.place, count == null ? 1 : count + 1);
    }
}
