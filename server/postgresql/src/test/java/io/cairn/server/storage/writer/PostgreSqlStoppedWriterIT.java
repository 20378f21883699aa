package io.cairn.server.storage.writer;

import io.cairn.server.storage.ServerTestDatabase;
import io.cairn.server.storage.postgresql.PostgreSqlTestDatabase;
import org.junit.jupiter.api.extension.RegisterExtension;

class PostgreSqlStoppedWriterIT extends StoppedWriterContract {

    @RegisterExtension
    static final PostgreSqlTestDatabase DATABASE = new PostgreSqlTestDatabase();

    @Override
    ServerTestDatabase server() {
        return DATABASE;
    }

    /** The last revision, the stored row. */
    @Override
    int statementsOfAnAttempt() {
        return 2;
    }
}
