package io.cairn.server.storage.config;

import io.cairn.server.storage.TestDatabase;
import java.nio.file.Path;

class SqliteChangeSetTest extends ChangeSetContract {

    @Override
    TestDatabase freshDatabase(Path folder) {
        return TestDatabase.sqlite(folder);
    }
}
