package io.cairn.server.storage.server;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.auth.AccountRows;
import io.cairn.server.auth.PermissionFindings;
import io.cairn.server.storage.database.Database;
import io.cairn.server.storage.database.Dialect;
import io.cairn.server.storage.database.LeftOutRows;
import io.cairn.server.storage.database.ReadConnections;
import io.cairn.server.storage.database.RowScan;
import io.cairn.server.storage.database.StoreDamage;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.flywaydb.core.api.FlywayException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A database server, at one address or several with one writable. Opening a connection for writes searches the
 * writable one; reads use it, too.
 */
public abstract class DatabaseServer implements Database {

    private static final Logger log = LoggerFactory.getLogger(DatabaseServer.class);

    private final ServerSettings settings;
    private final List<ServerConnections> sources;

    @GuardedBy("this")
    private final @Nullable HikariDataSource[] pools;

    private final Dialect dialect;
    private final LeftOutRows leftOut = new LeftOutRows();
    private final StoreDamage damage = StoreDamage.unnamed();
    private volatile int writable;
    private volatile List<AccountRows.PermissionRow> permissions = List.of();

    @GuardedBy("this")
    private boolean closed;

    /** Connects to nothing. */
    protected DatabaseServer(
            ServerSettings settings, Dialect dialect, Function<ServerSettings.Source, ServerConnections> connections) {
        this.settings = settings;
        this.dialect = dialect;
        this.sources = settings.sources().stream().map(connections).toList();
        this.pools = new HikariDataSource[sources.size()];
    }

    @Override
    public Dialect dialect() {
        return dialect;
    }

    protected abstract ServerSchema schema(ServerConnections source, LeftOutRows leftOut);

    /** Reads facts about the tables into the dialect, once they are up to date. */
    protected abstract void learn(Connection connection) throws SQLException;

    /** As {@link #learn}, before the schema is updated. */
    protected abstract void scan(Connection connection) throws SQLException;

    /** The rows of a table as an adoption leaves them, for FROM. */
    protected String adopted(Connection connection, String table) throws SQLException {
        return table;
    }

    protected abstract boolean acceptsWrites(Connection connection) throws SQLException;

    protected abstract SQLException readOnly();

    /**
     * Creates missing tables, adopts tables of Nacos, and updates the schema. Blocks.
     *
     * @throws CairnException {@code INVALID_PARAMETER} for a wrong setting, such as the password; {@code UNAVAILABLE} for an
     *     unreachable or unusable database
     */
    public void prepare() {
        try {
            ServerConnections source = chooseWritable();
            schema(source, leftOut).bringUpToDate();
            try (Connection connection = source.openForSchema()) {
                learn(connection);
                followDefaultTenant(connection);
            }
        } catch (SQLException e) {
            throw unusable(e);
        } catch (FlywayException e) {
            throw unusable(sqlCause(e));
        }
    }

    /** Nacos 3 changes the default namespace from '' to its full name in its own tables, and does not know this one. */
    private void followDefaultTenant(Connection connection) throws SQLException {
        if (dialect.defaultTenant().isEmpty()) {
            return;
        }
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate("UPDATE cairn_config_gray SET tenant_id = '" + dialect.defaultTenant()
                    + "' WHERE tenant_id = '' AND NOT EXISTS (SELECT 1 FROM (SELECT data_id AS d, group_id AS g, gray_name AS n"
                    + " FROM cairn_config_gray WHERE tenant_id = '" + dialect.defaultTenant()
                    + "') p WHERE p.d = data_id AND p.g = group_id AND p.n = gray_name)");
        }
    }

    /**
     * The statements of {@link #prepare()}, not executed. Notes the rows that a start would {@linkplain #leftOut() leave out},
     * except the history's.
     *
     * @throws CairnException as {@link #prepare()}
     */
    public List<String> dryRun() {
        try {
            ServerConnections source = chooseWritable();
            try (Connection connection = source.openForSchema()) {
                RowScan.run(connection, dialect, leftOut, table -> adopted(connection, table));
                scan(connection);
                permissions = RowScan.permissions(connection);
            }
            return schema(source, leftOut).plan();
        } catch (SQLException e) {
            throw unusable(e);
        } catch (FlywayException e) {
            throw unusable(sqlCause(e));
        }
    }

    /** Remarks for an administrator before a start, one line each, after {@link #dryRun()}. */
    public List<String> remarks() {
        List<String> remarks = new ArrayList<>();
        caselessTables().ifPresent(text -> remarks.add("The " + text));
        PermissionFindings.Ineffective ineffective = PermissionFindings.ineffective(permissions);
        if (ineffective != null) {
            remarks.add("Permissions that allow nothing: " + ineffective.rows() + " (" + ineffective.text() + ')');
        }
        return remarks;
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

    @Override
    public Connection openWriter() throws SQLException {
        return openWritable(ServerConnections::openWriter);
    }

    @Override
    public Connection openBrief() throws SQLException {
        return openWritable(ServerConnections::openBrief);
    }

    private interface Opener {
        Connection open(ServerConnections source) throws SQLException;
    }

    private Connection openWritable(Opener opener) throws SQLException {
        Connection connection = writable(writable, opener);
        if (connection == null) {
            throw readOnly();
        }
        return connection;
    }

    private ServerConnections chooseWritable() throws SQLException {
        openWriter().close();
        return sources.get(writable);
    }

    /** Tries that source first, then the others; null when the answering ones are read-only. */
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
        // A wrong password is more useful to an operator than another source's absence.
        throw failures.stream().filter(dialect::isWrongSetting).findFirst().orElse(failures.get(0));
    }

    private boolean isWritable(Connection connection) throws SQLException {
        boolean isWritable;
        try {
            isWritable = acceptsWrites(connection);
        } catch (SQLException e) {
            connection.close();
            throw e;
        }
        if (!isWritable) {
            connection.close();
        }
        return isWritable;
    }

    /**
     * From a pool, to the last writable source. Never to another: a replica may lag by days, and reads decide over contents, rights
     * and backups.
     */
    @Override
    public Connection openReader() throws SQLException {
        return pool(writable).getConnection();
    }

    @Override
    public ReadConnections readers() {
        return new ReadConnections(this::openReader, dialect, false, null, null, leftOut, damage);
    }

    @Override
    public LeftOutRows leftOut() {
        return leftOut;
    }

    /** Always empty: operators of a database server learn of damage there. */
    @Override
    public StoreDamage damage() {
        return damage;
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

    private HikariConfig poolOf(ServerConnections source) {
        ServerSettings.Pool pool = settings.pool();
        HikariConfig config = new HikariConfig();
        config.setPoolName("cairn-read");
        config.setJdbcUrl(source.url());
        config.setDataSourceProperties(source.options());
        config.setUsername(source.source().user());
        config.setPassword(source.source().password());
        config.setConnectionInitSql(source.sessionSettings());
        config.setReadOnly(true);
        config.setConnectionTimeout(pool.connectionTimeout().toMillis());
        config.setValidationTimeout(pool.validationTimeout().toMillis());
        config.setMaximumPoolSize(pool.maximum());
        config.setMinimumIdle(Math.min(pool.minimumIdle(), pool.maximum()));
        // The pool must exist before the database.
        config.setInitializationFailTimeout(-1);
        return config;
    }

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
