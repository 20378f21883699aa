package io.cairn.server.storage;

import java.nio.file.Path;

class SqliteForeignChangesTest extends ExternalChangePollerContract {

    @Override
    TestDatabase freshDatabase(Path folder) {
        return TestDatabase.sqlite(folder);
    }
}
