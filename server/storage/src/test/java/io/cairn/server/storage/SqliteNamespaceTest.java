package io.cairn.server.storage;

import java.nio.file.Path;

class SqliteNamespaceTest extends NamespaceContract {

    @Override
    TestDatabase freshDatabase(Path folder) {
        return TestDatabase.sqlite(folder);
    }
}
