package io.cairn.server.storage;

import java.nio.file.Path;

class SqliteCapacityTest extends CapacityContract {

    @Override
    TestDatabase freshDatabase(Path folder) {
        return TestDatabase.sqlite(folder);
    }
}
