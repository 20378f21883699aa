package io.cairn.server.storage.postgresql;

import io.cairn.server.storage.database.LeftOutRows;
import io.cairn.server.storage.server.DatabaseServer;
import io.cairn.server.storage.server.ServerConnections;
import io.cairn.server.storage.server.ServerSchema;
import io.cairn.server.storage.server.ServerSettings;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A database on PostgreSQL. Thread-safe. */
public final class PostgreSqlDatabase extends DatabaseServer {

    private static final Logger log = LoggerFactory.getLogger(PostgreSqlDatabase.class);

    private final PostgreSqlDialect dialect;
    private volatile List<String> duplicates = List.of();

    /** Remembers where the database is; connects to nothing. */
    public PostgreSqlDatabase(ServerSettings settings) {
        this(settings, new PostgreSqlDialect());
    }

    private PostgreSqlDatabase(ServerSettings settings, PostgreSqlDialect dialect) {
        super(settings, dialect, PostgreSqlConnections::new);
        this.dialect = dialect;
    }

    @Override
    protected ServerSchema schema(ServerConnections source, LeftOutRows leftOut) {
        return new PostgreSqlSchema(source);
    }

    @Override
    protected void scan(Connection connection) throws SQLException {
        duplicates = PostgreSqlSchema.isAdopted(connection) ? List.of() : NacosTables.duplicates(connection);
    }

    @Override
    protected String adopted(Connection connection, String table) throws SQLException {
        return PostgreSqlSchema.isAdopted(connection) ? table : NacosTables.adopted(connection, table);
    }

    @Override
    public List<String> remarks() {
        return Stream.concat(super.remarks().stream(), duplicates.stream()).toList();
    }

    @Override
    protected void learn(Connection connection) throws SQLException {
        dialect.types(NacosTables.Types.read(connection));
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
                ResultSet rows = statement.executeQuery(
                        "SELECT NOT pg_is_in_recovery() AND current_setting('transaction_read_only') = 'off'")) {
            return rows.next() && rows.getBoolean(1);
        }
    }

    @Override
    protected SQLException readOnly() {
        return new SQLException("the database is read-only", PostgreSqlErrors.READ_ONLY);
    }
}
