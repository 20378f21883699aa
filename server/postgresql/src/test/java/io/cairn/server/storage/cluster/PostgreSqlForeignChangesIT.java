package io.cairn.server.storage.cluster;

import io.cairn.server.storage.TestDatabase;
import io.cairn.server.storage.postgresql.PostgreSqlTestDatabase;
import java.nio.file.Path;
import org.junit.jupiter.api.extension.RegisterExtension;

class PostgreSqlForeignChangesIT extends ExternalChangePollerContract {

    @RegisterExtension
    static final PostgreSqlTestDatabase DATABASE = new PostgreSqlTestDatabase();

    @Override
    TestDatabase freshDatabase(Path folder) throws Exception {
        return DATABASE.of(folder);
    }

    @Override
    String aMinuteLater() {
        return "gmt_modified + interval '1 minute'";
    }
}
