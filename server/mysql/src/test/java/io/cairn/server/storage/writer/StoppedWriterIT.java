package io.cairn.server.storage.writer;

import io.cairn.server.storage.ServerTestDatabase;
import io.cairn.server.storage.mysql.MySqlTestDatabase;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("mysql")
class StoppedWriterIT extends StoppedWriterContract {

    @RegisterExtension
    static final MySqlTestDatabase DATABASE = new MySqlTestDatabase();

    @Override
    ServerTestDatabase server() {
        return DATABASE;
    }

    /** BEGIN, the last revision, the stored row, ROLLBACK. */
    @Override
    int statementsOfAnAttempt() {
        return 4;
    }
}
