package io.cairn.server.storage;

import java.nio.file.Path;

class SqliteConfigStoreTest extends ConfigStoreContract {

    @Override
    TestDatabase freshDatabase(Path folder) {
        return TestDatabase.sqlite(folder);
    }
}
