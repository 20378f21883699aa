package io.cairn.server.storage.writer;

import io.cairn.server.storage.TestDatabase;
import io.cairn.server.storage.postgresql.PostgreSqlTestDatabase;
import java.nio.file.Path;
import org.junit.jupiter.api.extension.RegisterExtension;

class PostgreSqlGroupCommitIT extends GroupCommitContract {

    @RegisterExtension
    static final PostgreSqlTestDatabase DATABASE = new PostgreSqlTestDatabase();

    @Override
    TestDatabase freshDatabase(Path folder) throws Exception {
        return DATABASE.of(folder);
    }

    /** The driver sends BEGIN with the next statement. */
    @Override
    int executedForTransaction() {
        return OF_THE_TRANSACTION - 1;
    }
}
