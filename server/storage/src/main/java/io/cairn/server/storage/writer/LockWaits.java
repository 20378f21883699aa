package io.cairn.server.storage.writer;

import io.cairn.server.node.NodeTable;
import io.cairn.server.storage.database.Dialect;
import io.cairn.server.storage.database.LockHeldException;
import io.cairn.server.storage.database.WriterSession;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The waits of this node's writer for other transactions' locks: the limit, and the holder. The database names no holder to a user
 * without rights. So silent sessions of other nodes are noted during the wait; the one that ended with it was the holder. For the
 * writer's thread, except {@link #lastHeld()}.
 */
public final class LockWaits {

    /** The longest attempt: the database checks waits once a second, and ends those beyond a second. */
    static final Duration ATTEMPT = Duration.ofMillis(2_500);

    /** Checks for the ended session: a row's lock may be free a moment before the name is. */
    private static final int LOOKS = 2;

    private static final Logger log = LoggerFactory.getLogger(LockWaits.class);

    private final Dialect dialect;
    private final Clock clock;
    private final long limitNanos;
    private long groupNanos = System.nanoTime();
    private boolean isWaiting;
    private long waitedNanos;
    private int looks;
    /** Sessions that were silent at the last check. */
    private final Map<Long, WriterSession> silent = new LinkedHashMap<>();
    /** A session with a running statement at the last check, such as a restore, or null. */
    private @Nullable WriterSession atWork;

    private volatile @Nullable HeldLock lastHeld;

    /**
     * A lock that a node held until the database ended its session.
     *
     * @param freedAt when this node got the lock
     */
    public record HeldLock(WriterSession session, Instant freedAt) {}

    /** @param limit of a write's answer */
    LockWaits(Dialect dialect, Clock clock, Duration limit) {
        this.dialect = dialect;
        this.clock = clock;
        this.limitNanos = limit.toNanos();
    }

    /** The last such lock of this run, or null. */
    @Nullable
    HeldLock lastHeld() {
        return lastHeld;
    }

    void group() {
        groupNanos = System.nanoTime();
    }

    /** Whether another attempt ends in time for the answer. */
    boolean mayTryAgain() {
        return System.nanoTime() - groupNanos + ATTEMPT.toNanos() <= limitNanos;
    }

    /** An attempt ended without the lock; the connection has no transaction. */
    void lockedOut(Connection connection) throws SQLException {
        if (!isWaiting) {
            isWaiting = true;
            silent.clear();
        }
        atWork = null;
        for (WriterSession session : dialect.writerSessions(connection)) {
            if (session.state() == WriterSession.State.SILENT) {
                silent.put(session.id(), session);
            } else {
                silent.remove(session.id());
            }
            if (session.state() == WriterSession.State.AT_WORK) {
                atWork = session;
            }
        }
    }

    void locked() {
        if (isWaiting) {
            isWaiting = false;
            waitedNanos = System.nanoTime() - groupNanos;
            looks = LOOKS;
        }
    }

    /** The failure of a write after the longest wait, with the lock's holder. */
    LockHeldException given(SQLException failure) {
        return new LockHeldException(
                "a lock that all writes take has been held for "
                        + TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - groupNanos) + " s by " + suspects(),
                failure);
    }

    /**
     * A silent session of a running node is idle: inside a transaction the database would have ended it. That of a node without
     * heartbeats may last behind a proxy.
     */
    private String suspects() {
        if (atWork != null) {
            return atWork + "; try again when it has ended";
        }
        String lost = silent.values().stream()
                .filter(session -> session.beat().compareTo(NodeTable.BEATING_WITHIN) > 0)
                .map(WriterSession::toString)
                .collect(Collectors.joining(", or "));
        return lost.isEmpty()
                ? "another program; list the transactions of the database, and end that one"
                : lost + "; see whether that node runs and reaches the database, or end its session there";
    }

    /** Finds the ended session after a wait; the connection has no transaction, and callers are answered. */
    void findEndedSession(Connection connection) {
        if (looks == 0) {
            return;
        }
        looks--;
        try {
            List<WriterSession> present = dialect.writerSessions(connection);
            Set<Long> ids = present.stream().map(WriterSession::id).collect(Collectors.toSet());
            for (WriterSession session : silent.values()) {
                if (!ids.contains(session.id())) {
                    ended(session);
                }
            }
        } catch (SQLException e) {
            log.debug("The session that held the lock of the revision was not found out", e);
        }
    }

    private void ended(WriterSession session) {
        looks = 0;
        lastHeld = new HeldLock(session, clock.instant());
        log.warn(
                "Node {} stopped inside a write: its session {} of the database, from {}, held the lock that all writes take."
                        + " Writes of this node waited {} ms; they go on, because the database has ended that session. See"
                        + " whether that node runs and reaches the database",
                session.node(),
                session.id(),
                session.client(),
                TimeUnit.NANOSECONDS.toMillis(waitedNanos));
    }
}
