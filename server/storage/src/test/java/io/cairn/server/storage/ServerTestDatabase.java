package io.cairn.server.storage;

import io.cairn.server.storage.database.Dialect;
import io.cairn.server.storage.server.DatabaseServer;
import io.cairn.server.storage.server.ServerSettings;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** A database on a server for the tests of one class: created once, emptied for each test. */
public abstract class ServerTestDatabase implements BeforeAllCallback, AfterAllCallback {

    private ServerSettings.Source source;
    private DatabaseServer database;
    private Path lastFolder;

    protected abstract ServerSettings.Source create(Class<?> owner);

    protected abstract void drop();

    protected abstract DatabaseServer open(ServerSettings settings);

    /** @param silence after which the database ends a writer's session */
    public abstract Dialect dialect(Duration silence);

    /** An option of the URL. */
    public abstract String socketTimeout(Duration limit);

    @Override
    public void beforeAll(ExtensionContext context) {
        source = create(context.getRequiredTestClass());
        database = open(source);
        database.prepare();
    }

    @Override
    public void afterAll(ExtensionContext context) {
        if (database != null) {
            database.close();
        }
        if (source != null) {
            drop();
        }
    }

    public String url() {
        return source.url();
    }

    /** The same database, for the same user, at another address or with other options. */
    public DatabaseServer at(String url) {
        return open(new ServerSettings.Source(url, source.user(), source.password()));
    }

    private DatabaseServer open(ServerSettings.Source address) {
        return open(new ServerSettings(List.of(address), ServerSettings.Pool.DEFAULT));
    }

    /** The database, empty; as it is when it was given for the same folder before. */
    public TestDatabase of(Path folder) throws SQLException {
        if (!folder.equals(lastFolder)) {
            lastFolder = folder;
            empty();
        }
        return new TestDatabase(database::openWriter, database::openReader, database.dialect());
    }

    private void empty() throws SQLException {
        try (Connection connection = DriverManager.getConnection(source.url(), source.user(), source.password());
                Statement statement = connection.createStatement()) {
            List<String> tables = new ArrayList<>();
            try (ResultSet rows = connection
                    .getMetaData()
                    .getTables(connection.getCatalog(), connection.getSchema(), null, new String[] {"TABLE"})) {
                while (rows.next()) {
                    tables.add(rows.getString("TABLE_NAME"));
                }
            }
            for (String table : tables) {
                if (table.equals("cairn_revision")) {
                    statement.execute("UPDATE cairn_revision SET value = 0");
                } else if (!table.startsWith("cairn_schema")) {
                    statement.execute("DELETE FROM " + table);
                }
            }
        }
    }
}
