package io.cairn.server.storage;

import java.nio.file.Path;

class SqliteForeignChangesTest extends ForeignChangesContract {

    @Override
    TestDatabase freshDatabase(Path folder) {
        return TestDatabase.sqlite(folder);
    }
}
