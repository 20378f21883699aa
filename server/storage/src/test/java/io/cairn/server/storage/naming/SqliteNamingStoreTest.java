package io.cairn.server.storage.naming;

import io.cairn.server.storage.TestDatabase;
import java.nio.file.Path;

class SqliteNamingStoreTest extends NamingStoreContract {

    @Override
    TestDatabase database(Path folder) {
        return TestDatabase.sqlite(folder);
    }
}
