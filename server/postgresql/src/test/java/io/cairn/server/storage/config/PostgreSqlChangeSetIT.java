package io.cairn.server.storage.config;

import io.cairn.server.storage.TestDatabase;
import io.cairn.server.storage.postgresql.PostgreSqlTestDatabase;
import java.nio.file.Path;
import org.junit.jupiter.api.extension.RegisterExtension;

class PostgreSqlChangeSetIT extends ChangeSetContract {

    @RegisterExtension
    static final PostgreSqlTestDatabase DATABASE = new PostgreSqlTestDatabase();

    @Override
    TestDatabase freshDatabase(Path folder) throws Exception {
        return DATABASE.of(folder);
    }

    @Override
    String refusal(String dataId) {
        DATABASE.schema()
                .execute("CREATE OR REPLACE FUNCTION refuse_it() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
                        + " IF NEW.data_id = '" + dataId + "' THEN RAISE EXCEPTION 'refused'; END IF;"
                        + " RETURN NEW; END $$");
        return "EXECUTE FUNCTION refuse_it()";
    }

    @Override
    String noTrigger() {
        return "DROP TRIGGER refuse_it ON config_info";
    }
}
