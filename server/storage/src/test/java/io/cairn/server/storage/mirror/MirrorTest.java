package io.cairn.server.storage.mirror;

import static io.cairn.server.storage.SampleCommands.key;
import static io.cairn.server.storage.SampleCommands.publishForTag;
import static io.cairn.server.storage.SampleCommands.removeForTag;
import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.server.auth.AccountChange;
import io.cairn.server.auth.AuditRecord;
import io.cairn.server.auth.Caller;
import io.cairn.server.config.ConfigEntry;
import io.cairn.server.storage.SampleCommands;
import io.cairn.server.storage.TestDatabase;
import io.cairn.server.storage.TestStore;
import io.cairn.server.storage.access.JdbcAccountStore;
import io.cairn.server.storage.database.Circuit;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The copy that a node keeps of a database that may be unavailable. The mirror is the same for every kind of database.
 */
class MirrorTest {

    @TempDir
    Path folder;

    @TempDir
    Path mirrored;

    private TestStore store;
    private Mirror mirror;

    @BeforeEach
    void open() {
        store = TestStore.start(TestDatabase.sqlite(folder));
        start();
    }

    private void start() {
        mirror = Mirror.open(mirrored, "a database", Clock.systemUTC());
        mirror.start(new Mirror.Primary(store.view, store.readers, new Circuit("The database")));
    }

    @AfterEach
    void close() {
        mirror.close();
        store.close();
    }

    private void follows() {
        await().untilAsserted(() -> {
            Set<ConfigEntry> there = new HashSet<>(store.entries());
            List<ConfigEntry> copied = new ArrayList<>();
            mirror.forEachEntry(copied::add);
            assertThat(copied).containsExactlyInAnyOrderElementsOf(there);
            for (ConfigEntry entry : there) {
                assertThat(mirror.load(entry))
                        .map(version -> new String(version.utf8(), StandardCharsets.UTF_8))
                        .isEqualTo(store.store
                                .load(entry)
                                .map(version -> new String(version.utf8(), StandardCharsets.UTF_8)));
            }
        });
    }

    @Test
    void copiesEachChangeOfAConfigurationAndItsGrayReleases() {
        store.publish("a", "1");
        store.publish("b", "1");
        follows();
        store.publish("a", "2");
        store.publish(publishForTag("blue", "a", "2 blue", null));
        follows();
        store.publish(publishForTag("red", "a", "2 red", null));
        store.publish(publishForTag("blue", "a", "3 blue", null));
        follows();
        store.remove(removeForTag("blue", "a"));
        follows();
        store.remove(SampleCommands.remove("b"));
        follows();
        store.remove(removeForTag("red", "a"));
        store.remove(SampleCommands.remove("a"));
        follows();
        assertThat(store.entries()).isEmpty();
        store.publish("a", "again");
        follows();
        assertThat(store.view.entry(key("a"))).isNotNull();
    }

    /** More than the queue of the mirror takes at once. */
    @Test
    void copiesManyLargeContents() {
        mirror.close();
        for (int i = 0; i < 8; i++) {
            store.publish("large" + i, String.valueOf(i).repeat(9 << 20));
        }
        start();
        await().untilAsserted(() -> {
            Set<ConfigEntry> copied = new HashSet<>();
            mirror.forEachEntry(copied::add);
            assertThat(copied).isEqualTo(new HashSet<>(store.entries()));
        });
    }

    @Test
    void removesGrayReleasesThatEndedWhileTheMirrorWasStopped() {
        store.publish("a", "1");
        store.publish(publishForTag("blue", "a", "1 blue", null));
        follows();
        mirror.close();
        store.remove(removeForTag("blue", "a"));
        start();
        follows();
    }

    @Test
    void copiesAccountsWithoutWaitingForTheNextRound() {
        // The first round has run when the mirror is complete; the next one is much later.
        await().until(mirror::isComplete);
        JdbcAccountStore accounts = new JdbcAccountStore(store.writer, store.readers, mirror::tablesChanged);
        for (int i = 0; i < 5; i++) {
            String name = "user-" + i;
            TestStore.get(accounts.apply(
                    List.of(new AccountChange.CreateUser(name, "hash", false), new AccountChange.GrantRole("r", name)),
                    AuditRecord.of(Caller.SERVER, "test", name)));
            await().until(() -> names("users").contains(name));
            // Both tables were copied at the same moment.
            assertThat(names("roles")).containsAll(names("users"));
        }
    }

    @Test
    void oneConfigurationThatCannotBeCopiedKeepsBackNothingElse() throws Exception {
        await().atMost(PATIENCE).until(mirror::isComplete);
        inMirror("CREATE TRIGGER refused BEFORE INSERT ON config_info WHEN NEW.data_id = 'refused'"
                + " BEGIN SELECT RAISE(ABORT, 'refused on purpose'); END");
        for (int i = 0; i < 40; i++) {
            store.publish("before-" + i, "1");
        }
        store.publish("refused", "1");
        for (int i = 0; i < 40; i++) {
            store.publish("after-" + i, "1");
        }
        TestStore.get(new JdbcAccountStore(store.writer, store.readers, mirror::tablesChanged)
                .apply(
                        List.of(new AccountChange.CreateUser("ben", "hash", false)),
                        AuditRecord.of(Caller.SERVER, "test", "ben")));

        await().atMost(PATIENCE).untilAsserted(() -> {
            List<String> copied = new ArrayList<>();
            mirror.forEachEntry(entry -> copied.add(entry.key().dataId()));
            assertThat(copied).hasSize(80).doesNotContain("refused");
            assertThat(names("users")).contains("ben");
            assertThat(mirror.behind()).isEqualTo(1);
            assertThat(mirror.following().state().cause())
                    .contains("DEFAULT_GROUP/refused cannot be copied", "refused on purpose");
        });

        inMirror("DROP TRIGGER refused");
        // A change has it tried again at once.
        store.publish("refused", "2");
        follows();
        await().atMost(PATIENCE)
                .untilAsserted(
                        () -> assertThat(mirror.following().state().failing()).isZero());
        assertThat(mirror.behind()).isZero();
    }

    private void inMirror(String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + mirrored.resolve("cairn.db"));
                Statement statement = connection.createStatement()) {
            statement.execute("PRAGMA busy_timeout=30000");
            statement.execute(sql);
        }
    }

    private List<String> names(String table) {
        return mirror.readers().with("looking at the mirror", connection -> {
            try (var statement = connection.createStatement();
                    var rows = statement.executeQuery("SELECT username FROM " + table)) {
                List<String> names = new ArrayList<>();
                while (rows.next()) {
                    names.add(rows.getString(1));
                }
                return names;
            }
        });
    }
}
