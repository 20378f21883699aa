package io.cairn.server.storage;

import java.nio.file.Path;

class SqliteAuditTest extends AuditContract {

    @Override
    TestDatabase freshDatabase(Path folder) {
        return TestDatabase.sqlite(folder);
    }
}
