package io.cairn.server.storage.cluster;

import io.cairn.server.storage.TestDatabase;
import java.nio.file.Path;

class SqliteForeignChangesTest extends ExternalChangePollerContract {

    @Override
    TestDatabase freshDatabase(Path folder) {
        return TestDatabase.sqlite(folder);
    }
}
