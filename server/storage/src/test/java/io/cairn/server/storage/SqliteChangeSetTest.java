package io.cairn.server.storage;

import java.nio.file.Path;

class SqliteChangeSetTest extends ChangeSetContract {

    @Override
    TestDatabase freshDatabase(Path folder) {
        return TestDatabase.sqlite(folder);
    }
}
