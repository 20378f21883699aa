package io.cairn.server.storage.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cairn.api.config.Namespace;
import io.cairn.api.error.CairnException;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.naming.lease.KnownService;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SqliteInstanceMemoryTest {

    private static final Instance CONNECTED = Instance.of("10.0.0.1", 80).withMetadata(Map.of("zone", "süd 🚀"));
    private static final Instance BEATING =
            Instance.of("10.0.0.2", 80).withHealthy(false).withId("its own").withWeight(0.5);

    private static final List<InstanceKey> UNHEALTHY =
            List.of(new InstanceKey("10.0.0.3", 80, "DEFAULT"), new InstanceKey("10.0.0.3", 81, "east"));

    @TempDir
    Path folder;

    @Test
    void keepsSavedInstancesAfterReopening() {
        try (SqliteInstanceMemory memory = SqliteInstanceMemory.open(folder)) {
            memory.save(
                    List.of(known("a"), known("b"), new KnownService(service("c"), List.of(), List.of(), UNHEALTHY)));
            memory.save(List.of(new KnownService(service("b"), List.of(), List.of(), List.of())));
        }

        assertThat(reopened())
                .containsExactlyInAnyOrder(known("a"), new KnownService(service("c"), List.of(), List.of(), UNHEALTHY));
    }

    @Test
    void readsAFileWithFewerFields() throws SQLException {
        try (SqliteInstanceMemory memory = SqliteInstanceMemory.open(folder)) {
            memory.save(List.of(known("a")));
        }
        byHand("UPDATE last_known SET instances = json_remove(instances, '$.sdks', '$.unhealthy')");

        assertThat(reopened())
                .containsExactly(new KnownService(service("a"), List.of(connected("")), List.of(BEATING), List.of()));
    }

    @Test
    void servicesOfOneNameInOtherGroupsAndNamespacesAreKeptApart() {
        List<KnownService> all = List.of(
                new KnownService(
                        new ServiceKey(Namespace.DEFAULT, "g", "a"), List.of(connected("")), List.of(), List.of()),
                new KnownService(
                        new ServiceKey(Namespace.DEFAULT, "h", "a"),
                        List.of(connected("Nacos-Rust-Client:0.8.3")),
                        List.of(),
                        List.of()),
                new KnownService(
                        new ServiceKey(Namespace.ofNullable("n"), "g", "a"), List.of(), List.of(CONNECTED), List.of()));
        try (SqliteInstanceMemory memory = SqliteInstanceMemory.open(folder)) {
            memory.save(all);
        }

        assertThat(reopened()).containsExactlyInAnyOrderElementsOf(all);
    }

    @Test
    void replacesAFileThatIsNotADatabase() throws IOException {
        Files.writeString(folder.resolve("last-known.db"), "no database at all\n".repeat(1_000));
        try (SqliteInstanceMemory memory = SqliteInstanceMemory.open(folder)) {
            memory.save(List.of(known("a")));
        }

        assertThat(reopened()).containsExactly(known("a"));
    }

    @Test
    void replacesAFileWithAnotherSchema() throws SQLException {
        byHand("CREATE TABLE last_known (something TEXT)");

        try (SqliteInstanceMemory memory = SqliteInstanceMemory.open(folder)) {
            assertThat(all(memory)).isEmpty();
            memory.save(List.of(known("a")));
        }

        assertThat(reopened()).containsExactly(known("a"));
    }

    @Test
    void skipsUnreadableRows() throws SQLException {
        try (SqliteInstanceMemory memory = SqliteInstanceMemory.open(folder)) {
            memory.save(List.of(known("a"), known("b"), known("c"), known("d")));
        }
        byHand("UPDATE last_known SET instances = '{\"connected\":[' WHERE service_name = 'a'");
        byHand(
                "UPDATE last_known SET instances = '{\"connected\":[{\"ip\":\"\",\"port\":80}]}' WHERE service_name = 'c'");

        assertThat(reopened()).containsExactlyInAnyOrder(known("b"), known("d"));
    }

    @Test
    void readsADamagedFileAsFarAsPossibleAndReplacesIt() throws IOException {
        try (SqliteInstanceMemory memory = SqliteInstanceMemory.open(folder)) {
            memory.save(
                    IntStream.range(0, 500).mapToObj(i -> known("service-" + i)).toList());
        }
        Path file = folder.resolve("last-known.db");
        byte[] bytes = Files.readAllBytes(file);
        for (int i = bytes.length / 2; i < bytes.length; i++) {
            bytes[i] = (byte) 0xA5;
        }
        Files.write(file, bytes);

        try (SqliteInstanceMemory memory = SqliteInstanceMemory.open(folder)) {
            assertThat(all(memory)).hasSizeLessThan(500);
            memory.save(List.of(known("a")));
            assertThat(all(memory)).contains(known("a"));
        }
        assertThat(reopened()).contains(known("a"));
    }

    @Test
    void aFailedWriteCanBeRepeated() throws SQLException {
        try (SqliteInstanceMemory memory = SqliteInstanceMemory.open(folder, Duration.ofMillis(100));
                Connection other = DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("last-known.db"));
                Statement statement = other.createStatement()) {
            memory.save(List.of(known("a")));
            statement.execute("PRAGMA busy_timeout = 100");
            statement.execute("BEGIN EXCLUSIVE");
            assertThatThrownBy(() -> memory.save(List.of(known("b")))).isInstanceOf(CairnException.class);
            statement.execute("ROLLBACK");

            memory.save(List.of(known("b")));
        }

        assertThat(reopened()).containsExactlyInAnyOrder(known("a"), known("b"));
    }

    @Test
    void aLargeServiceIsReadAsItWasWritten() {
        KnownService before = large(3_000, 1);
        KnownService grown = large(3_100, 1);
        KnownService shrunk = large(2_000, 1);
        KnownService small = large(3, 1);
        for (KnownService now : List.of(before, grown, shrunk, small, large(0, 1), before)) {
            try (SqliteInstanceMemory memory = SqliteInstanceMemory.open(folder)) {
                memory.save(List.of(now, known("a")));
                assertThat(all(memory)).contains(known("a"));
            }
            assertThat(reopened())
                    .containsExactlyInAnyOrderElementsOf(
                            now.isEmpty() ? List.of(known("a")) : List.of(known("a"), now));
        }
        try (SqliteInstanceMemory memory = SqliteInstanceMemory.open(folder)) {
            for (KnownService now : List.of(grown, shrunk, small, grown)) {
                memory.save(List.of(now));
                assertThat(all(memory)).contains(now);
            }
        }
    }

    @Test
    void aChangeOfOneInstanceOfManyWritesOnePartOfThem() throws SQLException {
        KnownService whole = large(3_000, 1);
        try (SqliteInstanceMemory memory = SqliteInstanceMemory.open(folder)) {
            memory.save(List.of(whole));
            int parts = parts("");
            assertThat(parts).isBetween(8, 60);
            byHand("UPDATE last_known_part SET instances = instances || ' '");

            List<KnownService.Connected> changed = new ArrayList<>(whole.ofConnections());
            changed.set(
                    1_500,
                    new KnownService.Connected(changed.get(1_500).instance().withWeight(7), ""));
            KnownService now = new KnownService(whole.service(), changed, whole.beating(), whole.unhealthy());
            memory.save(List.of(now));

            assertThat(parts("WHERE instances LIKE '% '")).isEqualTo(parts - 1);
            assertThat(all(memory)).containsExactly(now);
        }
    }

    @Test
    void partsThatAnOlderReleaseHasLeftDoNotCount() throws SQLException {
        try (SqliteInstanceMemory memory = SqliteInstanceMemory.open(folder)) {
            memory.save(List.of(large(3_000, 1)));
        }
        byHand("UPDATE last_known SET instances = '{\"unhealthy\":[{\"ip\":\"10.0.0.9\",\"port\":80}]}'");
        KnownService older = new KnownService(
                service("large"), List.of(), List.of(), List.of(new InstanceKey("10.0.0.9", 80, "DEFAULT")));
        assertThat(reopened()).containsExactly(older);

        try (SqliteInstanceMemory memory = SqliteInstanceMemory.open(folder)) {
            memory.save(List.of(older));
        }

        assertThat(parts("")).isZero();
    }

    @Test
    void aFailedWriteOfALargeServiceIsRepeatedWhole() throws SQLException {
        try (SqliteInstanceMemory memory = SqliteInstanceMemory.open(folder, Duration.ofMillis(100));
                Connection other = DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("last-known.db"));
                Statement statement = other.createStatement()) {
            memory.save(List.of(large(2_000, 1)));
            statement.execute("PRAGMA busy_timeout = 100");
            statement.execute("BEGIN EXCLUSIVE");
            assertThatThrownBy(() -> memory.save(List.of(large(2_000, 2)))).isInstanceOf(CairnException.class);
            statement.execute("ROLLBACK");

            memory.save(List.of(large(2_000, 2)));
        }

        assertThat(reopened()).containsExactly(large(2_000, 2));
    }

    /** Two thirds on connections, the others with heartbeats; and some unhealthy ones. */
    private static KnownService large(int instances, double weight) {
        List<KnownService.Connected> connected = new ArrayList<>();
        List<Instance> beating = new ArrayList<>();
        for (int i = 0; i < instances; i++) {
            Instance instance =
                    Instance.of("10.1." + i / 250 + "." + i % 250, 80).withWeight(weight);
            if (i % 3 < 2) {
                connected.add(new KnownService.Connected(instance, i % 2 == 0 ? "" : "Nacos-Java-Client:v3.1.0"));
            } else {
                beating.add(instance);
            }
        }
        return new KnownService(service("large"), connected, beating, instances == 0 ? List.of() : UNHEALTHY);
    }

    private int parts(String where) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("last-known.db"));
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT COUNT(*) FROM last_known_part " + where)) {
            assertThat(rows.next()).isTrue();
            return rows.getInt(1);
        }
    }

    private List<KnownService> reopened() {
        try (SqliteInstanceMemory memory = SqliteInstanceMemory.open(folder)) {
            return all(memory);
        }
    }

    private static List<KnownService> all(SqliteInstanceMemory memory) {
        List<KnownService> all = new ArrayList<>();
        memory.forEach(all::add);
        return all;
    }

    private void byHand(String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("last-known.db"));
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static ServiceKey service(String name) {
        return new ServiceKey(Namespace.DEFAULT, "DEFAULT_GROUP", name);
    }

    private static KnownService.Connected connected(String sdk) {
        return new KnownService.Connected(CONNECTED, sdk);
    }

    private static KnownService known(String name) {
        return new KnownService(
                service(name), List.of(connected("Nacos-Python-Client:v3.2.0")), List.of(BEATING), List.of());
    }
}
