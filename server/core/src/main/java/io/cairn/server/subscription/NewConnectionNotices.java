package io.cairn.server.subscription;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.Namespace;
import io.cairn.server.auth.Principal;
import io.cairn.server.connection.ClientConnection;
import io.cairn.server.connection.ConnectionRegistry;
import io.cairn.server.timer.LoopTask;
import io.netty.util.Timer;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Notifies new connections of official Go clients of recent changes. If a listen is under way when its connection breaks, such a
 * client (2.3.5 was read) believes all listens on the new one, and does not listen again before its full comparison, five minutes
 * later. It listens to wanted configurations after a notice. Unlike Java it does not report its number of configurations, so it is
 * notified without a question.
 *
 * <p>The client acknowledges only listened configurations, and logs a line for each other notice. So notices are few, of the latest
 * changes, and sent once. Runs on the event loops of the connections.
 */
public final class NewConnectionNotices {

    /** Configurations in each notice. */
    static final int MOST = 32;

    /** Since the set-up of the connection: the client has repeated its kept listens by then. */
    public static final List<Duration> TIMES =
            List.of(Duration.ofMillis(750), Duration.ofMillis(2_250), Duration.ofMillis(3_750), Duration.ofSeconds(8));

    /** A change so shortly before the set-up may have broken the former listen. */
    private static final Duration BEFORE_SETUP = Duration.ofSeconds(10);

    private final ConnectionRegistry connections;
    private final Timer timer;
    private final LatestChanges changes;
    private final LostListens.Notices notices;
    private final List<Duration> times;
    private final LongSupplier nanoTime;

    /**
     * @param notices sends a notice once
     * @param times since the set-up of a connection
     */
    public NewConnectionNotices(
            ConnectionRegistry connections,
            Timer timer,
            LatestChanges changes,
            LostListens.Notices notices,
            List<Duration> times) {
        this(connections, timer, changes, notices, times, System::nanoTime);
    }

    NewConnectionNotices(
            ConnectionRegistry connections,
            Timer timer,
            LatestChanges changes,
            LostListens.Notices notices,
            List<Duration> times,
            LongSupplier nanoTime) {
        this.connections = connections;
        this.timer = timer;
        this.changes = changes;
        this.notices = notices;
        this.times = List.copyOf(times);
        this.nanoTime = nanoTime;
    }

    /** Notifies clients of later connections. */
    public void follow() {
        connections.onOpen(this::opened);
    }

    private void opened(ClientConnection connection) {
        if (!connection.identity().sdk().losesListensOnNewConnections()
                || !"config".equals(connection.identity().labels().get("module"))) {
            return;
        }
        long opened = nanoTime.getAsLong();
        long since = opened - BEFORE_SETUP.toNanos();
        for (Duration time : times) {
            long from = since;
            timer.newTimeout(
                    new LoopTask(connection.loop(), fired -> notifyOf(connection, from)),
                    time.toNanos(),
                    TimeUnit.NANOSECONDS);
            since = opened + time.toNanos();
        }
    }

    private void notifyOf(ClientConnection connection, long sinceNanos) {
        // Without a listen the client's rights are unknown, and whether it listens at all.
        Principal reader = connection.watcher();
        if (reader == null || connection.isClosed() || !connection.isReady()) {
            return;
        }
        Namespace namespace = Namespace.ofNullable(connection.identity().tenant());
        Set<Object> watched = new HashSet<>();
        connection.watches().all().forEach(each -> watched.add(each.key()));
        List<ConfigKey> lacking = changes.since(sinceNanos).stream()
                .filter(key -> key.namespace().equals(namespace) && !watched.contains(key) && reader.mayRead(key))
                .toList();
        for (ConfigKey key : lacking.subList(Math.max(0, lacking.size() - MOST), lacking.size())) {
            notices.changed(connection, key);
        }
    }
}
