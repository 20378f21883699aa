package io.cairn.server.storage;

import java.nio.file.Path;

class SqliteNodeTableTest extends NodeTableContract {

    @Override
    TestDatabase freshDatabase(Path folder) {
        return TestDatabase.sqlite(folder);
    }
}
