package io.cairn.server.storage.postgresql;

import io.cairn.server.storage.database.WriterSession;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writers' sessions, each named after its node by {@code application_name}, which a user may read of its own sessions. */
final class PostgreSqlSessions {

    private static final Logger log = LoggerFactory.getLogger(PostgreSqlSessions.class);

    private static final String LIST =
            "SELECT n.address, a.pid, COALESCE(host(a.client_addr), 'a local socket'), a.state,"
                    + " a.wait_event_type, a.query,"
                    + " CAST(EXTRACT(EPOCH FROM clock_timestamp() - a.state_change) * 1000 AS bigint),"
                    + " a.xact_start IS NOT NULL, %s - n.heartbeat_at"
                    + " FROM cairn_node n JOIN pg_stat_activity a ON a.application_name = "
                    + name("n.address")
                    + " AND a.datname = current_database() AND a.usename = current_user ORDER BY n.address, a.pid";

    private PostgreSqlSessions() {}

    /** At most 63 characters: the database cuts off others. */
    private static String name(String address) {
        return "CASE WHEN OCTET_LENGTH(" + address + ") <= 50 THEN 'cairn-writer/' || " + address
                + " ELSE 'cairn-writer/' || MD5(" + address + ") END";
    }

    static void name(Connection session, String node) throws SQLException {
        try (PreparedStatement name = session.prepareStatement("SELECT set_config('application_name', " + name("given")
                + ", false) FROM (SELECT CAST(? AS varchar) AS given) AS one")) {
            name.setString(1, node);
            name.executeQuery().close();
        }
    }

    /**
     * The named sessions of nodes in {@code cairn_node}.
     *
     * @param now the database's time in milliseconds
     * @param silence after which a session that waits for its client inside a statement is ended
     */
    static List<WriterSession> read(Connection session, String now, Duration silence) throws SQLException {
        List<WriterSession> found = new ArrayList<>();
        List<Integer> hanging = new ArrayList<>();
        try (Statement statement = session.createStatement();
                ResultSet rows = statement.executeQuery(String.format(LIST, now))) {
            while (rows.next()) {
                String wait = rows.getString(5);
                WriterSession.State state = state(rows.getString(4), wait, rows.getString(6));
                Duration since = Duration.ofMillis(Math.max(0, rows.getLong(7)));
                boolean isInTransaction = rows.getBoolean(8);
                if (state == WriterSession.State.SILENT && isInTransaction && since.compareTo(silence) > 0) {
                    hanging.add(rows.getInt(2));
                }
                found.add(new WriterSession(
                        rows.getString(1),
                        rows.getLong(2),
                        rows.getString(3),
                        state,
                        since,
                        Duration.ofMillis(Math.max(0, rows.getLong(9)))));
            }
        }
        end(session, hanging);
        return found;
    }

    /** The limit of silence does not count inside a statement that the client has not sent to its end. */
    private static void end(Connection session, List<Integer> hanging) throws SQLException {
        for (int id : hanging) {
            try (PreparedStatement end = session.prepareStatement("SELECT pg_terminate_backend(?)")) {
                end.setInt(1, id);
                end.executeQuery().close();
                log.info("Ended session {} of the database, whose client stopped inside a write", id);
            }
        }
    }

    private static WriterSession.State state(@Nullable String state, @Nullable String wait, @Nullable String query) {
        if (state == null || !state.equals("active") || "Client".equals(wait)) {
            return WriterSession.State.SILENT;
        }
        boolean isWaiting = query == null || query.contains("cairn_revision") || query.contains("pg_stat_activity");
        return isWaiting ? WriterSession.State.WAITING : WriterSession.State.AT_WORK;
    }
}
