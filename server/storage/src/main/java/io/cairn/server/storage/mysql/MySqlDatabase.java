package io.cairn.server.storage.mysql;

import io.cairn.server.storage.database.LeftOutRows;
import io.cairn.server.storage.server.DatabaseServer;
import io.cairn.server.storage.server.ServerConnections;
import io.cairn.server.storage.server.ServerSchema;
import io.cairn.server.storage.server.ServerSettings;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A database on MySQL or MariaDB. Thread-safe. */
public final class MySqlDatabase extends DatabaseServer {

    private static final Logger log = LoggerFactory.getLogger(MySqlDatabase.class);

    private final MySqlDialect dialect;

    /** Remembers where the database is; connects to nothing. */
    public MySqlDatabase(ServerSettings settings) {
        this(settings, new MySqlDialect());
    }

    private MySqlDatabase(ServerSettings settings, MySqlDialect dialect) {
        super(settings, dialect, MySqlConnections::new);
        this.dialect = dialect;
    }

    @Override
    protected ServerSchema schema(ServerConnections source, LeftOutRows leftOut) {
        return new MySqlSchema(source, leftOut);
    }

    @Override
    public Optional<String> caselessTables() {
        CaselessTables tables = dialect.caselessTables();
        return tables.isEmpty() ? Optional.empty() : Optional.of(tables.text());
    }

    @Override
    protected void scan(Connection connection) throws SQLException {
        dialect.caselessTables(CaselessTables.read(connection));
    }

    @Override
    protected void learn(Connection connection) throws SQLException {
        dialect.narrowColumns(NarrowColumns.read(connection));
        dialect.caselessTables(CaselessTables.read(connection));
        try (Statement statement = connection.createStatement();
                ResultSet rows =
                        statement.executeQuery("SELECT 1 FROM config_info WHERE tenant_id = 'public' LIMIT 1")) {
            if (rows.next()) {
                dialect.defaultTenantIsPublic();
                log.info("The default namespace is stored as 'public' in this database, as Nacos 3 does");
            }
        }
    }

    @Override
    protected boolean acceptsWrites(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT @@global.read_only, @@global.innodb_read_only")) {
            return rows.next() && !isOn(rows.getString(1)) && !isOn(rows.getString(2));
        }
    }

    private static boolean isOn(@Nullable String variable) {
        return variable != null && !variable.equals("0") && !variable.equalsIgnoreCase("OFF");
    }

    @Override
    protected SQLException readOnly() {
        return new SQLException("the database is read-only", "HY000", 1290);
    }
}
