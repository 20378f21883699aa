package io.cairn.server.storage.cluster;

import io.cairn.server.storage.ServerTestDatabase;
import io.cairn.server.storage.mysql.MySqlTestDatabase;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("mysql")
class MySqlNodeTableIT extends ServerNodeTableContract {

    @RegisterExtension
    static final MySqlTestDatabase DATABASE = new MySqlTestDatabase();

    @Override
    ServerTestDatabase server() {
        return DATABASE;
    }
}
