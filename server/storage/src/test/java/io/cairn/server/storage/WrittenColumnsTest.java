package io.cairn.server.storage;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.storage.backup.BackupTable;
import io.cairn.server.storage.config.PublishGrayCommand;
import io.cairn.server.storage.row.AuditRow;
import io.cairn.server.storage.row.ConfigTable;
import io.cairn.server.storage.row.HistoryRow;
import io.cairn.server.storage.writer.Columns;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** A publish fills each column of the tables that it writes, except the numbers that the database assigns. */
class WrittenColumnsTest {

    private static final Set<String> ASSIGNED = Set.of("id", "nid");

    @Test
    void aPublishFillsEachColumnThatABackupHolds() {
        Map<String, Columns<?>> written = Map.of(
                "configs", ConfigTable.INSERT.columns(),
                "grays", PublishGrayCommand.INSERTS.get("config_info_gray").columns(),
                "audit", AuditRow.INSERT.columns());
        written.forEach((section, columns) -> {
            Set<String> expected = new TreeSet<>(BackupTable.ofSection(section).names());
            expected.removeAll(ASSIGNED);
            assertThat(columns.list()).as(section).containsExactlyInAnyOrderElementsOf(expected);
        });
        // These have the number of the configuration in the column id.
        Map<String, Columns<?>> ofConfigs =
                Map.of("tags", ConfigTable.INSERT_TAGS.columns(), BackupTable.HISTORY, HistoryRow.WITH_CONTENT);
        ofConfigs.forEach((section, columns) -> {
            Set<String> expected = new TreeSet<>(BackupTable.ofSection(section).names());
            expected.remove("nid");
            assertThat(columns.list()).as(section).containsExactlyInAnyOrderElementsOf(expected);
        });
    }

    @Test
    void namesAndParametersOfAStatementHaveOneOrder() {
        Columns<List<String>> columns = new Columns<List<String>>()
                .text("a", row -> row.get(0))
                .number("b", row -> row.size())
                .text("c", row -> row.get(1));

        assertThat(columns.names()).isEqualTo("a, b, c");
        assertThat(columns.marks()).isEqualTo("?, ?, ?");
        assertThat(columns.literal("d", "x").marks()).isEqualTo("?, ?, ?, 'x'");
        assertThat(columns.each(name -> name + " = ?")).isEqualTo("a = ?, b = ?, c = ?");
    }
}
