package io.cairn.server.storage.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.storage.SampleCommands;
import io.cairn.server.storage.TestDatabase;
import io.cairn.server.storage.TestStore;
import io.cairn.server.storage.sqlite.SqliteDatabase;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SqliteHistoryTest extends HistoryContract {

    private static final String CONTENTS = "SELECT op_type || ' ' || content FROM his_config_info ORDER BY nid";
    private static final String STORED = "SELECT op_type || ' ' || content FROM cairn_history ORDER BY nid";

    @Override
    TestDatabase freshDatabase(Path folder) {
        return TestDatabase.sqlite(folder);
    }

    @Test
    void theHistoryOfAnInsertIsReadFromTheConfigurationAndThenFromTheRowThatReplacedIt(@TempDir Path other) {
        try (TestStore store = TestStore.start(TestDatabase.sqlite(other))) {
            store.publish("a", "1");
            assertThat(store.column(STORED)).as("no second copy of the content").containsExactly("I ");
            assertThat(store.column(CONTENTS)).containsExactly("I 1");

            store.publish("a", "2");
            store.publish("a", "1");
            assertThat(store.column(STORED)).containsExactly("I ", "U 1", "U 2");
            assertThat(store.column(CONTENTS)).containsExactly("I 1", "U 1", "U 2");

            store.remove(SampleCommands.remove("a"));
            store.publish("a", "3");
            assertThat(store.column(CONTENTS)).containsExactly("I 1", "U 1", "U 2", "D 1", "I 3");
        }
    }

    @Test
    void aRowWithTheContentOfAnEarlierRowIsNotForgottenBeforeIt(@TempDir Path other) {
        try (TestStore store = TestStore.start(TestDatabase.sqlite(other))) {
            store.publish("a", "1");
            // As after a clock was set back between the two publishes.
            store.byHand("UPDATE cairn_history SET gmt_modified = gmt_modified + 60000");
            store.publish("a", "2");
            store.publish("b", "1");
            JdbcHistoryStore history = new JdbcHistoryStore(store.writer, store.readers);
            Instant between = store.clock.instant().plus(Duration.ofSeconds(30));

            assertThat(TestStore.<Integer>get(history.forget(between, 10))).isEqualTo(1);
            assertThat(store.column(CONTENTS)).containsExactly("I 1", "U 1");

            Instant after = store.clock.instant().plus(Duration.ofSeconds(90));
            assertThat(TestStore.<Integer>get(history.forget(after, 10))).isEqualTo(2);
            assertThat(store.column(CONTENTS)).isEmpty();
        }
    }

    @Test
    void readingTheHistoryUsesItsIndexes(@TempDir Path other) throws Exception {
        SqliteDatabase database = SqliteDatabase.open(other);
        try (Connection connection = database.openReader()) {
            for (String query : List.of(
                    "SELECT nid, content FROM his_config_info WHERE data_id = ? AND group_id = ? AND tenant_id = ?"
                            + " ORDER BY nid DESC LIMIT 1",
                    "SELECT nid, content FROM his_config_info WHERE nid = ?",
                    "SELECT COUNT(*) FROM his_config_info WHERE data_id = ? AND group_id = ? AND tenant_id = ?",
                    "SELECT nid FROM his_config_info WHERE gmt_modified < ? ORDER BY gmt_modified, nid LIMIT ?")) {
                assertThat(plan(connection, query))
                        .as(query)
                        .noneMatch(step -> step.startsWith("SCAN") || step.contains("TEMP B-TREE"));
            }
        }
    }

    private static List<String> plan(Connection connection, String query) throws Exception {
        List<String> steps = new ArrayList<>();
        try (var statement = connection.prepareStatement("EXPLAIN QUERY PLAN " + query);
                var rows = statement.executeQuery()) {
            while (rows.next()) {
                steps.add(rows.getString("detail"));
            }
        }
        assertThat(steps).isNotEmpty();
        return steps;
    }
}
