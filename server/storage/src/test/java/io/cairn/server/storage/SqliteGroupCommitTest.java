package io.cairn.server.storage;

import java.nio.file.Path;

class SqliteGroupCommitTest extends GroupCommitContract {

    @Override
    TestDatabase freshDatabase(Path folder) {
        return TestDatabase.sqlite(folder);
    }
}
