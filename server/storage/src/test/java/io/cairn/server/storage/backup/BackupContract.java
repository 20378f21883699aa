package io.cairn.server.storage.backup;

import static io.cairn.server.storage.SampleCommands.publish;
import static io.cairn.server.storage.TestStore.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ConfigType;
import io.cairn.api.config.Namespace;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.auth.Caller;
import io.cairn.server.backup.BackupService;
import io.cairn.server.backup.Manifest;
import io.cairn.server.config.ConfigAttributes;
import io.cairn.server.storage.SampleCommands;
import io.cairn.server.storage.TestDatabase;
import io.cairn.server.storage.TestStore;
import io.cairn.server.storage.access.JdbcAuditStore;
import io.cairn.server.storage.namespace.JdbcCapacityStore;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The content of a full backup of every database, and the result of its restore. */
abstract class BackupContract {

    private static final ConfigKey DEV = new ConfigKey(new Namespace("dev"), "grüppe", "zahlung.yaml");

    @TempDir
    Path folder;

    @TempDir
    Path otherFolder;

    @TempDir
    Path scratch;

    TestStore store;
    /** SQLite in every test. */
    TestStore other;

    /** A database with an up-to-date schema and empty tables. */
    abstract TestDatabase freshDatabase(Path folder) throws Exception;

    @BeforeEach
    void open() throws Exception {
        store = TestStore.start(freshDatabase(folder));
        other = TestStore.start(TestDatabase.sqlite(otherFolder));
        // A whole second, because Nacos's columns on MySQL have that precision.
        store.clock.advance(Duration.ofMillis(322));
        other.clock.advance(Duration.ofMillis(322));
    }

    @AfterEach
    void close() {
        store.close();
        other.close();
    }

    private BackupService backups(TestStore of) {
        JdbcBackupStore tables =
                new JdbcBackupStore(of.writer, of.readers, () -> of.view.reload(of.store::forEachEntry));
        return new BackupService(
                tables,
                new JdbcAuditStore(of.writer, of.readers),
                true,
                () -> {},
                "0.1-test",
                scratch,
                of.clock,
                Runnable::run);
    }

    Path backup(TestStore of) {
        return get(backups(of).create(true, true, Caller.SERVER)).file();
    }

    Manifest restore(TestStore into, Path archive, boolean overwrite) throws Exception {
        Path copy = scratch.resolve("sent.zip");
        Files.copy(archive, copy);
        Manifest manifest = get(backups(into).restore(copy, overwrite, false, Caller.SERVER));
        assertThat(copy).doesNotExist();
        return manifest;
    }

    private static Map<String, String> digests(Manifest manifest) {
        return manifest.sections().stream()
                .filter(section -> !section.name().equals(BackupTable.AUDIT))
                .collect(Collectors.toMap(
                        Manifest.Section::name, section -> section.rows() + " rows, " + section.sha256()));
    }

    private Map<String, String> digests(TestStore of) {
        return digests(get(backups(of).create(true, true, Caller.SERVER)).manifest());
    }

    /** Stores a row of every kind. */
    private static void fill(TestStore store) {
        ConfigAttributes all = new ConfigAttributes(
                ConfigType.YAML, "shop", "about \"it\"\n", "use", "effect", "{}", List.of("red", "blue"), "key==");
        store.publish(publish(DEV, "größe: 1 🚀\r\n\u0000".replace("\u0000", ""), null, all, SampleCommands.ANNA));
        store.publish("a", "1");
        store.publish("a", "2");
        store.publish("gone", "1");
        store.remove(SampleCommands.remove("gone"));
        store.publish(SampleCommands.publishForTag("blue", "a", "2 blue", null));
        store.publish(SampleCommands.publishForLabel("zone = a", "a", "2 for zone a"));
        store.publish("large", "x".repeat(2_000_000));
        store.byHand("INSERT INTO tenant_info (kp, tenant_id, tenant_name, tenant_desc, create_source, gmt_create,"
                + " gmt_modified) VALUES ('1', 'dev', 'Development', NULL, 'nacos', 1, 2)");
        store.byHand("INSERT INTO users (username, password, enabled) VALUES ('anna', '$2a$10$hash', TRUE)");
        store.byHand("INSERT INTO users (username, password, enabled) VALUES ('ben', '$2a$10$hush', FALSE)");
        store.byHand("INSERT INTO cairn_user (username, must_change) VALUES ('anna', 1)");
        store.byHand("INSERT INTO roles (username, role) VALUES ('anna', 'ROLE_ADMIN')");
        store.byHand("INSERT INTO permissions (role, resource, action) VALUES ('dev', 'dev:*:*', 'rw')");
        store.byHand("INSERT INTO cairn_token (id, name, digest, scopes, created_by, created_at, expires_at,"
                + " revoked_at) VALUES ('0011', 'deploy', 'd', 'r *', 'anna', 1, 9000000000000, 0)");
        store.byHand("INSERT INTO cairn_issuer_rule (id, claim, value, role, changed_by, changed_at)"
                + " VALUES ('0022', 'groups', 'platform', 'ROLE_ADMIN', 'anna', 4)");
        store.byHand("INSERT INTO cairn_service (namespace_id, group_name, service_name, settings, changed_at)"
                + " VALUES ('public', 'DEFAULT_GROUP', 'orders', '{}', 5)");
        store.byHand("INSERT INTO cairn_instance (namespace_id, group_name, service_name, ip, port, instance,"
                + " changed_at) VALUES ('public', 'DEFAULT_GROUP', 'orders', '10.0.0.1', 8080, '{}', 6)");
        store.byHand(
                "INSERT INTO cairn_instance_override (namespace_id, group_name, service_name, ip, port,"
                        + " cluster_name, override, changed_at) VALUES ('public', 'g', 's', '10.0.0.2', 80, 'DEFAULT', '{}', 7)");
        store.byHand("INSERT INTO cairn_switch (name, value, changed_at) VALUES ('pushEnabled', 'false', 8)");
        get(new JdbcCapacityStore(store.writer, store.readers)
                .set(
                        io.cairn.server.config.CapacityScope.ofGroup("G"),
                        new io.cairn.server.config.capacity.CapacityChange(5, 6, 7, 8),
                        Caller.SERVER));
    }

    /** Earlier builds refuse sections that they do not know. */
    @Test
    void tablesOfLaterBuildsHaveASectionWhereTheyHaveRows() throws Exception {
        store.publish("a", "1");
        Path archive = backup(store);
        assertThat(digests(store)).doesNotContainKeys(BackupTable.OWN_GRAYS, BackupTable.ISSUER_RULES);
        store.publish(SampleCommands.publishForLabel("zone = a", "a", "2 for zone a"));
        assertThat(digests(store)).containsKey(BackupTable.OWN_GRAYS);

        restore(store, archive, true);

        assertThat(store.column("SELECT count(*) FROM cairn_config_gray")).containsExactly("0");
        assertThat(store.content("a")).isEqualTo("1");
    }

    @Test
    void aRestoredBackupGivesTheSameArchive() throws Exception {
        fill(store);
        Map<String, String> before = digests(store);
        assertThat(before).hasSize(BackupTable.ALL.size() - 1).allSatisfy((section, digest) -> {
            if (!section.equals("namespaceCapacities")) {
                assertThat(digest).as(section).doesNotStartWith("0 rows");
            }
        });

        restore(other, backup(store), false);

        assertThat(digests(other)).isEqualTo(before);
        assertThat(other.content(DEV)).isEqualTo(store.content(DEV));
        assertThat(other.content("large")).hasSize(2_000_000);
        assertThat(other.view.entry(DEV)).isEqualTo(store.view.entry(DEV));
        assertThat(other.announced())
                .extracting(change -> change.key().dataId())
                .contains("a", "zahlung.yaml");

        // New rows there get new numbers.
        other.publish("later", "1");
        other.publish("a", "3");
        assertThat(other.content("a")).isEqualTo("3");
    }

    @Test
    void restoresFromSqliteAndBack() throws Exception {
        fill(other);
        Map<String, String> before = digests(other);

        restore(store, backup(other), false);
        assertThat(digests(store)).isEqualTo(before);
        store.publish("other", "content");
        restore(store, backup(other), true);
        assertThat(store.content("other")).isNull();
        assertThat(store.view.entry(SampleCommands.key("other"))).isNull();
        restore(other, backup(store), true);

        assertThat(digests(other)).isEqualTo(before);
    }

    @Test
    void theArchiveHasTheNodeOfARecordAndNoneForASingleServer() throws Exception {
        store.publish("a", "1");
        try (ZipFile zip = new ZipFile(backup(store).toFile())) {
            // Earlier builds write and read archives without this field.
            assertThat(lines(zip, "audit.jsonl")).isNotEmpty().noneMatch(line -> line.contains("\"node\""));
        }
        store.writer.writesAs("10.0.0.1:8848");
        store.publish("a", "2");

        restore(other, backup(store), false);

        assertThat(other.query("SELECT action, node FROM cairn_audit WHERE target LIKE '%config/a' ORDER BY id"))
                .containsExactly(
                        java.util.Arrays.asList("config.insert", null), List.of("config.update", "10.0.0.1:8848"));
    }

    @Test
    void archivesHaveNoSecretsOrNodesAndARestoreKeepsThem() throws Exception {
        for (TestStore each : List.of(store, other)) {
            String name = each == store ? "secret-of-the-first" : "secret-of-the-second";
            each.byHand("INSERT INTO cairn_secret (name, value, changed_at) VALUES ('group-key', '" + name + "', 1)");
            each.byHand("INSERT INTO cairn_node (address, incarnation, group_port, grpc_port, version, protocol, state,"
                    + " sees, revision, connections, started_at, heartbeat_at) VALUES ('" + name
                    + "', 1, 2, 3, 'v', 1, 'READY', '', 0, 0, 1, 1)");
        }
        store.publish("a", "1");
        Path archive = backup(store);
        try (ZipFile zip = new ZipFile(archive.toFile())) {
            for (ZipEntry entry : zip.stream().toList()) {
                assertThat(lines(zip, entry.getName()))
                        .as(entry.getName())
                        .noneMatch(line -> line.contains("secret-of-the-first"));
            }
        }

        restore(other, archive, true);

        assertThat(other.query("SELECT value FROM cairn_secret")).containsExactly(List.of("secret-of-the-second"));
        assertThat(other.query("SELECT address FROM cairn_node")).containsExactly(List.of("secret-of-the-second"));
    }

    @Test
    void refusesToRestoreIntoAServerWithData() throws Exception {
        fill(store);
        other.publish("b", "1");
        Path archive = backup(store);
        Map<String, String> before = digests(other);

        assertThatThrownBy(() -> restore(other, archive, false))
                .isInstanceOfSatisfying(CairnException.class, refusal -> {
                    assertThat(refusal.code()).isEqualTo(ErrorCode.CONFLICT);
                    assertThat(refusal.text()).contains("configs").contains("overwrite=true");
                });

        assertThat(digests(other)).isEqualTo(before);
        assertThat(other.content("b")).isEqualTo("1");
    }

    @Test
    void refusesADamagedArchiveWithoutChanges() throws Exception {
        fill(store);
        Path archive = backup(store);
        byte[] whole = Files.readAllBytes(archive);
        other.publish("b", "1");
        Map<String, String> before = digests(other);

        for (int length : new int[] {0, 1, 100, whole.length / 2, whole.length - 1}) {
            assertRefused(java.util.Arrays.copyOf(whole, length));
        }
        byte[] damaged = whole.clone();
        damaged[whole.length / 3] ^= 0x55;
        assertRefused(damaged);
        assertRefused(altered(archive, "configs.jsonl", text -> text.replace("größe", "grösse")));
        assertRefused(
                altered(archive, "users.jsonl", text -> text.lines().skip(1).collect(Collectors.joining("\n"))));
        assertRefused(altered(archive, "roles.jsonl", text -> null));
        assertRefused(altered(archive, "manifest.json", text -> text.replace("\"version\" : 1", "\"version\" : 2")));
        assertRefused(altered(archive, "manifest.json", text -> null));
        // A valid archive with conflicting rows: the conflict is found half way, and the restore is rolled back.
        String two = "{\"username\":\"anna\",\"password\":\"x\",\"enabled\":true}\n".repeat(2);
        Path signed = scratch.resolve("signed.zip");
        Files.write(signed, altered(archive, "users.jsonl", text -> two));
        assertRefused(altered(
                signed,
                "manifest.json",
                text -> text.replaceAll(
                        "(\"name\" : \"users\",\\s+\"rows\" : )\\d+(,\\s+\"sha256\" : )\"[^\"]+\"",
                        "$12$2\"" + sha256(two) + '"')));

        assertThat(digests(other)).isEqualTo(before);
        assertThat(other.content("b")).isEqualTo("1");
        assertThat(other.publish("b", "2").before()).isPresent();
    }

    private void assertRefused(byte[] archive) throws Exception {
        Path file = scratch.resolve("refused.zip");
        Files.write(file, archive);
        assertThatThrownBy(() -> get(backups(other).restore(file, true, false, Caller.SERVER)))
                .isInstanceOf(CairnException.class);
        assertThat(file).doesNotExist();
    }

    private interface Change {
        String of(String text);
    }

    private static byte[] altered(Path archive, String name, Change change) throws Exception {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        AtomicBoolean isChanged = new AtomicBoolean();
        try (ZipFile zip = new ZipFile(archive.toFile());
                ZipOutputStream copy = new ZipOutputStream(out)) {
            for (ZipEntry entry : zip.stream().toList()) {
                String text = new String(zip.getInputStream(entry).readAllBytes(), StandardCharsets.UTF_8);
                String now = entry.getName().equals(name) ? change.of(text) : text;
                isChanged.compareAndSet(false, !text.equals(now));
                if (now != null) {
                    copy.putNextEntry(new ZipEntry(entry.getName()));
                    copy.write(now.getBytes(StandardCharsets.UTF_8));
                }
            }
        }
        assertThat(isChanged).as("%s has been changed", name).isTrue();
        return out.toByteArray();
    }

    private static String sha256(String text) {
        try {
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (java.security.NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void aBackupIsConsistentDuringPublishes() throws Exception {
        store.publish("z-first", "x".repeat(500_000));
        AtomicBoolean isEnough = new AtomicBoolean();
        AtomicInteger published = new AtomicInteger();
        CompletableFuture<Void> publishing = CompletableFuture.runAsync(() -> {
            for (int i = 1; !isEnough.get(); i++) {
                store.publish("first", Integer.toString(i));
                store.publish("second", Integer.toString(i));
                published.set(i);
            }
        });
        await().until(() -> published.get() > 5);
        for (int i = 0; i < 10; i++) {
            int before = published.get();
            Path archive = backup(store);
            Map<String, Integer> contents = new LinkedHashMap<>();
            long former;
            try (ZipFile zip = new ZipFile(archive.toFile())) {
                for (String line : lines(zip, "configs.jsonl")) {
                    for (String name : List.of("first", "second")) {
                        if (line.contains("\"data_id\":\"" + name + '"')) {
                            contents.put(name, Integer.parseInt(line.replaceAll(".*\"content\":\"(\\d+)\".*", "$1")));
                        }
                    }
                }
                former = lines(zip, "history.jsonl").stream()
                        .filter(line -> line.contains("\"data_id\":\"first\""))
                        .count();
            }
            assertThat(contents.get("first") - contents.get("second")).isBetween(0, 1);
            assertThat(former).isEqualTo(contents.get("first").longValue());
            assertThat(contents.get("second")).isGreaterThanOrEqualTo(before);
            int now = published.get();
            await().until(() -> published.get() > now);
        }
        isEnough.set(true);
        publishing.join();
    }

    private static List<String> lines(ZipFile zip, String name) throws Exception {
        return new String(zip.getInputStream(zip.getEntry(name)).readAllBytes(), StandardCharsets.UTF_8)
                .lines()
                .toList();
    }
}
