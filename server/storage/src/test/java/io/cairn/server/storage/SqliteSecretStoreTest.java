package io.cairn.server.storage;

import java.nio.file.Path;

class SqliteSecretStoreTest extends SecretStoreContract {

    @Override
    TestDatabase freshDatabase(Path folder) {
        return TestDatabase.sqlite(folder);
    }
}
