package io.cairn.server.storage.namespace;

import io.cairn.server.storage.TestDatabase;
import java.nio.file.Path;

class SqliteCapacityTest extends CapacityContract {

    @Override
    TestDatabase freshDatabase(Path folder) {
        return TestDatabase.sqlite(folder);
    }
}
