package io.cairn.server.storage.access;

import static io.cairn.server.storage.TestStore.get;
import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.node.SecretStore;
import io.cairn.server.storage.TestDatabase;
import io.cairn.server.storage.TestStore;
import io.cairn.server.storage.database.Circuit;
import io.cairn.server.storage.database.LeftOutRows;
import io.cairn.server.storage.database.ReadConnections;
import io.cairn.server.storage.database.StoreDamage;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Secrets that all nodes share, whatever database they are in. */
abstract class SecretStoreContract {

    private static final int NODES = 4;

    @TempDir
    Path folder;

    private TestDatabase database;
    private TestStore store;
    private SecretStore secrets;

    /** A database whose schema is up to date and whose tables are empty. */
    abstract TestDatabase freshDatabase(Path folder) throws Exception;

    @BeforeEach
    void open() throws Exception {
        database = freshDatabase(folder);
        store = TestStore.start(database);
        secrets = new JdbcSecretStore(store.writer, store.readers, database.writer());
    }

    @AfterEach
    void close() {
        store.close();
    }

    @Test
    void theFirstSecretStays() {
        assertThat(secrets.get("a")).isEmpty();

        assertThat(secrets.putIfAbsent("a", "first")).isEqualTo("first");
        assertThat(secrets.putIfAbsent("a", "second")).isEqualTo("first");
        assertThat(secrets.putIfAbsent("b", "other")).isEqualTo("other");

        assertThat(secrets.get("a")).contains("first");
        assertThat(store.query("SELECT 1 FROM cairn_secret WHERE changed_at > 1700000000000"))
                .hasSize(2);
    }

    @Test
    void nodesThatStartAtOnceGetOneSecret() throws Exception {
        ExecutorService nodes = Executors.newFixedThreadPool(NODES);
        CyclicBarrier together = new CyclicBarrier(NODES);
        try {
            for (int round = 0; round < 10; round++) {
                String name = "secret-" + round;
                List<Future<String>> answers = new ArrayList<>();
                for (int node = 0; node < NODES; node++) {
                    String own = "of node " + node;
                    answers.add(nodes.submit(() -> {
                        together.await(PATIENCE.toSeconds(), TimeUnit.SECONDS);
                        return secrets.putIfAbsent(name, own);
                    }));
                }
                Set<String> seen = new HashSet<>();
                for (Future<String> answer : answers) {
                    seen.add(answer.get(PATIENCE.toSeconds(), TimeUnit.SECONDS));
                }
                assertThat(seen).containsExactly(secrets.get(name).orElseThrow());
            }
        } finally {
            nodes.shutdownNow();
        }
    }

    @Test
    void aReplacedSecretIsAChangeThatNamesItAndNotItsValue() {
        secrets.putIfAbsent("signing-keys", "one");
        long before = store.publish("a", "1").revision();

        assertThat(get(secrets.replace("signing-keys", old -> old + " two"))).isEqualTo("one two");

        assertThat(secrets.get("signing-keys")).contains("one two");
        assertThat(store.query(
                        "SELECT kind, data_id, group_id, tenant_id, md5 FROM cairn_change WHERE revision = ?",
                        before + 1))
                .singleElement()
                .satisfies(row -> assertThat(row).containsExactly("secret", "signing-keys", "", "", null));
    }

    @Test
    void replacementsAtOnceBuildOnEachOther() {
        secrets.putIfAbsent("a", "");
        List<CompletionStage<String>> all = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            all.add(secrets.replace("a", old -> old + "x"));
        }
        all.forEach(TestStore::get);

        assertThat(secrets.get("a")).contains("x".repeat(20));
    }

    @Test
    void aSecretThatIsNotThereIsNotReplaced() {
        assertThatThrownBy(() -> get(secrets.replace("a", old -> "new")))
                .hasMessageContaining("cairn_secret has no row 'a'");
        assertThat(secrets.get("a")).isEmpty();
    }

    @Test
    void reportsAnUnavailableDatabaseAtOnce() {
        Circuit circuit = new Circuit("The database");
        SecretStore away = new JdbcSecretStore(
                store.writer,
                new ReadConnections(
                        database.reader(),
                        database.dialect(),
                        false,
                        circuit,
                        null,
                        new LeftOutRows(),
                        StoreDamage.unnamed()),
                database.writer());
        circuit.open(new CairnException(ErrorCode.UNAVAILABLE, "The database is away, for a test"));

        for (Runnable call : List.<Runnable>of(() -> away.get("a"), () -> away.putIfAbsent("a", "b"))) {
            assertThatThrownBy(call::run)
                    .isInstanceOfSatisfying(CairnException.class, failure -> assertThat(failure.code())
                            .isEqualTo(ErrorCode.UNAVAILABLE));
        }
    }
}
