package io.cairn.server.storage.backup;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.storage.TestDatabase;
import io.cairn.server.storage.TestStore;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every new table or column must be assigned: in the backup or not. */
class BackupTableTest {

    /** Columns that the restore counts or numbers again. */
    private static final Set<String> MADE_ANEW = Set.of("id", "nid", "usage");

    @Test
    void everyTableIsInTheBackupOrListedAsLeftOut(@TempDir Path folder) throws Exception {
        try (TestStore store = TestStore.start(TestDatabase.sqlite(folder))) {
            List<String> tables = store.column("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')");
            Set<String> known = BackupTable.ALL.stream().map(BackupTable::table).collect(Collectors.toSet());

            assertThat(tables)
                    .filteredOn(table -> !table.startsWith("sqlite_") && !BackupTable.LEFT_OUT.contains(table))
                    .as("tables that BackupTable lists")
                    .containsExactlyInAnyOrderElementsOf(known);
            for (BackupTable table : BackupTable.ALL) {
                Set<String> columns =
                        new TreeSet<>(store.column("SELECT name FROM pragma_table_info('" + table.table() + "')"));
                assertThat(columns).as("columns of %s", table.table()).containsAll(table.names());
                columns.removeAll(table.names());
                assertThat(MADE_ANEW)
                        .as("columns of %s that are left out", table.table())
                        .containsAll(columns);
            }
        }
    }
}
