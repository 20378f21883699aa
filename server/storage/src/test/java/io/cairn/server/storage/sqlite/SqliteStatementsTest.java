package io.cairn.server.storage.sqlite;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.config.PublishConfig;
import io.cairn.server.storage.SampleCommands;
import io.cairn.server.storage.TestDatabase;
import io.cairn.server.storage.TestStore;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The statements that reach the library of SQLite in a publish: the driver adds none to those of the server. */
class SqliteStatementsTest {

    private static final String BEGIN = "BEGIN IMMEDIATE";
    private static final String LAST_REVISION = "SELECT value FROM cairn_revision";
    private static final String STORED_ROW = "SELECT data_id, group_id, tenant_id, id, md5";
    private static final String HISTORY = "INSERT INTO cairn_history";
    private static final String COPY_TO_HISTORY = "INSERT OR FAIL INTO cairn_history";
    private static final String CHANGE = "INSERT INTO cairn_change";
    private static final String AUDIT = "INSERT INTO cairn_audit";
    private static final String NEW_REVISION = "UPDATE cairn_revision";
    private static final String COMMIT = "COMMIT";

    @TempDir
    Path folder;

    private SqliteCalls calls;
    private TestStore store;

    @BeforeEach
    void open() {
        TestDatabase database = TestDatabase.sqlite(folder);
        calls = new SqliteCalls(database.writer());
        store = TestStore.start(database.writtenThrough(calls));
        // Prepares the statements, which stay prepared.
        store.publish("first", "1");
        store.publish("first", "2");
        store.remove(SampleCommands.remove("first"));
    }

    @AfterEach
    void close() {
        store.close();
    }

    @Test
    void anInsertTakesTenStatements() {
        assertExecuted(
                SampleCommands.publish("a", "1"),
                SampleCommands.publish("b", "1"),
                BEGIN,
                LAST_REVISION,
                STORED_ROW,
                "INSERT INTO config_info",
                "SELECT data_id, group_id, tenant_id, id FROM config_info",
                HISTORY,
                CHANGE,
                AUDIT,
                NEW_REVISION,
                COMMIT);
    }

    @Test
    void anUpdateTakesNineStatements() {
        store.publish("a", "1");

        assertExecuted(
                SampleCommands.publish("a", "2"),
                SampleCommands.publish("a", "3"),
                BEGIN,
                LAST_REVISION,
                STORED_ROW,
                COPY_TO_HISTORY,
                "UPDATE config_info",
                CHANGE,
                AUDIT,
                NEW_REVISION,
                COMMIT);
    }

    /**
     * Compares what the library was given with the beginnings of statements. Of two publishes in a row, because a statement
     * after the answer to the first would come before the second.
     */
    private void assertExecuted(PublishConfig first, PublishConfig second, String... beginnings) {
        calls.clear();
        store.publish(first);
        store.publish(second);
        List<String> executed = calls.executed();

        assertThat(executed).hasSize(2 * beginnings.length);
        for (int i = 0; i < executed.size(); i++) {
            assertThat(executed.get(i)).startsWith(beginnings[i % beginnings.length]);
        }
        assertThat(calls.prepared()).isEmpty();
    }
}
