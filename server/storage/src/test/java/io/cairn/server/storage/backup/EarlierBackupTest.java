package io.cairn.server.storage.backup;

import static io.cairn.server.storage.TestStore.get;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ContentDigest;
import io.cairn.api.config.Namespace;
import io.cairn.server.auth.Caller;
import io.cairn.server.backup.BackupService;
import io.cairn.server.backup.Manifest;
import io.cairn.server.storage.SampleCommands;
import io.cairn.server.storage.TestDatabase;
import io.cairn.server.storage.TestStore;
import io.cairn.server.storage.access.JdbcAuditStore;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Backups go both ways between this build and one of before ADR 45, whose embedded store has pages of 16 KB and a history with
 * all contents. {@code README.md} beside the archive tells how that build made it.
 *
 * <p>Of an archive, that build relies on these facts: the format and its version, sections that it knows, in a row only names
 * that it knows, values of their types, and a history in which each row holds its content.
 */
class EarlierBackupTest {

    private static final String ARCHIVE = "backup-of-schema-6.zip";
    private static final JsonMapper JSON = JsonMapper.builder().build();
    /** The column that came after that build; a server without a cluster leaves it out of its archives. */
    private static final String NODE = "node";

    private static final ConfigKey PAYMENT = new ConfigKey(new Namespace("dev"), "shop", "payment.yaml");

    @TempDir
    Path folder;

    @TempDir
    Path scratch;

    private Path earlier;
    private TestStore store;

    @BeforeEach
    void restore() throws Exception {
        earlier = scratch.resolve(ARCHIVE);
        try (InputStream archive = EarlierBackupTest.class.getResourceAsStream(ARCHIVE)) {
            Files.copy(archive, earlier);
        }
        Path sent = Files.copy(earlier, scratch.resolve("sent.zip"));
        store = TestStore.start(TestDatabase.sqlite(folder));
        get(backups().restore(sent, false, false, Caller.SERVER));
    }

    @AfterEach
    void close() {
        store.close();
    }

    private BackupService backups() {
        JdbcBackupStore tables =
                new JdbcBackupStore(store.writer, store.readers, () -> store.view.reload(store.store::forEachEntry));
        return new BackupService(
                tables,
                new JdbcAuditStore(store.writer, store.readers),
                true,
                () -> {},
                "0.1-test",
                scratch,
                store.clock,
                Runnable::run);
    }

    private Path backup() {
        return get(backups().create(true, true, Caller.SERVER)).file();
    }

    @Test
    void contentsHistoryNamespacesAndUsersAreThere() {
        assertThat(store.column("PRAGMA page_size")).containsExactly("4096");
        assertThat(store.content(PAYMENT)).isEqualTo("größe: 2 🚀\r\nlimit: 20\n");
        assertThat(store.content("a")).isEqualTo("v=3");
        assertThat(store.content("once")).isEqualTo("inserted and never changed");
        assertThat(store.content("large")).isEqualTo("line of a large content\n".repeat(4_000));
        assertThat(store.content("gone")).isNull();
        assertThat(store.query("SELECT op_type, content FROM his_config_info WHERE data_id = 'a'"
                        + " AND publish_type = 'formal' ORDER BY nid"))
                .containsExactly(List.of("I", "v=1"), List.of("U", "v=1"), List.of("U", "v=2"));
        assertThat(store.query("SELECT op_type, content FROM his_config_info WHERE data_id = 'gone' ORDER BY nid"))
                .containsExactly(List.of("I", "first"), List.of("U", "first"), List.of("D", "second"));
        assertThat(store.query("SELECT tenant_id, tenant_name FROM tenant_info"))
                .containsExactly(List.of("dev", "Development"));
        assertThat(store.column("SELECT username FROM users ORDER BY username"))
                .containsExactly("anna", "ben", "nacos");
        assertThat(store.query("SELECT role, resource, action FROM permissions"))
                .containsExactly(List.of("developers", "dev:*:*", "rw"));
    }

    @Test
    void itsArchiveOfTheSameDataIsTheSame() throws Exception {
        try (ZipFile before = new ZipFile(earlier.toFile());
                ZipFile now = new ZipFile(backup().toFile())) {
            for (String section : sections(before)) {
                List<String> lines = lines(now, section);
                // The restore itself has been recorded since.
                assertThat(section.equals(BackupTable.AUDIT) ? lines.subList(0, lines.size() - 1) : lines)
                        .as(section)
                        .containsExactlyElementsOf(lines(before, section));
            }
        }
    }

    @Test
    void theEarlierBuildReadsArchivesOfThisBuild() throws Exception {
        // Contents that the history of this build shares with the configuration and with later rows.
        store.publish("new", "1");
        store.publish("newer", "1");
        store.publish("newer", "2");
        store.publish("removed", "1");
        store.remove(SampleCommands.remove("removed"));
        store.publish("a", "v=4");
        store.publish(SampleCommands.publishForTag("green", "a", "v=green", null));

        try (ZipFile before = new ZipFile(earlier.toFile());
                ZipFile now = new ZipFile(backup().toFile())) {
            assertThat(manifest(now).path("format").asString("")).isEqualTo("cairn-backup");
            assertThat(manifest(now).path("version").asInt(0))
                    .isEqualTo(manifest(before).path("version").asInt(0))
                    .isEqualTo(Manifest.VERSION);
            assertThat(sections(now)).containsExactlyElementsOf(sections(before));
            for (String section : sections(now)) {
                Map<String, Set<String>> known = typesOfValues(before, section);
                assertThat(typesOfValues(now, section)).as(section).isEqualTo(known);
                // A column that no row of that archive has would be one that this test knows nothing about.
                Set<String> columns =
                        new HashSet<>(BackupTable.ofSection(section).names());
                columns.remove(NODE);
                assertThat(known.keySet()).as(section).isEqualTo(columns);
            }
            List<Map<String, Object>> history = rows(now, BackupTable.HISTORY);
            assertThat(history).extracting(row -> row.get("data_id")).contains("new", "newer", "removed");
            assertThat(history).allSatisfy(row -> assertThat(
                            ContentDigest.of((String) row.get("content")).toString())
                    .isEqualTo(row.get("md5")));
        }
    }

    private static JsonNode manifest(ZipFile zip) throws IOException {
        return JSON.readTree(zip.getInputStream(zip.getEntry("manifest.json")).readAllBytes());
    }

    private static List<String> sections(ZipFile zip) throws IOException {
        List<String> names = new ArrayList<>();
        manifest(zip)
                .path("sections")
                .forEach(section -> names.add(section.path("name").asString("")));
        return names;
    }

    private static List<String> lines(ZipFile zip, String section) throws IOException {
        byte[] text = zip.getInputStream(zip.getEntry(section + ".jsonl")).readAllBytes();
        try (Stream<String> lines = new String(text, UTF_8).lines()) {
            return lines.toList();
        }
    }

    private static List<Map<String, Object>> rows(ZipFile zip, String section) throws IOException {
        List<Map<String, Object>> rows = new ArrayList<>();
        for (String line : lines(zip, section)) {
            rows.add(JSON.readValue(line, new TypeReference<LinkedHashMap<String, Object>>() {}));
        }
        return rows;
    }

    /** By name, whether its values are texts, numbers or flags. */
    private static Map<String, Set<String>> typesOfValues(ZipFile zip, String section) throws IOException {
        Map<String, Set<String>> types = new TreeMap<>();
        for (Map<String, Object> row : rows(zip, section)) {
            row.forEach((name, value) -> types.computeIfAbsent(name, any -> new HashSet<>())
                    .add(value instanceof Number ? "number" : value instanceof String ? "text" : "flag"));
        }
        return types;
    }
}
