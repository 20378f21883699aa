package io.cairn.server.storage.backup;

import io.cairn.server.storage.TestDatabase;
import io.cairn.server.storage.postgresql.PostgreSqlTestDatabase;
import java.nio.file.Path;
import org.junit.jupiter.api.extension.RegisterExtension;

class PostgreSqlBackupIT extends BackupContract {

    @RegisterExtension
    static final PostgreSqlTestDatabase database = new PostgreSqlTestDatabase();

    @Override
    TestDatabase freshDatabase(Path folder) throws Exception {
        return database.of(folder);
    }
}
