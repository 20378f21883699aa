package io.cairn.server.storage.cluster;

import io.cairn.server.storage.TestDatabase;
import io.cairn.server.storage.mysql.MySqlTestDatabase;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("mysql")
@Tag("full")
class MySqlForeignChangesIT extends ExternalChangePollerContract {

    @RegisterExtension
    static final MySqlTestDatabase DATABASE = new MySqlTestDatabase();

    @Override
    TestDatabase freshDatabase(Path folder) throws Exception {
        return DATABASE.of(folder);
    }

    @Override
    String aMinuteLater() {
        return "date_add(gmt_modified, interval 1 minute)";
    }
}
