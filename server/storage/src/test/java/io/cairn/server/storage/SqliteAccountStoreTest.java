package io.cairn.server.storage;

import java.nio.file.Path;

class SqliteAccountStoreTest extends AccountStoreContract {

    @Override
    TestDatabase database(Path folder) {
        return TestDatabase.sqlite(folder);
    }
}
