package io.cairn.server.storage.mysql;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.mysql.TestSchema;
import io.cairn.server.storage.TestDatabase;
import io.cairn.server.storage.TestStore;
import io.cairn.server.storage.database.SchemaVersion;
import io.cairn.server.storage.server.ServerSettings;
import io.cairn.server.testing.DatabaseRelay;
import io.cairn.server.testing.LogWatch;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A node that is stopped, cut off or loses power while it changes the schema holds a lock, for which all others wait. */
@Tag("full")
@Tag("mysql")
class StoppedMigrationIT {

    /** Less than the time for which a node waits for one that is at work. */
    private static final Duration SOONER = PATIENCE.multipliedBy(3);

    @Test
    void anotherNodeMigratesAfterANodeWasCutOffBeforeItsFirstStatement() throws Exception {
        migratesAfter("GET_LOCK");
    }

    @Test
    void anotherNodeMigratesAfterANodeWasCutOffInTheMiddleOfItsScripts() throws Exception {
        migratesAfter("CREATE TABLE IF NOT EXISTS his_config_info");
    }

    private static void migratesAfter(String statement) throws Exception {
        try (TestSchema schema = TestSchema.create(StoppedMigrationIT.class);
                DatabaseRelay relay = new DatabaseRelay(schema.url());
                MySqlDatabase stopping = new MySqlDatabase(new ServerSettings(
                        List.of(new ServerSettings.Source(
                                relay.url() + "&socketTimeout=600000", schema.user(), schema.password())),
                        ServerSettings.Pool.DEFAULT));
                MySqlDatabase other = new MySqlDatabase(MySqlTestDatabase.settings(schema));
                LogWatch log = new LogWatch()) {
            relay.cutAfter(statement);
            CompletableFuture<Void> stopped = CompletableFuture.runAsync(stopping::prepare);
            assertThat(relay.awaitCut()).isTrue();

            CompletableFuture<Void> migrated = CompletableFuture.runAsync(other::prepare);

            assertThat(migrated).succeedsWithin(SOONER);
            assertThat(stopped).isNotDone();
            assertThat(schema.query("SELECT version FROM cairn_schema_history WHERE success = 1"))
                    .contains(List.of(Integer.toString(SchemaVersion.CURRENT)));
            assertThat(log.linesOf(MySqlSchema.class))
                    .anySatisfy(line -> assertThat(line).contains("changes the schema of", ": session "));
            try (TestStore store =
                    TestStore.start(new TestDatabase(other::openWriter, other::openReader, other.dialect()))) {
                assertThat(store.publish("a", "1").revision()).isEqualTo(1);
            }
            // Its thread would wait for an answer until the end of its socket.
            relay.close();
            assertThat(stopped).failsWithin(SOONER);
        }
    }
}
