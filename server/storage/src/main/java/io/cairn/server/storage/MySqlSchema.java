package io.cairn.server.storage;

import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.MigrationInfo;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/** The tables of a database on MySQL: made, adopted from Nacos, brought up to date. */
final class MySqlSchema {

    static final String SCRIPTS = "io/cairn/server/storage/migration/mysql";
    private static final String HISTORY = "cairn_schema_history";
    private static final String HISTORY_EXISTS =
            "SELECT 1 FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = '" + HISTORY
                    + "'";
    private static final org.slf4j.Logger log = LoggerFactory.getLogger(MySqlSchema.class);

    private final MySqlConnections source;

    MySqlSchema(MySqlConnections source) {
        this.source = source;
    }

    void bringUpToDate() throws SQLException {
        try (Connection connection = source.openForSchema()) {
            if (SchemaVersion.isUsable(connection, HISTORY_EXISTS, source.source())) {
                return;
            }
            lock(connection);
            // Held until the connection is closed; another node may have done the work meanwhile.
            if (!SchemaVersion.isUsable(connection, HISTORY_EXISTS, source.source())) {
                adopt(connection);
                Flyway flyway = flyway();
                repair(flyway);
                flyway.migrate();
            }
        }
    }

    /** A script that ended halfway is run again: MySQL undoes no DDL, so scripts pass over what is there. */
    private static void repair(Flyway flyway) {
        for (MigrationInfo each : flyway.info().all()) {
            if (each.getState().isFailed()) {
                log.warn("Script {} failed the last time and is run again", each.getScript());
                flyway.repair();
                return;
            }
        }
    }

    private static void lock(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT GET_LOCK(CONCAT('cairn/', DATABASE()), 600)")) {
            if (!rows.next() || rows.getInt(1) != 1) {
                throw new SQLException("another Cairn has been changing the schema for ten minutes");
            }
        }
    }

    private static void adopt(Connection connection) throws SQLException {
        if (isAdopted(connection)) {
            return;
        }
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

    /** Whether the first script has run, after which tables of Nacos are as they should be. */
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

    /** The statements that {@link #bringUpToDate()} would run, scripts in one piece each. */
    List<String> plan() throws SQLException {
        List<String> plan = new ArrayList<>();
        try (Connection connection = source.openForSchema()) {
            if (SchemaVersion.isUsable(connection, HISTORY_EXISTS, source.source())) {
                return plan;
            }
            if (!isAdopted(connection)) {
                plan.addAll(NacosTables.adoption(connection));
            }
        }
        for (MigrationInfo pending : flyway().info().pending()) {
            plan.add(SchemaScript.read("mysql", pending.getScript()).text());
        }
        return plan;
    }

    private Flyway flyway() {
        return Flyway.configure()
                .dataSource(new Connections(source))
                .locations("classpath:" + SCRIPTS)
                .table(HISTORY)
                // Tables of Nacos are there before the first script, which passes over them.
                .baselineOnMigrate(true)
                .baselineVersion("0")
                .load();
    }

    /** For those who want a data source. */
    private record Connections(MySqlConnections source) implements DataSource {

        @Override
        public Connection getConnection() throws SQLException {
            return source.openForSchema();
        }

        @Override
        public Connection getConnection(String user, String password) throws SQLException {
            return getConnection();
        }

        @Override
        public @Nullable PrintWriter getLogWriter() {
            return null;
        }

        @Override
        public void setLogWriter(PrintWriter out) {}

        @Override
        public void setLoginTimeout(int seconds) {}

        @Override
        public int getLoginTimeout() {
            return 0;
        }

        @Override
        public Logger getParentLogger() throws SQLFeatureNotSupportedException {
            throw new SQLFeatureNotSupportedException();
        }

        @Override
        public <T> T unwrap(Class<T> type) throws SQLException {
            throw new SQLException("wraps nothing");
        }

        @Override
        public boolean isWrapperFor(Class<?> type) {
            return false;
        }
    }
}
