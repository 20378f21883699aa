package io.cairn.server.storage;

import java.nio.file.Path;

class SqliteUnusableRowsTest extends UnusableRowsContract {

    @Override
    TestDatabase freshDatabase(Path folder) {
        return TestDatabase.sqlite(folder);
    }
}
