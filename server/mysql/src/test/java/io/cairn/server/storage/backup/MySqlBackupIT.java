package io.cairn.server.storage.backup;

import io.cairn.server.storage.TestDatabase;
import io.cairn.server.storage.mysql.MySqlTestDatabase;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("mysql")
class MySqlBackupIT extends BackupContract {

    @RegisterExtension
    static final MySqlTestDatabase database = new MySqlTestDatabase();

    @Override
    TestDatabase freshDatabase(Path folder) throws Exception {
        return database.of(folder);
    }
}
