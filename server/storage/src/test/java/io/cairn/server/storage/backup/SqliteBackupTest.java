package io.cairn.server.storage.backup;

import io.cairn.server.storage.TestDatabase;
import java.nio.file.Path;

class SqliteBackupTest extends BackupContract {

    @Override
    TestDatabase freshDatabase(Path folder) {
        return TestDatabase.sqlite(folder);
    }
}
