package io.cairn.server.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cairn.api.config.Namespace;
import io.cairn.api.error.CairnException;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.naming.KnownService;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
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
