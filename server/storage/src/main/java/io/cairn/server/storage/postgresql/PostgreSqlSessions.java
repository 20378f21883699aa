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

    private static final String WRITER = "cairn-writer";

    private static final String LIST =
            "SELECT n.address, a.pid, COALESCE(host(a.client_addr), 'a local socket'), a.state,"
                    + " a.wait_event_type, a.query,"
                    + " CAST(EXTRACT(EPOCH FROM clock_timestamp() - a.state_change) * 1000 AS bigint), %s - n.heartbeat_at"
                    + " FROM cairn_node n JOIN pg_stat_activity a ON a.application_name = "
                    + name("n.address")
                    + " AND a.datname = current_database() AND a.usename = current_user ORDER BY n.address, a.pid";

    /** Sessions that wait for their client inside a statement and a transaction. */
    private static final String END = "SELECT pid, pg_terminate_backend(pid) FROM pg_stat_activity"
            + " WHERE application_name LIKE '" + WRITER + "%' AND datname = current_database()"
            + " AND usename = current_user AND pid <> pg_backend_pid() AND state = 'active'"
            + " AND wait_event_type = 'Client' AND xact_start IS NOT NULL"
            + " AND state_change < clock_timestamp() - ? * interval '1 millisecond'";

    private PostgreSqlSessions() {}

    /** At most 63 characters: the database cuts off others. */
    private static String name(String address) {
        return "CASE WHEN OCTET_LENGTH(" + address + ") <= 50 THEN '" + WRITER + "/' || " + address + " ELSE '" + WRITER
                + "/' || MD5(" + address + ") END";
    }

    /** Names the session of any writer, for {@link #END}. */
    static void name(Connection session) throws SQLException {
        try (Statement statement = session.createStatement()) {
            statement.execute("SET application_name = '" + WRITER + "'");
        }
    }

    static void name(Connection session, String node) throws SQLException {
        try (PreparedStatement name = session.prepareStatement("SELECT set_config('application_name', " + name("given")
                + ", false) FROM (SELECT CAST(? AS varchar) AS given) AS one")) {
            name.setString(1, node);
            name.executeQuery().close();
        }
    }

    /**
     * The named sessions of nodes in {@code cairn_node}. Ends sessions whose client has stopped inside a statement: the limit of
     * silence counts between statements alone.
     *
     * @param now the database's time in milliseconds
     * @param silence after which such a session ends
     */
    static List<WriterSession> read(Connection session, String now, Duration silence) throws SQLException {
        List<WriterSession> found = new ArrayList<>();
        try (Statement statement = session.createStatement();
                ResultSet rows = statement.executeQuery(String.format(LIST, now))) {
            while (rows.next()) {
                found.add(new WriterSession(
                        rows.getString(1),
                        rows.getLong(2),
                        rows.getString(3),
                        state(rows.getString(4), rows.getString(5), rows.getString(6)),
                        Duration.ofMillis(Math.max(0, rows.getLong(7))),
                        Duration.ofMillis(Math.max(0, rows.getLong(8)))));
            }
        }
        try (PreparedStatement end = session.prepareStatement(END)) {
            end.setLong(1, silence.toMillis());
            try (ResultSet rows = end.executeQuery()) {
                while (rows.next()) {
                    log.info("Ended session {} of the database, whose client stopped inside a write", rows.getLong(1));
                }
            }
        }
        return found;
    }

    private static WriterSession.State state(@Nullable String state, @Nullable String wait, @Nullable String query) {
        if (state == null || !state.equals("active") || "Client".equals(wait)) {
            return WriterSession.State.SILENT;
        }
        boolean isWaiting = query == null || query.contains("cairn_revision") || query.contains("pg_stat_activity");
        return isWaiting ? WriterSession.State.WAITING : WriterSession.State.AT_WORK;
    }
}
