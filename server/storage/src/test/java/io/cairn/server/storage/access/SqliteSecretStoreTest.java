package io.cairn.server.storage.access;

import io.cairn.server.storage.TestDatabase;
import java.nio.file.Path;

class SqliteSecretStoreTest extends SecretStoreContract {

    @Override
    TestDatabase freshDatabase(Path folder) {
        return TestDatabase.sqlite(folder);
    }
}
