package io.cairn.server.storage.config;

import io.cairn.server.storage.TestDatabase;
import java.nio.file.Path;

class SqliteConfigStoreTest extends ConfigStoreContract {

    @Override
    TestDatabase freshDatabase(Path folder) {
        return TestDatabase.sqlite(folder);
    }
}
