package io.cairn.server.storage.postgresql;

import io.cairn.server.storage.database.SchemaScript;
import io.cairn.server.storage.database.SchemaVersion;
import io.cairn.server.storage.server.ServerConnections;
import io.cairn.server.storage.server.ServerSchema;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.MigrationInfo;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Creates, adopts and updates the tables in one transaction, which also holds the lock of the schema. */
final class PostgreSqlSchema implements ServerSchema {

    static final String FOLDER = "postgresql";
    private static final String SCRIPTS = "io/cairn/server/storage/migration/" + FOLDER;
    private static final String HISTORY = "cairn_schema_history";
    private static final String HISTORY_EXISTS =
            "SELECT 1 FROM pg_tables WHERE schemaname = current_schema() AND tablename = '" + HISTORY + "'";

    private static final Duration LOCK_WITHIN = Duration.ofMinutes(10);
    private static final int ATTEMPT_MILLIS = 2_000;
    /** After this time between two statements the database ends the session. A starting node may be slow. */
    private static final int SILENCE_MILLIS = 10_000;

    private static final String LOCK = "SET LOCAL idle_in_transaction_session_timeout = " + SILENCE_MILLIS
            + "; SET LOCAL lock_timeout = " + ATTEMPT_MILLIS
            + "; SELECT pg_advisory_xact_lock(hashtext('cairn/' || current_schema()))"
            + "; SET LOCAL lock_timeout = 0; SET LOCAL statement_timeout = 0";
    private static final Logger log = LoggerFactory.getLogger(PostgreSqlSchema.class);

    private final ServerConnections source;

    PostgreSqlSchema(ServerConnections source) {
        this.source = source;
    }

    @Override
    public void bringUpToDate() throws SQLException {
        try (Connection connection = source.openForSchema()) {
            ServerRelease.check(connection);
            if (SchemaVersion.isUsable(connection, HISTORY_EXISTS, source.source())) {
                return;
            }
            connection.setAutoCommit(false);
            lock(connection);
            // Another node may have done the work meanwhile.
            if (!SchemaVersion.isUsable(connection, HISTORY_EXISTS, source.source())) {
                connection.setNetworkTimeout(Runnable::run, 0);
                adopt(connection);
                flyway(connection).migrate();
            }
            connection.commit();
        }
    }

    private static void adopt(Connection connection) throws SQLException {
        List<String> statements = adoption(connection);
        if (statements.isEmpty()) {
            return;
        }
        log.info("Adopting the tables of Nacos: {} statements", statements.size());
        NacosTables.duplicates(connection).forEach(line -> log.warn("{}", line));
        try (Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                log.info("{}", sql);
                statement.execute(sql);
            }
        }
    }

    private static List<String> adoption(Connection connection) throws SQLException {
        return isAdopted(connection) ? List.of() : NacosTables.adoption(connection);
    }

    /** Whether the scripts have run: with the adoption, in one transaction. */
    static boolean isAdopted(Connection connection) throws SQLException {
        return exists(connection, HISTORY_EXISTS);
    }

    private static boolean exists(Connection connection, String query) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(query)) {
            return rows.next();
        }
    }

    /** In short waits, to notice a vanished database. */
    private void lock(Connection connection) throws SQLException {
        long deadline = System.nanoTime() + LOCK_WITHIN.toNanos();
        boolean isTold = false;
        while (!isLocked(connection)) {
            if (System.nanoTime() - deadline > 0) {
                throw new SQLException("another Cairn has been changing the schema for ten minutes; see what it does,"
                        + " or end its session of the database");
            }
            if (!isTold) {
                isTold = true;
                log.info(
                        "Waiting for another node that changes the schema of {}, for {} min at most. The database ends"
                                + " that node's session when the node has stopped",
                        source.source(),
                        LOCK_WITHIN.toMinutes());
            }
        }
    }

    private static boolean isLocked(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(LOCK);
            return true;
        } catch (SQLException e) {
            if (!PostgreSqlErrors.isLockedOut(e)) {
                throw e;
            }
            connection.rollback();
            return false;
        }
    }

    @Override
    public List<String> plan() throws SQLException {
        List<String> plan = new ArrayList<>();
        try (Connection connection = source.openForSchema()) {
            ServerRelease.check(connection);
            if (SchemaVersion.isUsable(connection, HISTORY_EXISTS, source.source())) {
                return plan;
            }
            plan.addAll(adoption(connection));
            connection.setAutoCommit(false);
            for (MigrationInfo pending : flyway(connection).info().pending()) {
                plan.add(SchemaScript.read(FOLDER, pending.getScript()).text());
            }
            connection.rollback();
        }
        return plan;
    }

    private static Flyway flyway(Connection connection) {
        return Flyway.configure()
                .dataSource(OneTransaction.of(connection))
                .locations("classpath:" + SCRIPTS)
                .table(HISTORY)
                // Nacos's tables may exist before the first script, which skips them.
                .baselineOnMigrate(true)
                .baselineVersion("0")
                .load();
    }
}
