package io.cairn.server.storage;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import org.junit.jupiter.api.Test;

class SqliteDatabaseTest {

    @Test
    void aFullDiskIsNamedBeforeWhatItLeadsTo() {
        File folder = new File("/data/cairn");

        assertThat(SqliteDatabase.explained("Error opening connection", folder, 4_096))
                .isEqualTo(
                        "the disk of /data/cairn is full: 4096 bytes are left (free some space; Error opening connection)");
        assertThat(SqliteDatabase.explained("file is not a database", folder, 1L << 30))
                .isEqualTo("file is not a database");
    }
}
