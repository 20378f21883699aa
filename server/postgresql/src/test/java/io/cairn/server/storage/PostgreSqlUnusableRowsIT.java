package io.cairn.server.storage;

import io.cairn.server.postgresql.TestSchema;
import io.cairn.server.storage.postgresql.NacosSchema;
import io.cairn.server.storage.postgresql.PostgreSqlDatabase;
import io.cairn.server.storage.postgresql.PostgreSqlTestDatabase;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class PostgreSqlUnusableRowsIT extends UnusableRowsContract {

    @RegisterExtension
    static final PostgreSqlTestDatabase DATABASE = new PostgreSqlTestDatabase();

    @Override
    TestDatabase freshDatabase(Path folder) throws Exception {
        return DATABASE.of(folder);
    }

    @Override
    String quoted(String column) {
        return column;
    }

    @Tag("full")
    @ParameterizedTest
    @EnumSource
    void everyRowWithoutAValueOfAnAdoptedDatabaseIsUsedOrLeftOut(NacosSchema made) throws Exception {
        try (TestSchema schema = TestSchema.create(PostgreSqlUnusableRowsIT.class);
                PostgreSqlDatabase database = new PostgreSqlDatabase(PostgreSqlTestDatabase.settings(schema))) {
            made.createTables(schema);
            database.prepare();
            rowsWithoutValuesStopNoReader(
                    new TestDatabase(database::openWriter, database::openReader, database.dialect()));
        }
    }
}
