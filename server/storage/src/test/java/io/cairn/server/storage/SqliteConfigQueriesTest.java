package io.cairn.server.storage;

import java.nio.file.Path;

class SqliteConfigQueriesTest extends ConfigQueriesContract {

    @Override
    TestDatabase freshDatabase(Path folder) {
        return TestDatabase.sqlite(folder);
    }
}
