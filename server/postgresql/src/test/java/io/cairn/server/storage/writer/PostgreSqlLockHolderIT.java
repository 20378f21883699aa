package io.cairn.server.storage.writer;

import io.cairn.server.storage.ServerTestDatabase;
import io.cairn.server.storage.postgresql.PostgreSqlTestDatabase;
import org.junit.jupiter.api.extension.RegisterExtension;

class PostgreSqlLockHolderIT extends LockHolderContract {

    @RegisterExtension
    static final PostgreSqlTestDatabase DATABASE = new PostgreSqlTestDatabase();

    @Override
    ServerTestDatabase server() {
        return DATABASE;
    }
}
