package io.cairn.server.storage.backup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cairn.api.error.CairnException;
import io.cairn.server.storage.TestDatabase;
import io.cairn.server.storage.postgresql.PostgreSqlTestDatabase;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class PostgreSqlBackupIT extends BackupContract {

    @RegisterExtension
    static final PostgreSqlTestDatabase database = new PostgreSqlTestDatabase();

    @Override
    TestDatabase freshDatabase(Path folder) throws Exception {
        return database.of(folder);
    }

    @Test
    void aTextThatTheDatabaseCannotHoldIsRefusedWithItsConfiguration() {
        other.publish("nul", "a\0b");
        store.publish("present", "1");
        Path archive = backup(other);

        assertThatThrownBy(() -> restore(store, archive, true))
                .isInstanceOf(CairnException.class)
                .hasMessageContaining("section 'configs': data_id 'nul', group_id 'DEFAULT_GROUP'")
                .hasMessageContaining("content has the character NUL at position 1")
                .hasMessageContaining("nothing was changed");
        assertThat(store.content("present")).isEqualTo("1");
        store.publish("present", "2");
        assertThat(store.content("present")).isEqualTo("2");
    }
}
