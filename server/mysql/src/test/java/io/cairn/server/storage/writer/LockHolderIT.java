package io.cairn.server.storage.writer;

import io.cairn.server.storage.ServerTestDatabase;
import io.cairn.server.storage.mysql.MySqlTestDatabase;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("mysql")
class LockHolderIT extends LockHolderContract {

    @RegisterExtension
    static final MySqlTestDatabase DATABASE = new MySqlTestDatabase();

    @Override
    ServerTestDatabase server() {
        return DATABASE;
    }
}
