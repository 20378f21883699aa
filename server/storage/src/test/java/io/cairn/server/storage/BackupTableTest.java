package io.cairn.server.storage;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who adds a table or a column has to say whether it belongs into a backup. */
class BackupTableTest {

    /** What is counted or numbered anew. */
    private static final Set<String> MADE_ANEW = Set.of("id", "nid", "usage");

    @Test
    void everyTableIsBackedUpOrLeftOutOnPurpose(@TempDir Path folder) throws Exception {
        try (TestStore store = TestStore.start(TestDatabase.sqlite(folder))) {
            List<String> tables = store.column("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')");
            Set<String> known = BackupTable.ALL.stream().map(BackupTable::table).collect(Collectors.toSet());

            assertThat(tables)
                    .filteredOn(table -> !table.startsWith("sqlite_") && !BackupTable.LEFT_OUT.contains(table))
                    .as("tables, each of which BackupTable names")
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
