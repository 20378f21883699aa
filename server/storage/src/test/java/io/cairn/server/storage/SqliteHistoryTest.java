package io.cairn.server.storage;

import java.nio.file.Path;

class SqliteHistoryTest extends HistoryContract {

    @Override
    TestDatabase freshDatabase(Path folder) {
        return TestDatabase.sqlite(folder);
    }
}
