package io.cairn.server.storage.access;

import io.cairn.server.storage.TestDatabase;
import java.nio.file.Path;

class SqliteAccountStoreTest extends AccountStoreContract {

    @Override
    TestDatabase database(Path folder) {
        return TestDatabase.sqlite(folder);
    }
}
