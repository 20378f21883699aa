package io.cairn.server.storage;

import io.cairn.server.mysql.TestSchema;
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

/** A database on MySQL for the tests of one class: made once, emptied for each test. */
final class MySqlTestDatabase implements BeforeAllCallback, AfterAllCallback {

    private TestSchema schema;
    private MySqlDatabase database;
    private Path lastFolder;

    @Override
    public void beforeAll(ExtensionContext context) {
        schema = TestSchema.create(context.getRequiredTestClass());
        database = new MySqlDatabase(settings(schema));
        database.prepare();
    }

    @Override
    public void afterAll(ExtensionContext context) {
        if (schema != null) {
            database.close();
            schema.close();
        }
    }

    static MySqlSettings settings(TestSchema schema) {
        return new MySqlSettings(
                List.of(new MySqlSettings.Source(schema.url(), schema.user(), schema.password())),
                MySqlSettings.Pool.DEFAULT);
    }

    TestSchema schema() {
        return schema;
    }

    /** The database, empty; as it is when it was given for the same folder before. */
    TestDatabase of(Path folder) throws SQLException {
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
                    "SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE()")) {
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
