package io.cairn.server.storage.access;

import io.cairn.server.storage.TestDatabase;
import io.cairn.server.storage.postgresql.PostgreSqlTestDatabase;
import java.nio.file.Path;
import org.junit.jupiter.api.extension.RegisterExtension;

class PostgreSqlAccountStoreIT extends AccountStoreContract {

    @RegisterExtension
    static final PostgreSqlTestDatabase DATABASE = new PostgreSqlTestDatabase();

    @Override
    TestDatabase database(Path folder) throws Exception {
        return DATABASE.of(folder);
    }
}
