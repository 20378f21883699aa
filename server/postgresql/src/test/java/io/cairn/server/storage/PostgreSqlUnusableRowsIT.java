package io.cairn.server.storage;

import io.cairn.server.storage.postgresql.PostgreSqlTestDatabase;
import java.nio.file.Path;
import org.junit.jupiter.api.extension.RegisterExtension;

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
}
