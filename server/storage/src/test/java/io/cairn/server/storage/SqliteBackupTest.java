package io.cairn.server.storage;

import java.nio.file.Path;

class SqliteBackupTest extends BackupContract {

    @Override
    TestDatabase freshDatabase(Path folder) {
        return TestDatabase.sqlite(folder);
    }
}
