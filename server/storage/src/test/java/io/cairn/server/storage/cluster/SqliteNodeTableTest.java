package io.cairn.server.storage.cluster;

import io.cairn.server.storage.TestDatabase;
import java.nio.file.Path;

class SqliteNodeTableTest extends NodeTableContract {

    @Override
    TestDatabase freshDatabase(Path folder) {
        return TestDatabase.sqlite(folder);
    }
}
