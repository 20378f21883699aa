package io.cairn.server.storage;

import static io.cairn.server.storage.sqlite.WholePage.ANY;
import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.Namespace;
import io.cairn.server.auth.AccountRows;
import io.cairn.server.auth.Caller;
import io.cairn.server.backup.BackupService;
import io.cairn.server.config.PageRequest;
import io.cairn.server.config.query.ConfigCriteria;
import io.cairn.server.config.transfer.ConfigSelection;
import io.cairn.server.config.transfer.WholeConfig;
import io.cairn.server.namespace.StoredNamespace;
import io.cairn.server.storage.access.JdbcAccountStore;
import io.cairn.server.storage.access.JdbcAuditStore;
import io.cairn.server.storage.backup.JdbcBackupStore;
import io.cairn.server.storage.cluster.ExternalChangePoller;
import io.cairn.server.storage.cluster.NotedParts;
import io.cairn.server.storage.config.JdbcConfigQueryStore;
import io.cairn.server.storage.config.JdbcHistoryStore;
import io.cairn.server.storage.config.JdbcTransferStore;
import io.cairn.server.storage.database.Circuit;
import io.cairn.server.storage.database.Dialect;
import io.cairn.server.storage.database.LeftOutRows;
import io.cairn.server.storage.database.RowRules;
import io.cairn.server.storage.database.TableNames;
import io.cairn.server.storage.mirror.Mirror;
import io.cairn.server.storage.namespace.JdbcCapacityStore;
import io.cairn.server.storage.namespace.JdbcNamespaceStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.sql.Types;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Rows that the tables of Nacos allow and that Cairn cannot use stop no reader: each of them leaves the row out, names it, and reads the
 * others.
 */
abstract class UnusableRowsContract {

    private static final List<String> TABLES = List.of(
            "config_info",
            "config_info_gray",
            "config_tags_relation",
            "his_config_info",
            "tenant_info",
            "users",
            "roles",
            "permissions",
            "group_capacity",
            "tenant_capacity");

    @TempDir
    Path folder;

    @TempDir
    Path mirrored;

    @TempDir
    Path restored;

    /** Numbers the rows that a test has made. */
    private int made;

    /** A database with an up-to-date schema and empty tables. */
    abstract TestDatabase freshDatabase(Path folder) throws Exception;

    /** A column of a table as the database describes it. */
    private record Column(String table, String name, int type, boolean isNullable, boolean isGenerated) {}

    private static List<Column> columns(TestDatabase database) throws SQLException {
        List<Column> all = new ArrayList<>();
        try (Connection connection = database.reader().open()) {
            for (String table : TABLES) {
                String stored = stored(database.dialect(), table);
                try (ResultSet columns = connection
                        .getMetaData()
                        .getColumns(connection.getCatalog(), connection.getSchema(), stored, "%")) {
                    while (columns.next()) {
                        all.add(new Column(
                                table,
                                columns.getString("COLUMN_NAME").toLowerCase(Locale.ROOT),
                                columns.getInt("DATA_TYPE"),
                                columns.getInt("NULLABLE") == 1,
                                columns.getString("COLUMN_NAME").equals(generated(table))));
                    }
                }
            }
        }
        return all;
    }

    /** The table that rows are written to, where the table of Nacos is a view. */
    private static String stored(Dialect dialect, String table) {
        return table.equals(TableNames.HISTORY) ? dialect.historyTable() : table;
    }

    private static String generated(String table) {
        return table.equals("config_tags_relation") || table.equals("his_config_info") ? "nid" : "id";
    }

    /** A value by which the row with that number can be used. */
    private static Object value(Column column, int number) {
        return switch (column.name()) {
            case "data_id" -> "odd-" + number;
            case "group_id" -> column.table().equals("group_capacity") ? "g" + number : ConfigKey.DEFAULT_GROUP;
            case "tenant_id" ->
                column.table().equals("tenant_info") || column.table().equals("tenant_capacity") ? "ns" + number : "";
            case "kp" -> "1";
            case "gray_name" -> "tag_t";
            case "gray_rule" -> "{\"type\":\"tag\",\"version\":\"1.0.0\",\"expr\":\"t\",\"priority\":1}";
            case "content" -> "odd content";
            case "md5" -> SampleCommands.md5("odd content");
            case "op_type" -> "U";
            case "publish_type" -> "formal";
            case "action" -> "rw";
            default ->
                switch (column.type()) {
                    case Types.TIMESTAMP -> Timestamp.valueOf("2024-01-02 03:04:05");
                    case Types.BIT, Types.BOOLEAN -> number % 2 == 1;
                    case Types.VARCHAR, Types.CHAR, Types.LONGVARCHAR -> "x" + number;
                    default -> number % 2;
                };
        };
    }

    /** Stores a row in which that column holds NULL; null for a row that can be used as it is. Returns the number of the row. */
    private int insert(TestStore store, List<Column> columns, String table, String nullColumn) {
        int number = ++made;
        Map<String, Object> row = new LinkedHashMap<>();
        columns.stream()
                .filter(column -> column.table().equals(table) && !column.isGenerated())
                .forEach(column ->
                        row.put(column.name(), column.name().equals(nullColumn) ? null : value(column, number)));
        store.byHand(
                "INSERT INTO " + stored(store.readers.dialect(), table) + " ("
                        + row.keySet().stream().map(this::quoted).collect(Collectors.joining(", "))
                        + ") VALUES (" + "?, ".repeat(row.size() - 1) + "?)",
                row.values().toArray());
        return number;
    }

    /** MySQL reserves one of the names. */
    String quoted(String column) {
        return column.equals("usage") ? "`usage`" : column;
    }

    /** A column that may hold NULL is one that Cairn can do without, or its row is left out and named. Later columns are covered. */
    @Test
    void everyRowWithoutAValueIsUsedOrLeftOut() throws Exception {
        rowsWithoutValuesStopNoReader(freshDatabase(folder));
    }

    final void rowsWithoutValuesStopNoReader(TestDatabase database) throws Exception {
        List<Column> columns = columns(database);
        Map<String, Long> leftOut = new HashMap<>();
        Set<String> used = new HashSet<>();
        Set<String> namespaces = new HashSet<>();
        try (TestStore before = TestStore.start(database)) {
            for (String table : TABLES) {
                insert(before, columns, table, null);
            }
            used.add("odd-1");
            namespaces.add("ns5");
            for (Column column : columns) {
                if (column.isNullable() && !column.isGenerated()) {
                    int number = insert(before, columns, column.table(), column.name());
                    boolean isLeftOut = RowRules.columns(column.table()).contains(column.name());
                    if (isLeftOut) {
                        leftOut.merge(column.table(), 1L, Long::sum);
                    } else if (column.table().equals("config_info")) {
                        used.add("odd-" + number);
                    } else if (column.table().equals("tenant_info")) {
                        namespaces.add("ns" + number);
                    }
                }
            }
        }
        stopNoReader(database, used, namespaces, leftOut);
    }

    /**
     * Every reader reads the rows that can be used, and following goes on.
     *
     * @param used names of configurations of the default namespace
     * @param leftOut the number of rows that are left out, by table
     */
    final void stopNoReader(TestDatabase database, Set<String> used, Set<String> namespaces, Map<String, Long> leftOut)
            throws Exception {
        try (TestStore store = TestStore.start(database);
                TestStore other = TestStore.start(database);
                ExternalChangePoller follower = new ExternalChangePoller(
                        database.writer(),
                        database.dialect(),
                        store.writer,
                        store.view,
                        new ExternalChangePoller.Settings(Duration.ofMillis(20), Duration.ofMillis(50)),
                        new NotedParts(),
                        store.readers.leftOut());
                Mirror mirror = Mirror.open(mirrored, "a database", Clock.systemUTC())) {
            assertThat(shown(store)).as("loaded").containsAll(used);
            mirror.start(new Mirror.Primary(store.view, store.readers, new Circuit("The database")));
            follower.start();

            other.publish("published", "1");
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(shown(store)).contains("published"));
            other.publish("published", "2");
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(store.content("published")).isEqualTo("2"));
            store.byHand(
                    "UPDATE config_info SET content = 'by hand', md5 = ? WHERE data_id = 'published'",
                    SampleCommands.md5("by hand"));
            await().atMost(PATIENCE).untilAsserted(() -> assertThat(
                            store.view.entry(SampleCommands.key("published")).digest())
                    .hasToString(SampleCommands.md5("by hand")));
            assertThat(shown(store)).as("after a comparison").containsAll(used);
            await().atMost(PATIENCE).untilAsserted(() -> {
                assertThat(store.writer.applied().following().state().failing()).isZero();
                assertThat(store.writer.applied().appliedRevision()).isEqualTo(2);
            });

            isMirrored(store, mirror, used, namespaces);
            isFound(store, used);
            isBackedUp(store, used);
            assertThat(names(new JdbcNamespaceStore(store.writer, store.readers)))
                    .containsAll(namespaces);
            new JdbcCapacityStore(store.writer, store.readers).namespaceQuotas();

            await().atMost(PATIENCE)
                    .untilAsserted(() -> leftOut.forEach(
                            (table, rows) -> assertThat(store.readers.leftOut().present())
                                    .filteredOn(left -> left.table().equals(table))
                                    .as("rows of %s", table)
                                    .singleElement()
                                    .satisfies(left -> {
                                        assertThat(left.rows()).isEqualTo(rows);
                                        assertThat(left.examples())
                                                .hasSize((int) Math.min(LeftOutRows.EXAMPLES, rows))
                                                .allMatch(text -> text.contains(": "));
                                    })));
            assertThat(store.readers.leftOut().present())
                    .extracting(LeftOutRows.OfTable::table)
                    .as("rows of other tables are used")
                    .isSubsetOf(leftOut.keySet());
        }
    }

    private static Set<String> shown(TestStore store) {
        Set<String> names = new HashSet<>();
        store.view.forEach(entry -> {
            assertThat(entry.key().namespace()).isEqualTo(Namespace.DEFAULT);
            names.add(entry.key().dataId());
        });
        return names;
    }

    private static Set<String> names(JdbcNamespaceStore store) {
        return store.created().stream()
                .map(StoredNamespace::namespace)
                .map(Namespace::id)
                .collect(Collectors.toSet());
    }

    private static void isMirrored(TestStore store, Mirror mirror, Set<String> used, Set<String> namespaces) {
        AccountRows accounts = new JdbcAccountStore(store.writer, store.readers).load();
        assertThat(accounts.users()).isNotEmpty();
        await().atMost(PATIENCE).untilAsserted(() -> {
            assertThat(mirror.isComplete()).isTrue();
            assertThat(mirror.behind()).isZero();
            assertThat(mirror.following().state().failing()).isZero();
            Set<String> copied = new HashSet<>();
            mirror.forEachEntry(entry -> copied.add(entry.key().dataId()));
            assertThat(copied).containsAll(used);
            assertThat(new JdbcAccountStore(store.writer, mirror.readers()).load())
                    .isEqualTo(accounts);
            assertThat(names(new JdbcNamespaceStore(store.writer, mirror.readers())))
                    .containsAll(namespaces);
        });
    }

    /** Searches by names, contents and tags, exports, and the history. */
    private static void isFound(TestStore store, Set<String> used) {
        JdbcConfigQueryStore queries = new JdbcConfigQueryStore(store.readers);
        Set<ConfigKey> found = queries.keys(ConfigCriteria.blur(
                new ConfigCriteria.Words(Namespace.DEFAULT, null, null, null, null, null, "odd content")));
        assertThat(found).extracting(ConfigKey::dataId).containsAll(used);
        assertThat(queries.rows(List.copyOf(found), true).all(ANY)).hasSameSizeAs(found);
        queries.keys(
                ConfigCriteria.blur(new ConfigCriteria.Words(Namespace.DEFAULT, null, null, null, "x*", null, null)));
        List<Long> ids = store.column("SELECT id FROM config_info").stream()
                .map(Long::parseLong)
                .toList();
        assertThat(queries.rows(queries.keysOf(ids), true).all(ANY))
                .extracting(config -> config.key().dataId())
                .containsAll(used);
        Set<String> exported = new HashSet<>();
        JdbcTransferStore transfer = new JdbcTransferStore(store.readers);
        transfer.forEach(
                ConfigSelection.all(Namespace.DEFAULT),
                (WholeConfig config) -> exported.add(config.key().dataId()));
        transfer.forEachOf(ids, config -> exported.add(config.key().dataId()));
        assertThat(exported).containsAll(used);

        JdbcHistoryStore history = new JdbcHistoryStore(store.writer, store.readers);
        for (String name : store.column("SELECT DISTINCT data_id FROM his_config_info")) {
            if (!name.isBlank()) {
                history.list(SampleCommands.key(name), new PageRequest(1, 100)).all(ANY);
            }
        }
        store.column("SELECT nid FROM his_config_info").stream()
                .filter(id -> id.length() < 19)
                .forEach(id -> history.find(Long.parseLong(id), ANY));
        List<String> grays = store.column("SELECT DISTINCT gray_name FROM config_info_gray");
        found.forEach(key -> queries.grays(key, grays).all(ANY));
    }

    private void isBackedUp(TestStore store, Set<String> used) throws Exception {
        Path archive =
                TestStore.get(backups(store).create(true, true, Caller.SERVER)).file();
        try (TestStore into = TestStore.start(TestDatabase.sqlite(Files.createDirectory(restored.resolve("server"))))) {
            TestStore.get(backups(into).restore(archive, true, false, Caller.SERVER));
            into.view.reload(into.store::forEachEntry);
            assertThat(shown(into)).as("restored from a backup").containsAll(used);
            // A gray release whose rule cannot be read is a row like another.
            assertThat(into.readers.leftOut().present())
                    .extracting(LeftOutRows.OfTable::table)
                    .isSubsetOf("config_info_gray");
        }
    }

    private BackupService backups(TestStore of) {
        return new BackupService(
                new JdbcBackupStore(of.writer, of.readers, () -> of.view.reload(of.store::forEachEntry)),
                new JdbcAuditStore(of.writer, of.readers),
                true,
                () -> {},
                "0.1-test",
                restored,
                of.clock,
                Runnable::run);
    }

    /** The names and rules that no value of Cairn can have, in tables that allow them. */
    @Test
    void blankNamesAndUnreadableRulesStopNoReader() throws Exception {
        TestDatabase database = freshDatabase(folder);
        List<Column> columns = columns(database);
        try (TestStore before = TestStore.start(database)) {
            for (String table : TABLES) {
                insert(before, columns, table, null);
                insert(before, columns, table, null);
            }
            change(before, "config_info", "data_id", "odd-2", "group_id", "  ");
            insert(before, columns, "config_info", null);
            change(before, "config_info", "data_id", "odd-" + made, "type", "klingon");
            insert(before, columns, "config_info", null);
            change(before, "config_info", "data_id", "odd-" + made, "md5", "no md5");
            change(before, "config_info_gray", "data_id", "odd-3", "gray_rule", "no rule");
            change(before, "config_info_gray", "data_id", "odd-4", "gray_name", " ");
            change(before, "config_info_gray", "data_id", "odd-4", "data_id", "published");
            change(before, "config_tags_relation", "data_id", "odd-6", "group_id", " ");
            change(before, "his_config_info", "data_id", "odd-8", "group_id", "");
            change(before, "his_config_info", "data_id", "odd-7", "op_type", "?");
            change(before, "users", "username", "x12", "username", " ");
            change(before, "users", "username", "x11", "password", "no hash");
            change(before, "roles", "username", "x14", "role", "");
            change(before, "permissions", "role", "x16", "action", "?");
        }
        stopNoReader(
                database,
                Set.of("odd-1", "odd-21", "odd-22"),
                Set.of("ns9", "ns10"),
                Map.of(
                        "config_info", 1L,
                        "config_info_gray", 2L,
                        "config_tags_relation", 1L,
                        "his_config_info", 1L,
                        "users", 1L,
                        "roles", 1L));
    }

    private static void change(
            TestStore store, String table, String byColumn, String name, String column, String value) {
        store.byHand(
                "UPDATE " + stored(store.readers.dialect(), table) + " SET " + column + " = ? WHERE " + byColumn
                        + " = ?",
                value,
                name);
    }

    @Test
    void aRowIsNoLongerLeftOutWhenItIsCorrected() throws Exception {
        TestDatabase database = freshDatabase(folder);
        try (TestStore store = TestStore.start(database)) {
            insert(store, columns(database), "config_info", null);
            change(store, "config_info", "data_id", "odd-1", "group_id", " ");
            store.view.reload(store.store::forEachEntry);
            assertThat(store.readers.leftOut().present()).hasSize(1);

            change(store, "config_info", "data_id", "odd-1", "group_id", "g");
            store.view.reload(store.store::forEachEntry);

            assertThat(store.readers.leftOut().present()).isEmpty();
            assertThat(store.view.entry(new ConfigKey(Namespace.DEFAULT, "g", "odd-1")))
                    .isNotNull();
        }
    }
}
