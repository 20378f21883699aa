package io.cairn.server.storage.writer;

import io.cairn.server.storage.TestDatabase;
import java.nio.file.Path;

class SqliteGroupCommitTest extends GroupCommitContract {

    @Override
    TestDatabase freshDatabase(Path folder) {
        return TestDatabase.sqlite(folder);
    }
}
