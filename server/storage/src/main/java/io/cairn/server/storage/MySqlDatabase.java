package io.cairn.server.storage;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.flywaydb.core.api.FlywayException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A database on MySQL or MariaDB, at one address or at several of which one is writable. The writable one is looked for
 * whenever a connection for writing is opened; reads go there too. Thread-safe.
 */
public final class MySqlDatabase implements Database {

    private static final Logger log = LoggerFactory.getLogger(MySqlDatabase.class);

    private final MySqlSettings settings;
    private final List<MySqlConnections> sources;

    @GuardedBy("this")
    private final @Nullable HikariDataSource[] pools;

    private final MySqlDialect dialect = new MySqlDialect();
    private volatile int writable;

    @GuardedBy("this")
    private boolean closed;

    /** Remembers where the database is; connects to nothing. */
    public MySqlDatabase(MySqlSettings settings) {
        this.settings = settings;
        this.sources = settings.sources().stream().map(MySqlConnections::new).toList();
        this.pools = new HikariDataSource[sources.size()];
    }

    /** How it differs from others, which is fully known once {@link #prepare()} has run. */
    @Override
    public Dialect dialect() {
        return dialect;
    }

    /**
     * Makes the tables where there are none, adopts those of Nacos, and brings the schema up to date. Blocks.
     *
     * @throws CairnException {@code INVALID_PARAMETER} when a setting is at fault, such as the password;
     *     {@code UNAVAILABLE} when the database cannot be reached or used
     */
    public void prepare() {
        try {
            MySqlConnections source = chooseWritable();
            new MySqlSchema(source).bringUpToDate();
            learn(source);
        } catch (SQLException e) {
            throw unusable(e);
        } catch (FlywayException e) {
            throw unusable(sqlCause(e));
        }
    }

    /**
     * The statements that {@link #prepare()} would run; changes nothing.
     *
     * @throws CairnException as {@link #prepare()}
     */
    public List<String> dryRun() {
        try {
            return new MySqlSchema(chooseWritable()).plan();
        } catch (SQLException e) {
            throw unusable(e);
        } catch (FlywayException e) {
            throw unusable(sqlCause(e));
        }
    }

    private void learn(MySqlConnections source) throws SQLException {
        try (Connection connection = source.openForSchema();
                Statement statement = connection.createStatement()) {
            dialect.narrowColumns(NarrowColumns.read(connection));
            try (ResultSet rows =
                    statement.executeQuery("SELECT 1 FROM config_info WHERE tenant_id = 'public' LIMIT 1")) {
                if (rows.next()) {
                    dialect.defaultTenantIsPublic();
                    log.info("The default namespace is stored as 'public' in this database, as Nacos 3 does");
                }
            }
        }
    }

    private CairnException unusable(SQLException e) {
        String text = "Database " + sources.get(writable).source() + " cannot be used: " + dialect.explain(e);
        return new CairnException(
                dialect.isWrongSetting(e) ? ErrorCode.INVALID_PARAMETER : ErrorCode.UNAVAILABLE, text, e);
    }

    private static SQLException sqlCause(FlywayException e) {
        Throwable root = e;
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLException sql) {
                return sql;
            }
            root = cause;
        }
        return new SQLException(String.valueOf(root.getMessage()), e);
    }

    /** To the source that accepts writes. */
    @Override
    public Connection openWriter() throws SQLException {
        return openWritable(MySqlConnections::openWriter);
    }

    @Override
    public Connection openBrief() throws SQLException {
        return openWritable(MySqlConnections::openBrief);
    }

    private interface Opener {
        Connection open(MySqlConnections source) throws SQLException;
    }

    private Connection openWritable(Opener opener) throws SQLException {
        Connection connection = writable(writable, opener);
        if (connection == null) {
            throw new SQLException("the database is read-only", "HY000", 1290);
        }
        return connection;
    }

    private MySqlConnections chooseWritable() throws SQLException {
        openWriter().close();
        return sources.get(writable);
    }

    /** Tries the source of that number first, then the others; null when those that answer are read-only. */
    private @Nullable Connection writable(int first, Opener opener) throws SQLException {
        List<SQLException> failures = new ArrayList<>();
        for (int i = 0; i < sources.size(); i++) {
            int number = (first + i) % sources.size();
            try {
                Connection connection = opener.open(sources.get(number));
                if (isWritable(connection)) {
                    if (number != writable) {
                        log.info(
                                "Database {} is the one that accepts writes",
                                sources.get(number).source());
                        writable = number;
                    }
                    return connection;
                }
            } catch (SQLException e) {
                failures.add(e);
            }
        }
        if (failures.isEmpty()) {
            return null;
        }
        // A wrong password is more useful to an operator than the absence of another source.
        throw failures.stream().filter(dialect::isWrongSetting).findFirst().orElse(failures.get(0));
    }

    private static boolean isWritable(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT @@global.read_only, @@global.innodb_read_only")) {
            if (rows.next() && !isOn(rows.getString(1)) && !isOn(rows.getString(2))) {
                return true;
            }
        } catch (SQLException e) {
            connection.close();
            throw e;
        }
        connection.close();
        return false;
    }

    private static boolean isOn(@Nullable String variable) {
        return variable != null && !variable.equals("0") && !variable.equalsIgnoreCase("OFF");
    }

    /**
     * To the source that accepted writes last, from a pool; closing it gives it back. Never to another one: a replica may
     * lag by days, and what is read here is shown to clients, decides over rights, and goes into backups.
     */
    @Override
    public Connection openReader() throws SQLException {
        return pool(writable).getConnection();
    }

    @Override
    public ReadConnections readers() {
        return new ReadConnections(this::openReader, dialect, false);
    }

    private synchronized HikariDataSource pool(int number) throws SQLException {
        if (closed) {
            throw new SQLException("the server is stopping");
        }
        HikariDataSource known = pools[number];
        if (known == null) {
            known = new HikariDataSource(poolOf(sources.get(number)));
            pools[number] = known;
        }
        return known;
    }

    private HikariConfig poolOf(MySqlConnections source) {
        MySqlSettings.Pool pool = settings.pool();
        HikariConfig config = new HikariConfig();
        config.setPoolName("cairn-read");
        config.setJdbcUrl(source.source().url());
        config.setDataSourceProperties(source.options());
        config.setUsername(source.source().user());
        config.setPassword(source.source().password());
        config.setConnectionInitSql(MySqlConnections.sessionSettings());
        config.setReadOnly(true);
        config.setConnectionTimeout(pool.connectionTimeout().toMillis());
        config.setValidationTimeout(pool.validationTimeout().toMillis());
        config.setMaximumPoolSize(pool.maximum());
        config.setMinimumIdle(Math.min(pool.minimumIdle(), pool.maximum()));
        // The pool exists before the database has to.
        config.setInitializationFailTimeout(-1);
        return config;
    }

    /** Where it is, for messages: without passwords. */
    @Override
    public String toString() {
        return sources.get(writable).source().toString();
    }

    @Override
    public synchronized void close() {
        closed = true;
        for (HikariDataSource pool : pools) {
            if (pool != null) {
                pool.close();
            }
        }
    }
}
