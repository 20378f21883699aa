package io.cairn.server.storage;

import java.nio.file.Path;

class SqliteNamingStoreTest extends NamingStoreContract {

    @Override
    TestDatabase database(Path folder) {
        return TestDatabase.sqlite(folder);
    }
}
