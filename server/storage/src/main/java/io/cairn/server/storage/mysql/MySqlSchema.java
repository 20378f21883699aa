package io.cairn.server.storage.mysql;

import io.cairn.server.storage.database.LeftOutRows;
import io.cairn.server.storage.database.SchemaScript;
import io.cairn.server.storage.database.SchemaVersion;
import io.cairn.server.storage.server.OneConnection;
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

/** Creates, adopts and updates the tables of a MySQL database. */
final class MySqlSchema implements ServerSchema {

    static final String SCRIPTS = "io/cairn/server/storage/migration/mysql";
    private static final String HISTORY = "cairn_schema_history";
    /** The lock of the database during changes of the schema. */
    private static final String LOCK = "CONCAT('cairn/', DATABASE())";

    private static final Duration LOCK_WITHIN = Duration.ofMinutes(10);
    private static final int ATTEMPT_SECONDS = 2;
    /** After this time between two statements the database ends the session. A starting node may be slow. */
    private static final int SILENCE_SECONDS = 10;

    private static final String HISTORY_EXISTS =
            "SELECT 1 FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = '" + HISTORY
                    + "'";
    private static final Logger log = LoggerFactory.getLogger(MySqlSchema.class);

    private final ServerConnections source;
    private final LeftOutRows leftOut;

    /** @param leftOut notes rows left out by an adoption */
    MySqlSchema(ServerConnections source, LeftOutRows leftOut) {
        this.source = source;
        this.leftOut = leftOut;
    }

    /**
     * Updates the schema; blocks while another node does. One session with the lock of the schema does all work. The database ends
     * it when this node is silent between statements, and never during one: so another node begins when no work of this one is
     * running.
     */
    @Override
    public void bringUpToDate() throws SQLException {
        try (Connection connection = source.openForSchema()) {
            if (SchemaVersion.isUsable(connection, HISTORY_EXISTS, source.source())) {
                return;
            }
            limitSilence(connection);
            lock(connection);
            // Held until the connection closes; another node may have done the work meanwhile.
            if (!SchemaVersion.isUsable(connection, HISTORY_EXISTS, source.source())) {
                connection.setNetworkTimeout(Runnable::run, 0);
                adopt(connection);
                Flyway flyway = flyway(connection);
                repair(flyway);
                flyway.migrate();
            }
        }
    }

    private static void limitSilence(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET SESSION wait_timeout=" + SILENCE_SECONDS + ", net_write_timeout=" + SILENCE_SECONDS);
        }
    }

    /** A script that ended halfway runs again: MySQL undoes no DDL, so scripts skip existing objects. */
    private static void repair(Flyway flyway) {
        for (MigrationInfo each : flyway.info().all()) {
            if (each.getState().isFailed()) {
                log.warn("Script {} failed the last time and is run again", each.getScript());
                flyway.repair();
                return;
            }
        }
    }

    /** In short waits, to notice a vanished database. */
    private void lock(Connection connection) throws SQLException {
        long deadline = System.nanoTime() + LOCK_WITHIN.toNanos();
        boolean isTold = false;
        while (!isLocked(connection)) {
            String holder = MySqlSessions.holder(connection, LOCK);
            if (System.nanoTime() - deadline > 0) {
                throw new SQLException("another Cairn has been changing the schema for ten minutes: "
                        + (holder == null ? "its session has just ended" : holder + " of the database holds the lock")
                        + "; see what it does, or end it there");
            }
            if (holder != null && !isTold) {
                isTold = true;
                log.info(
                        "Waiting for another node that changes the schema of {}, for {} min at most: {}. The database ends that"
                                + " session when its node has stopped",
                        source.source(),
                        LOCK_WITHIN.toMinutes(),
                        holder);
            }
        }
    }

    private static boolean isLocked(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT GET_LOCK(" + LOCK + ", " + ATTEMPT_SECONDS + ")")) {
            return rows.next() && rows.getInt(1) == 1;
        }
    }

    private void adopt(Connection connection) throws SQLException {
        if (isAdopted(connection)) {
            return;
        }
        NacosTables.noteTooLong(connection, leftOut);
        List<String> statements = NacosTables.adoption(connection);
        if (!statements.isEmpty()) {
            log.info("Adopting the tables of Nacos: {} statements", statements.size());
        }
        try (Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                log.info("{}", sql);
                statement.execute(sql);
            }
        }
    }

    /** Whether the first script has run, which adapts Nacos's tables. */
    private static boolean isAdopted(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            try (ResultSet table = statement.executeQuery(HISTORY_EXISTS)) {
                if (!table.next()) {
                    return false;
                }
            }
            try (ResultSet rows =
                    statement.executeQuery("SELECT 1 FROM " + HISTORY + " WHERE version = '1' AND success = 1")) {
                return rows.next();
            }
        }
    }

    /** The statements of {@link #bringUpToDate()}, each script in one piece. */
    @Override
    public List<String> plan() throws SQLException {
        List<String> plan = new ArrayList<>();
        try (Connection connection = source.openForSchema()) {
            if (SchemaVersion.isUsable(connection, HISTORY_EXISTS, source.source())) {
                return plan;
            }
            if (!isAdopted(connection)) {
                NacosTables.noteTooLong(connection, leftOut);
                plan.addAll(NacosTables.adoption(connection));
            }
        }
        try (Connection connection = source.openForSchema()) {
            for (MigrationInfo pending : flyway(connection).info().pending()) {
                plan.add(SchemaScript.read("mysql", pending.getScript()).text());
            }
        }
        return plan;
    }

    private static Flyway flyway(Connection connection) {
        return Flyway.configure()
                .dataSource(new OneConnection(connection))
                .locations("classpath:" + SCRIPTS)
                .table(HISTORY)
                // Nacos's tables may exist before the first script, which skips them.
                .baselineOnMigrate(true)
                .baselineVersion("0")
                .load();
    }
}
