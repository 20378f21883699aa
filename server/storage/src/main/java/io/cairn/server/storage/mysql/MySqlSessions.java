package io.cairn.server.storage.mysql;

import io.cairn.server.storage.database.SessionLimit;
import io.cairn.server.storage.database.WriterSession;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writers' sessions on MySQL and MariaDB: the limit of silence, and the node of each. A lock of the database ({@code GET_LOCK})
 * names a session, because each user may ask for such a lock's session, and the answer is the database's number, also behind a
 * proxy.
 */
public final class MySqlSessions {

    /** Ends a session silent inside a transaction, not outside; MariaDB from 10.3 on. */
    private static final String TRANSACTION_LIMIT = "idle_transaction_timeout";
    /** Ends a silent session, inside or outside a transaction. */
    private static final String SESSION_LIMIT = "wait_timeout";
    /** Sessions of one node with its name: an earlier one may last until the database notices its end. */
    private static final int NAMES = 3;

    private static final Logger log = LoggerFactory.getLogger(MySqlSessions.class);

    private final AtomicBoolean isTold = new AtomicBoolean();

    /**
     * Makes the database end the session, with its transaction, when it waits that long for a transaction's next statement, the
     * rest of a statement, or the read of a result.
     */
    SessionLimit limitSilence(Connection session, Duration silence) throws SQLException {
        boolean isOfTransactions = variable(session, TRANSACTION_LIMIT) != null;
        String limit = isOfTransactions ? TRANSACTION_LIMIT : SESSION_LIMIT;
        String seconds = Long.toString(Math.max(1, silence.toSeconds()));
        try (Statement statement = session.createStatement()) {
            statement.execute("SET SESSION " + limit + "=" + seconds + ", net_write_timeout=" + seconds);
        }
        String set = variable(session, limit);
        if (!seconds.equals(set) && isTold.compareAndSet(false, true)) {
            log.warn(
                    "{}={} of the session has no effect (it is {}): a proxy between this server and the database may keep it for"
                            + " itself. When a node stops inside a write, its lock lasts until the proxy ends the session",
                    limit,
                    seconds,
                    set);
        }
        return isOfTransactions ? SessionLimit.NONE : new SessionLimit(silence.dividedBy(3), server(session));
    }

    private static @Nullable String variable(Connection session, String name) throws SQLException {
        return second(session, "SHOW SESSION VARIABLES LIKE '" + name + "'");
    }

    private static @Nullable String second(Connection session, String sql) throws SQLException {
        try (Statement statement = session.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            return rows.next() ? rows.getString(2) : null;
        }
    }

    private static SessionLimit.@Nullable ServerRun server(Connection session) throws SQLException {
        String id = variable(session, "server_uuid");
        String uptime = second(session, "SHOW GLOBAL STATUS LIKE 'Uptime'");
        String now = second(session, "SELECT 0, UNIX_TIMESTAMP()");
        return id == null || uptime == null || now == null
                ? null
                : new SessionLimit.ServerRun(id, Long.parseLong(now) - Long.parseLong(uptime));
    }

    /** For an address and a number below {@link #NAMES}; at most 64 characters. */
    private static String name(String address, String number) {
        return "CONCAT('cairn-writer/', LEFT(SHA2(CONCAT(DATABASE(), '/', " + address + ", '/', " + number
                + "), 256), 40))";
    }

    /** No effect on a database without such locks. */
    public void name(Connection session, String node) throws SQLException {
        try (PreparedStatement take = session.prepareStatement("SELECT GET_LOCK(" + name("?", "?") + ", 0)")) {
            for (int number = 0; number < NAMES; number++) {
                take.setString(1, node);
                take.setString(2, Integer.toString(number));
                try (ResultSet rows = take.executeQuery()) {
                    if (rows.next() && rows.getInt(1) == 1) {
                        return;
                    }
                }
            }
        }
    }

    /**
     * The named sessions of nodes in {@code cairn_node}.
     *
     * @param now the database's time in milliseconds
     */
    List<WriterSession> read(Connection session, String now) throws SQLException {
        Map<Long, Listed> listed = listed(session);
        List<WriterSession> found = new ArrayList<>();
        try (Statement statement = session.createStatement();
                ResultSet rows = statement.executeQuery("SELECT address, " + now + " - heartbeat_at, IS_USED_LOCK("
                        + name("address", "number")
                        + ") FROM cairn_node JOIN (SELECT '0' AS number UNION ALL SELECT '1'"
                        + " UNION ALL SELECT '2') AS numbers ORDER BY address, number")) {
            while (rows.next()) {
                Listed of = listed.get(rows.getLong(3));
                if (of != null) {
                    found.add(new WriterSession(
                            rows.getString(1),
                            rows.getLong(3),
                            of.client(),
                            of.state(),
                            of.since(),
                            Duration.ofMillis(Math.max(0, rows.getLong(2)))));
                }
            }
        }
        return found;
    }

    private record Listed(String client, WriterSession.State state, Duration since) {}

    /** This user's sessions, which it may list without a right. */
    private static Map<Long, Listed> listed(Connection session) throws SQLException {
        Map<Long, Listed> all = new HashMap<>();
        try (Statement statement = session.createStatement();
                ResultSet rows = statement.executeQuery("SHOW PROCESSLIST")) {
            while (rows.next()) {
                String client = rows.getString("Host");
                all.put(
                        rows.getLong("Id"),
                        new Listed(
                                client == null ? "unknown" : client,
                                state(rows.getString("Command"), rows.getString("Info")),
                                Duration.ofSeconds(Math.max(0, rows.getLong("Time")))));
            }
        }
        return all;
    }

    private static WriterSession.State state(@Nullable String command, @Nullable String statement) {
        if ("Sleep".equals(command)) {
            return WriterSession.State.SILENT;
        }
        boolean isWaiting = statement == null || statement.contains("cairn_revision") || statement.startsWith("SHOW ");
        return isWaiting ? WriterSession.State.WAITING : WriterSession.State.AT_WORK;
    }

    /** The lock's session as a text, or null. */
    static @Nullable String holder(Connection session, String lockName) throws SQLException {
        try (PreparedStatement ask = session.prepareStatement("SELECT IS_USED_LOCK(" + lockName + ")");
                ResultSet rows = ask.executeQuery()) {
            if (!rows.next() || rows.getString(1) == null) {
                return null;
            }
            long id = rows.getLong(1);
            Listed holder = listed(session).get(id);
            return "session " + id
                    + (holder == null
                            ? ""
                            : " (from " + holder.client() + ", "
                                    + holder.state().text() + " for "
                                    + holder.since().toSeconds() + " s)");
        }
    }
}
