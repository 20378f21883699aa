package io.cairn.server.storage.postgresql;

import io.cairn.server.postgresql.TestSchema;
import io.cairn.server.storage.TestDatabase;
import io.cairn.server.storage.server.ServerSettings;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** A database on PostgreSQL for the tests of one class: made once, emptied for each test. */
public final class PostgreSqlTestDatabase implements BeforeAllCallback, AfterAllCallback {

    private TestSchema schema;
    private PostgreSqlDatabase database;
    private Path lastFolder;

    @Override
    public void beforeAll(ExtensionContext context) {
        schema = TestSchema.create(context.getRequiredTestClass());
        database = new PostgreSqlDatabase(settings(schema));
        database.prepare();
    }

    @Override
    public void afterAll(ExtensionContext context) {
        if (schema != null) {
            database.close();
            schema.close();
        }
    }

    public static ServerSettings settings(TestSchema schema) {
        return new ServerSettings(
                List.of(new ServerSettings.Source(schema.url(), schema.user(), schema.password())),
                ServerSettings.Pool.DEFAULT);
    }

    public TestSchema schema() {
        return schema;
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
        try (Connection connection = schema.connect();
                Statement statement = connection.createStatement()) {
            List<String> tables = new ArrayList<>();
            try (ResultSet rows = statement.executeQuery(
                    "SELECT table_name FROM information_schema.tables WHERE table_schema = current_schema()")) {
                while (rows.next()) {
                    tables.add(rows.getString(1));
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
