package io.cairn.server.storage.config;

import static io.cairn.server.storage.SampleCommands.ANNA;
import static io.cairn.server.storage.SampleCommands.PLAIN;
import static io.cairn.server.storage.SampleCommands.compareAndSet;
import static io.cairn.server.storage.SampleCommands.key;
import static io.cairn.server.storage.SampleCommands.md5;
import static io.cairn.server.storage.SampleCommands.publish;
import static io.cairn.server.storage.SampleCommands.publishForTag;
import static io.cairn.server.storage.SampleCommands.remove;
import static io.cairn.server.storage.SampleCommands.removeForTag;
import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ConfigType;
import io.cairn.api.config.ContentDigest;
import io.cairn.api.config.Namespace;
import io.cairn.server.change.ConfigChanged;
import io.cairn.server.config.Author;
import io.cairn.server.config.ConfigAttributes;
import io.cairn.server.config.ConfigEntry;
import io.cairn.server.config.ConfigVersion;
import io.cairn.server.config.GrayRule;
import io.cairn.server.config.PublishConfig;
import io.cairn.server.config.PublishResult;
import io.cairn.server.config.RemoveConfig;
import io.cairn.server.gray.GrayClient;
import io.cairn.server.storage.SampleCommands;
import io.cairn.server.storage.TestDatabase;
import io.cairn.server.storage.TestStore;
import io.cairn.server.storage.database.SchemaVersion;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

/** The behavior of every store of configurations, on every database. */
abstract class ConfigStoreContract {

    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final String HISTORY =
            "SELECT op_type, content, md5, src_user, src_ip, app_name, publish_type, gray_name, encrypted_data_key"
                    + " FROM his_config_info WHERE data_id = ? ORDER BY nid";

    @TempDir
    Path folder;

    private TestStore store;

    /** A database with an up-to-date schema and empty tables. */
    abstract TestDatabase freshDatabase(Path folder) throws Exception;

    @BeforeEach
    void open() throws Exception {
        store = TestStore.start(freshDatabase(folder));
    }

    @AfterEach
    void close() {
        store.close();
    }

    @Test
    void storesAPublishedConfiguration() {
        ConfigChanged change = store.publish("a.yaml", "a: 1");

        assertThat(change.key()).isEqualTo(key("a.yaml"));
        assertThat(change.before()).isEmpty();
        assertThat(change.now()).contains(ContentDigest.of("a: 1"));
        assertThat(change.contentDiffers()).isTrue();
        assertThat(store.content("a.yaml")).isEqualTo("a: 1");
        assertThat(store.column("SELECT md5 FROM config_info")).containsExactly(md5("a: 1"));
    }

    @Test
    void aSecondPublishReplacesTheContentOfTheSameRow() {
        store.publish("a.yaml", "a: 1");
        List<String> ids = store.column("SELECT id FROM config_info");

        ConfigChanged change = store.publish("a.yaml", "a: 2");

        assertThat(change.before()).contains(ContentDigest.of("a: 1"));
        assertThat(change.now()).contains(ContentDigest.of("a: 2"));
        assertThat(store.content("a.yaml")).isEqualTo("a: 2");
        assertThat(store.column("SELECT id FROM config_info")).isEqualTo(ids);
        assertThat(store.column("SELECT md5 FROM config_info")).containsExactly(md5("a: 2"));
    }

    @Test
    void publishingTheSameContentIsRecordedAsAChangeWithoutDifference() {
        store.publish("a.yaml", "a: 1");
        long before = store.load(key("a.yaml")).orElseThrow().entry().lastModifiedMillis();
        store.clock.advance(Duration.ofMinutes(1));

        ConfigChanged change = store.publish("a.yaml", "a: 1");

        assertThat(change.contentDiffers()).isFalse();
        assertThat(change.revision()).isEqualTo(2);
        assertThat(store.load(key("a.yaml")).orElseThrow().entry().lastModifiedMillis())
                .isEqualTo(before + 60_000);
        assertThat(store.column("SELECT op_type FROM his_config_info ORDER BY nid"))
                .containsExactly("I", "U");
        assertThat(store.announced()).extracting(ConfigChanged::revision).containsExactly(1L);
    }

    @Test
    void allPartsOfTheKeyAreCaseSensitive() {
        List<ConfigKey> keys = List.of(
                new ConfigKey(new Namespace("dev"), "group", "id"),
                new ConfigKey(new Namespace("Dev"), "group", "id"),
                new ConfigKey(new Namespace("dev"), "Group", "id"),
                new ConfigKey(new Namespace("dev"), "group", "Id"));

        for (ConfigKey key : keys) {
            assertThat(store.publish(publish(key, "of " + key)).before()).isEmpty();
        }

        for (ConfigKey key : keys) {
            assertThat(store.content(key)).isEqualTo("of " + key);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void storesAPublishThatExpectsTheStoredMd5(boolean inCapitals) {
        store.publish("a.yaml", "a: 1");
        String expected = inCapitals ? md5("a: 1").toUpperCase(Locale.ROOT) : md5("a: 1");

        ConfigChanged change = TestStore.published(store.tryToPublish(compareAndSet("a.yaml", "a: 2", expected)));

        assertThat(change.before()).contains(ContentDigest.of("a: 1"));
        assertThat(store.content("a.yaml")).isEqualTo("a: 2");
    }

    @Test
    void refusesAPublishThatExpectsAnotherMd5WithoutWriting() {
        store.publish("a.yaml", "a: 1");

        PublishResult result = store.tryToPublish(compareAndSet("a.yaml", "a: 2", md5("a: 0")));

        assertThat(result).isEqualTo(new PublishResult.Conflict(Optional.of(ContentDigest.of("a: 1"))));
        assertThat(store.content("a.yaml")).isEqualTo("a: 1");
        assertThat(store.column("SELECT op_type FROM his_config_info")).containsExactly("I");
        assertThat(store.column("SELECT revision FROM cairn_change")).containsExactly("1");
        assertThat(store.column("SELECT value FROM cairn_revision")).containsExactly("1");
        assertThat(store.announced()).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"x", "0", "3f6d", "not-a-digest-but-thirty-two-long", "%", "' OR '1'='1"})
    void refusesAPublishThatExpectsAnInvalidMd5(String expected) {
        store.publish("a.yaml", "a: 1");

        PublishResult result = store.tryToPublish(compareAndSet("a.yaml", "a: 2", expected));

        assertThat(result).isInstanceOf(PublishResult.Conflict.class);
        assertThat(store.content("a.yaml")).isEqualTo("a: 1");
    }

    @Test
    void storesAMissingConfigurationWithAnyExpectedMd5() {
        ConfigChanged change = store.publish(compareAndSet("a.yaml", "a: 1", md5("something else")));

        assertThat(change.before()).isEmpty();
        assertThat(store.content("a.yaml")).isEqualTo("a: 1");
    }

    @Test
    void oneOfManyPublishesThatExpectTheSameMd5IsStored() throws Exception {
        store.publish("a.yaml", "start");
        List<PublishResult> results = inParallel(IntStream.range(0, 8)
                .<Callable<PublishResult>>mapToObj(
                        i -> () -> store.tryToPublish(compareAndSet("a.yaml", "by " + i, md5("start"))))
                .toList());

        List<PublishResult> stored = results.stream()
                .filter(PublishResult.Published.class::isInstance)
                .toList();
        assertThat(stored).hasSize(1);
        ContentDigest winner = TestStore.published(stored.get(0)).now().orElseThrow();
        assertThat(store.load(key("a.yaml")).orElseThrow().entry().digest()).isEqualTo(winner);
        assertThat(results).filteredOn(PublishResult.Conflict.class::isInstance).hasSize(7);
    }

    @Test
    void attributesAreStoredWithTheContent() {
        store.publish(publish(
                "a.yaml",
                "a: 1",
                new ConfigAttributes(
                        ConfigType.YAML, "shop", "about", "test", "all", "{}", List.of("t1", "t2"), "cipher")));

        assertThat(store.query("SELECT type, app_name, c_desc, c_use, effect, c_schema, encrypted_data_key, src_user,"
                        + " src_ip FROM config_info"))
                .containsExactly(List.of("yaml", "shop", "about", "test", "all", "{}", "cipher", "anna", "10.0.0.9"));
        assertThat(tags("a.yaml")).containsExactly("t1", "t2");
        ConfigEntry entry = store.load(key("a.yaml")).orElseThrow().entry();
        assertThat(entry.type()).isEqualTo(ConfigType.YAML);
        assertThat(entry.encryptedDataKey()).isEqualTo("cipher");
        assertThat(entry.lastModifiedMillis()).isEqualTo(store.storedTime());
    }

    @Test
    void aMissingAppNameKeepsTheStoredOne() {
        store.publish(publish("a.yaml", "a: 1", withAppName("shop")));
        store.publish(publish("a.yaml", "a: 2", withAppName(null)));
        assertThat(store.column("SELECT app_name FROM config_info")).containsExactly("shop");

        store.publish(publish("a.yaml", "a: 3", withAppName("till")));
        assertThat(store.column("SELECT app_name FROM config_info")).containsExactly("till");

        store.publish(publish("b.yaml", "b: 1", withAppName(null)));
        assertThat(store.column("SELECT app_name FROM config_info WHERE data_id = 'b.yaml'"))
                .containsExactly("");
    }

    @Test
    void missingTagsKeepTheStoredOnesAndGivenOnesReplaceThem() {
        store.publish(publish("a.yaml", "a: 1", withTags(List.of("t1", "t2"))));
        store.publish(publish("a.yaml", "a: 2", withTags(null)));
        assertThat(tags("a.yaml")).containsExactly("t1", "t2");

        store.publish(publish("a.yaml", "a: 3", withTags(List.of("t2", "t3"))));
        assertThat(tags("a.yaml")).containsExactly("t2", "t3");

        store.publish(publish("a.yaml", "a: 4", withTags(List.of())));
        assertThat(tags("a.yaml")).isEmpty();
    }

    @Test
    void missingValuesOverwriteAllOtherAttributesExceptTheSchema() {
        store.publish(publish(
                "a.yaml",
                "a: 1",
                new ConfigAttributes(ConfigType.YAML, "shop", "about", "test", "all", "{}", null, "cipher")));

        store.publish(publish(key("a.yaml"), "a: 2", null, PLAIN, new Author(null, "10.0.0.10")));

        assertThat(store.query("SELECT type, c_desc, c_use, effect, c_schema, encrypted_data_key, src_user, src_ip"
                        + " FROM config_info"))
                .containsExactly(Arrays.asList("text", null, null, null, "{}", "", null, "10.0.0.10"));
    }

    @Test
    void aSchemaStaysUntilItIsReplacedOrABlankOneRemovesIt() {
        for (String[] givenAndStored : new String[][] {
            {" ", null}, {"{}", "{}"}, {null, "{}"}, {"true", "true"}, {null, "true"}, {" ", null}, {null, null}
        }) {
            store.publish(publish(
                    "a.yaml",
                    "a: 1",
                    new ConfigAttributes(ConfigType.YAML, null, null, null, null, givenAndStored[0], null, "")));

            assertThat(store.column("SELECT c_schema FROM config_info"))
                    .as("after %s", givenAndStored[0])
                    .containsExactly(givenAndStored[1]);
        }
    }

    @Test
    void theHistoryKeepsTheNewContentOfAnInsertAndThePreviousOneOfAnUpdateAndADelete() {
        Author ben = new Author("ben", "10.0.0.10");
        Author nobody = new Author(null, "10.0.0.11");
        store.publish(publish(
                "a.yaml", "a: 1", new ConfigAttributes(ConfigType.YAML, "shop", "d", null, null, null, null, "k1")));
        store.publish(publish(key("a.yaml"), "a: 2", null, PLAIN, ben));
        store.remove(remove(key("a.yaml"), nobody));

        assertThat(store.query(HISTORY, "a.yaml"))
                .extracting(row -> row.subList(0, 7))
                .containsExactly(
                        List.of("I", "a: 1", md5("a: 1"), "anna", "10.0.0.9", "shop", "formal"),
                        List.of("U", "a: 1", md5("a: 1"), "ben", "10.0.0.10", "shop", "formal"),
                        Arrays.asList("D", "a: 2", md5("a: 2"), null, "10.0.0.11", "shop", "formal"));
        assertThat(store.query(HISTORY, "a.yaml")).extracting(row -> row.get(8)).containsExactly("k1", "k1", "");
    }

    @Test
    void aHistoryRowNamesTheConfigurationItIsOf() {
        ConfigKey key = new ConfigKey(new Namespace("dev"), "SHOP", "a.yaml");
        store.publish(publish(key, "a: 1"));
        String id = store.column("SELECT id FROM config_info").get(0);
        store.publish(publish(key, "a: 2"));
        store.remove(remove(key, ANNA));

        assertThat(store.query("SELECT id, data_id, group_id, tenant_id FROM his_config_info"))
                .hasSize(3)
                .containsOnly(List.of(id, "a.yaml", "SHOP", "dev"));
    }

    @Test
    void theHistoryKeepsTheAttributesThatBelongToItsContent() {
        store.publish(publish(
                "a.yaml",
                "a: 1",
                new ConfigAttributes(ConfigType.YAML, null, "say \"hi\"\n", "use", "effect", "{\"a\":1}", null, "")));
        store.publish(publish(
                key("a.yaml"),
                "a: 2",
                null,
                ConfigAttributes.ofType(ConfigType.PROPERTIES),
                new Author("ben", "10.0.0.10")));
        store.remove(remove("a.yaml"));

        Map<String, String> first = Map.of(
                "type", "yaml",
                "src_user", "anna",
                "c_desc", "say \"hi\"\n",
                "c_use", "use",
                "effect", "effect",
                "c_schema", "{\"a\":1}");
        assertThat(store.column("SELECT ext_info FROM his_config_info ORDER BY nid"))
                .extracting(text -> JSON.readValue(text, Map.class))
                .containsExactly(
                        first, first, Map.of("type", "properties", "src_user", "ben", "c_schema", "{\"a\":1}"));
    }

    @Test
    void theHistoryKeepsTheTagsThatBelongToItsContent() {
        store.publish(publish("a.yaml", "a: 1", withTags(List.of("t1", "t2"))));
        store.publish(publish("a.yaml", "a: 2", withTags(null)));
        store.publish(publish("a.yaml", "a: 3", withTags(List.of("t3"))));
        store.publish(publish("a.yaml", "a: 4", withTags(List.of())));
        store.remove(remove("a.yaml"));

        assertThat(store.column("SELECT ext_info FROM his_config_info ORDER BY nid"))
                .extracting(text -> JSON.readValue(text, Map.class).get("config_tags"))
                .containsExactly("t1,t2", "t1,t2", "t1,t2", "t3", null);
    }

    @Test
    void everyChangeIsLoggedWithTheNextRevision() {
        ConfigKey other = new ConfigKey(new Namespace("dev"), "SHOP", "b.yaml");
        List<Long> revisions = new ArrayList<>();
        revisions.add(store.publish("a.yaml", "a: 1").revision());
        revisions.add(store.publish(publish(other, "b: 1")).revision());
        revisions.add(store.publish("a.yaml", "a: 2").revision());
        revisions.add(store.remove(remove("a.yaml")).orElseThrow().revision());

        assertThat(revisions).containsExactly(1L, 2L, 3L, 4L);
        assertThat(store.query("SELECT revision, kind, op_type, tenant_id, group_id, data_id, md5, changed_at"
                        + " FROM cairn_change ORDER BY revision"))
                .containsExactly(
                        change(1, "I", "", "DEFAULT_GROUP", "a.yaml", md5("a: 1")),
                        change(2, "I", "dev", "SHOP", "b.yaml", md5("b: 1")),
                        change(3, "U", "", "DEFAULT_GROUP", "a.yaml", md5("a: 2")),
                        change(4, "D", "", "DEFAULT_GROUP", "a.yaml", null));
        assertThat(store.column("SELECT value FROM cairn_revision")).containsExactly("4");
    }

    private List<String> change(int revision, String operation, String tenant, String group, String id, String md5) {
        return Arrays.asList(
                Integer.toString(revision),
                "config",
                operation,
                tenant,
                group,
                id,
                md5,
                Long.toString(store.clock.millis()));
    }

    @Test
    void revisionsAreGaplessAndInCommitOrderWithConcurrentWriters() throws Exception {
        int writers = 6;
        int each = 60;
        List<List<ConfigChanged>> ofWriters = inParallel(IntStream.range(0, writers)
                .<Callable<List<ConfigChanged>>>mapToObj(writer -> () -> changesOf(writer, each))
                .toList());

        List<ConfigChanged> all = new ArrayList<>();
        for (List<ConfigChanged> ofOne : ofWriters) {
            assertThat(ofOne).extracting(ConfigChanged::revision).isSorted();
            all.addAll(ofOne);
        }
        all.sort(Comparator.comparingLong(ConfigChanged::revision));
        assertThat(all)
                .extracting(ConfigChanged::revision)
                .containsExactlyElementsOf(
                        LongStream.rangeClosed(1, all.size()).boxed().toList());
        assertThat(store.query("SELECT revision, data_id, md5 FROM cairn_change ORDER BY revision"))
                .containsExactlyElementsOf(all.stream()
                        .map(change -> Arrays.asList(
                                Long.toString(change.revision()),
                                change.key().dataId(),
                                change.now().map(ContentDigest::toString).orElse(null)))
                        .toList());
        assertThat(store.announced())
                .as("changes are announced in commit order")
                .extracting(ConfigChanged::revision)
                .isSorted()
                .doesNotHaveDuplicates();
        Map<ConfigKey, Optional<ContentDigest>> present = new HashMap<>();
        for (ConfigChanged change : all) {
            assertThat(change.before())
                    .as("the content replaced by change %d", change.revision())
                    .isEqualTo(present.getOrDefault(change.key(), Optional.empty()));
            present.put(change.key(), change.now());
        }
        present.forEach((key, digest) -> assertThat(store.load(key).map(ConfigVersion::entry))
                .map(ConfigEntry::digest)
                .as("stored %s", key)
                .isEqualTo(digest));
        assertThat(store.column("SELECT count(*) FROM his_config_info")).containsExactly(Integer.toString(all.size()));
    }

    /** Publishes and removes a few keys that other writers also use. */
    private List<ConfigChanged> changesOf(int writer, int count) {
        List<ConfigChanged> changes = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            String dataId = "shared-" + i % 3;
            if (i % 5 == 4) {
                store.remove(remove(dataId)).ifPresent(changes::add);
            } else {
                changes.add(store.publish(dataId, writer + ": " + i));
            }
        }
        return changes;
    }

    @Test
    void theChangeLogKeepsTheLastHundredThousandChanges() {
        store.byHand("UPDATE cairn_revision SET value = 100998");
        for (int revision : new int[] {1, 998, 999, 1000, 1001}) {
            store.byHand(
                    "INSERT INTO cairn_change (revision, batch, kind, op_type, tenant_id, group_id, data_id,"
                            + " changed_at) VALUES (?, 1, 'config', 'U', '', 'g', 'd', 0)",
                    revision);
        }

        assertThat(store.publish("a.yaml", "a: 1").revision()).isEqualTo(100_999);
        assertThat(store.column("SELECT count(*) FROM cairn_change")).containsExactly("6");
        assertThat(store.publish("a.yaml", "a: 2").revision()).isEqualTo(101_000);

        assertThat(store.column("SELECT revision FROM cairn_change ORDER BY revision"))
                .containsExactly("1001", "100999", "101000");
    }

    @Test
    void removesAConfigurationWithItsTags() {
        store.publish(publish("a.yaml", "a: 1", withTags(List.of("t1"))));
        store.publish(publish("b.yaml", "b: 1", withTags(List.of("t1"))));

        Optional<ConfigChanged> change = store.remove(remove("a.yaml"));

        assertThat(change).isPresent();
        assertThat(change.orElseThrow().before()).contains(ContentDigest.of("a: 1"));
        assertThat(change.orElseThrow().now()).isEmpty();
        assertThat(store.load(key("a.yaml"))).isEmpty();
        assertThat(tags("a.yaml")).isEmpty();
        assertThat(tags("b.yaml")).containsExactly("t1");
        assertThat(store.entries()).extracting(ConfigEntry::key).containsExactly(key("b.yaml"));
    }

    @Test
    void removingAMissingConfigurationIsNoChange() {
        store.publish("a.yaml", "a: 1");

        assertThat(store.remove(remove("b.yaml"))).isEmpty();
        assertThat(store.remove(remove(new ConfigKey(new Namespace("dev"), "DEFAULT_GROUP", "a.yaml"), ANNA)))
                .isEmpty();

        assertThat(store.content("a.yaml")).isEqualTo("a: 1");
        assertThat(store.column("SELECT op_type FROM his_config_info")).containsExactly("I");
        assertThat(store.column("SELECT revision FROM cairn_change")).containsExactly("1");
        assertThat(store.announced()).hasSize(1);
    }

    @Test
    void aRemovedConfigurationCanBePublishedAgain() {
        store.publish(publish("a.yaml", "a: 1", withTags(List.of("old"))));
        store.remove(remove("a.yaml"));

        ConfigChanged change = store.publish("a.yaml", "a: 1");

        assertThat(change.before()).isEmpty();
        assertThat(store.content("a.yaml")).isEqualTo("a: 1");
        assertThat(tags("a.yaml")).isEmpty();
        assertThat(store.column("SELECT op_type FROM his_config_info ORDER BY nid"))
                .containsExactly("I", "D", "I");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Größe: 配置中心 — конфигурация — إعدادات",
                "emoji 🚀👩‍👩‍👧‍👦🇩🇪, beyond the first plane \uD834\uDD1E\uD840\uDC00",
                "e\u0301 and \u00e9 are different, \uFEFF\u200B\u2028\u2029\uFFFD\uFFFF stay",
                "\u0001\u0002\u0007\b\t\u000B\f\u001B[31m\u001F\u007F\u0080\u009F",
                "line\nline\r\nline\rend\n\n",
                "  leading and trailing blanks \t ",
                "'; DROP TABLE config_info; -- \\ \" ` ? :x $1 %s {} \\u0000",
            })
    void contentsAreReadBackByteForByte(String content) {
        store.publish("a.txt", content);

        ConfigVersion version = store.load(key("a.txt")).orElseThrow();

        assertThat(new String(version.utf8(), StandardCharsets.UTF_8)).isEqualTo(content);
        assertThat(version.entry().digest()).isEqualTo(ContentDigest.of(content));
        assertThat(store.column("SELECT content FROM his_config_info")).containsExactly(content);
    }

    @Test
    void aContentOfTenMebibytesIsReadBackByteForByte() {
        String line = "0123456789 äöü 配置 🚀\n";
        int lineBytes = line.getBytes(StandardCharsets.UTF_8).length;
        int size = 10 * 1024 * 1024;
        String content = line.repeat(size / lineBytes) + "x".repeat(size % lineBytes);

        store.publish("large.txt", content);
        store.publish("large.txt", "small");
        store.publish("large.txt", content);

        ConfigVersion version = store.load(key("large.txt")).orElseThrow();
        assertThat(version.utf8()).hasSize(size);
        assertThat(version.entry().digest()).isEqualTo(ContentDigest.of(content));
        assertThat(ContentDigest.of(version.utf8())).isEqualTo(ContentDigest.of(content));
    }

    @Test
    void contentsThatAreReadTogetherAreThoseOfTheAskedVersions() {
        List<String> names = IntStream.range(0, 100).mapToObj(i -> "c" + i).toList();
        names.forEach(name -> store.publish(name, name + ": größe 配置 🚀"));
        ConfigEntry stale = store.view.entry(key("c7"));
        store.publish("c7", "another");
        store.publish("empty", "");
        store.remove(remove(key("c9"), ANNA));
        ConfigEntry removed =
                new ConfigEntry(key("c9"), ContentDigest.of("c9: größe 配置 🚀"), ConfigType.TEXT, 0, "", null);
        List<ConfigEntry> asked = new ArrayList<>(List.of(stale, removed));
        names.stream().filter(name -> !name.equals("c9")).forEach(name -> asked.add(store.view.entry(key(name))));

        Map<ConfigEntry, ConfigVersion> found = store.store.loadTogether(asked);

        assertThat(found).doesNotContainKeys(stale, removed).hasSize(99);
        found.forEach((entry, version) -> {
            assertThat(version.entry()).isSameAs(entry);
            assertThat(ContentDigest.of(version.utf8())).isEqualTo(entry.digest());
        });
        ConfigEntry single = store.view.entry(key("c8"));
        assertThat(store.store.loadTogether(List.of(single)).get(single).utf8())
                .asString()
                .isEqualTo("c8: größe 配置 🚀");
        assertThat(store.store.loadTogether(List.of(removed))).isEmpty();
    }

    @Test
    void contentsAreReadFromTheirRowsAsLongAsTheseAreThoseOfTheVersion() {
        List.of("a", "b", "c", "d").forEach(name -> store.publish(name, "of " + name));
        Map<ConfigKey, ConfigEntry> listed = new HashMap<>();
        store.store.forEachEntry(entry -> listed.put(entry.key(), entry));
        ConfigEntry known = listed.get(key("a"));
        assertThat(known).isEqualTo(store.view.entry(key("a"))).hasSameHashCodeAs(store.view.entry(key("a")));
        assertThat(known.row()).isPositive();
        store.publish("b", "another");
        store.remove(remove(key("c"), ANNA));
        store.publish("c", "of c, again");
        ConfigEntry misplaced = new ConfigEntry(
                key("d"),
                ContentDigest.of("of d"),
                ConfigType.TEXT,
                store.view.entry(key("d")).lastModifiedMillis(),
                "",
                null,
                known.row());
        ConfigEntry otherwise = listed.get(key("b"));
        ConfigEntry gone = listed.get(key("c"));

        Map<ConfigEntry, ConfigVersion> found = store.store.loadTogether(List.of(known, otherwise, gone, misplaced));

        assertThat(found).containsOnlyKeys(known, misplaced);
        assertThat(found.get(known).utf8()).asString().isEqualTo("of a");
        assertThat(found.get(misplaced).utf8()).asString().isEqualTo("of d");
    }

    @Test
    void aLargeContentDoesNotKeepTheOthersFromBeingReadTogether() {
        store.publish("small", "1");
        store.publish("large", "x".repeat(5 << 20));
        store.publish("small too", "2");
        List<ConfigEntry> asked = Stream.of("small", "large", "small too")
                .map(name -> store.view.entry(key(name)))
                .toList();

        Map<ConfigEntry, ConfigVersion> found = store.store.loadTogether(asked);

        assertThat(found).containsKey(asked.get(0));
        found.forEach(
                (entry, version) -> assertThat(ContentDigest.of(version.utf8())).isEqualTo(entry.digest()));
    }

    @Test
    void theDefaultNamespaceIsStoredAsTheEmptyText() {
        store.publish(publish(new ConfigKey(Namespace.ofNullable("public"), "g", "a"), "1"));
        store.publish(publish(new ConfigKey(Namespace.ofNullable(""), "g", "b"), "2"));
        store.remove(remove(new ConfigKey(Namespace.ofNullable(null), "g", "b"), ANNA));

        assertThat(store.column("SELECT tenant_id FROM config_info")).containsExactly("");
        assertThat(store.column("SELECT tenant_id FROM his_config_info")).containsOnly("");
        assertThat(store.column("SELECT tenant_id FROM cairn_change")).containsOnly("");
        assertThat(store.entries()).extracting(entry -> entry.key().namespace()).containsExactly(Namespace.DEFAULT);
    }

    @Test
    void theSameNamesInTwoNamespacesAreTwoConfigurations() {
        ConfigKey inDev = new ConfigKey(new Namespace("dev"), ConfigKey.DEFAULT_GROUP, "a.yaml");
        store.publish("a.yaml", "default");
        store.publish(publish(inDev, "dev"));

        store.remove(remove("a.yaml"));

        assertThat(store.load(key("a.yaml"))).isEmpty();
        assertThat(store.content(inDev)).isEqualTo("dev");
    }

    @Test
    void theListOfEntriesHoldsEveryConfigurationAsLoaded() {
        store.publish(publish(
                "a.yaml", "a: 1", new ConfigAttributes(ConfigType.YAML, null, null, null, null, null, null, "k")));
        store.clock.advance(Duration.ofSeconds(5));
        store.publish("b.txt", "b");
        store.publish("gone.txt", "c");
        store.remove(remove("gone.txt"));

        assertThat(store.entries())
                .containsExactlyInAnyOrder(
                        store.load(key("a.yaml")).orElseThrow().entry(),
                        store.load(key("b.txt")).orElseThrow().entry());
        assertThat(store.entries())
                .as("a restart reads the same as was shown after the publish")
                .containsExactlyInAnyOrder(store.view.entry(key("a.yaml")), store.view.entry(key("b.txt")));
    }

    @Test
    void anEmptyStoreHasNoEntries() {
        assertThat(store.entries()).isEmpty();
        assertThat(store.load(key("a.yaml"))).isEmpty();
    }

    @Test
    void readsDuringConcurrentWrites() throws Exception {
        store.publish("a.yaml", "0");
        List<Callable<Boolean>> work = new ArrayList<>(Collections.nCopies(3, () -> {
            for (int i = 0; i < 100; i++) {
                ConfigVersion version = store.load(key("a.yaml")).orElseThrow();
                assertThat(ContentDigest.of(version.utf8()))
                        .isEqualTo(version.entry().digest());
                assertThat(store.entries()).hasSize(1);
            }
            return true;
        }));
        work.add(() -> {
            for (int i = 1; i <= 50; i++) {
                store.publish("a.yaml", Integer.toString(i));
            }
            return true;
        });

        assertThat(inParallel(work)).containsOnly(true);
        assertThat(store.content("a.yaml")).isEqualTo("50");
    }

    @Test
    void aGrayReleaseIsStoredBesideTheFormalContent() {
        store.publish("a.yaml", "for all");

        ConfigChanged change = store.publish(publishForTag("blue", "a.yaml", "for blue", null));

        assertThat(change.before()).isEmpty();
        assertThat(change.revision()).isEqualTo(2);
        assertThat(store.content("a.yaml")).isEqualTo("for all");
        assertThat(store.column("SELECT md5 FROM config_info")).containsExactly(md5("for all"));
        ConfigEntry gray = store.entries().stream()
                .filter(entry -> entry.gray() != null)
                .findFirst()
                .orElseThrow();
        assertThat(gray.gray().tag()).isEqualTo("blue");
        assertThat(gray.digest()).isEqualTo(ContentDigest.of("for blue"));
        assertThat(gray)
                .as("a restart reads the same as was shown after the publish")
                .isEqualTo(store.view.grayEntry(key("a.yaml"), new GrayClient("10.0.0.1", "blue")));
        assertThat(store.store.load(gray).orElseThrow().utf8()).asString().isEqualTo("for blue");
    }

    @Test
    void theHistoryAndTheChangeLogContainGrayReleases() {
        store.publish(publishForTag("blue", "a.yaml", "1", null));
        store.publish(publishForTag("blue", "a.yaml", "2", null));
        store.remove(removeForTag("blue", "a.yaml"));

        assertThat(store.query(HISTORY, "a.yaml"))
                .extracting(row -> List.of(row.get(0), row.get(1), row.get(6), row.get(7)))
                .containsExactly(
                        List.of("I", "1", "gray", "tag_blue"),
                        List.of("U", "1", "gray", "tag_blue"),
                        List.of("D", "2", "gray", "tag_blue"));
        assertThat(store.column("SELECT ext_info FROM his_config_info"))
                .extracting(text -> JSON.readValue(text, Map.class).get("gray_name"))
                .containsOnly("tag_blue");
        assertThat(store.query("SELECT kind, op_type, md5 FROM cairn_change ORDER BY revision"))
                .containsExactly(
                        List.of("gray", "I", md5("1")),
                        List.of("gray", "U", md5("2")),
                        Arrays.asList("gray", "D", null));
        assertThat(store.entries()).isEmpty();
    }

    @Test
    void theHistoryStoresTheLongestNameOfAGrayRelease() {
        String name = "n".repeat(100);
        PublishConfig forBlue = publishForTag("blue", "a.yaml", "1", null);
        GrayRule rule = GrayRule.read(name, forBlue.gray().toJson());
        TestStore.published(TestStore.get(store.store.publish(new PublishConfig(
                forBlue.key(), forBlue.utf8(), forBlue.digest(), null, forBlue.attributes(), rule, forBlue.by()))));
        TestStore.get(store.store.remove(new RemoveConfig(key("a.yaml"), name, forBlue.by())));

        assertThat(store.column("SELECT gray_name FROM his_config_info"))
                .hasSize(2)
                .containsOnly("n".repeat(50));
        assertThat(store.column("SELECT ext_info FROM his_config_info"))
                .allSatisfy(text -> assertThat(text).contains(name));
    }

    @Test
    void aGrayReleaseIsComparedWithItsOwnContent() {
        store.publish("a.yaml", "for all");
        store.publish(publishForTag("blue", "a.yaml", "1", md5("anything")));

        assertThat(store.tryToPublish(publishForTag("blue", "a.yaml", "2", md5("for all"))))
                .isEqualTo(new PublishResult.Conflict(Optional.of(ContentDigest.of("1"))));
        assertThat(TestStore.published(store.tryToPublish(publishForTag("blue", "a.yaml", "2", md5("1"))))
                        .before())
                .contains(ContentDigest.of("1"));
        store.byHand("UPDATE config_info_gray SET md5 = NULL");
        assertThat(store.tryToPublish(publishForTag("blue", "a.yaml", "3", md5("1"))))
                .isEqualTo(new PublishResult.Conflict(Optional.of(ContentDigest.of("2"))));
        assertThat(store.entries())
                .filteredOn(entry -> entry.gray() != null)
                .extracting(ConfigEntry::digest)
                .containsExactly(ContentDigest.of("2"));
    }

    @Test
    void aConfigurationAndItsGrayReleasesAreRemovedSeparately() {
        store.publish("a.yaml", "for all");
        store.publish(publishForTag("blue", "a.yaml", "for blue", null));
        store.publish(publishForTag("green", "a.yaml", "for green", null));

        assertThat(store.remove(removeForTag("blue", "a.yaml"))).isPresent();
        assertThat(store.remove(removeForTag("blue", "a.yaml"))).isEmpty();
        assertThat(store.content("a.yaml")).isEqualTo("for all");
        assertThat(store.remove(remove("a.yaml"))).isPresent();

        assertThat(store.entries()).extracting(entry -> entry.gray().name()).containsExactly("tag_green");
    }

    @Test
    void aGrayReleaseHasTheTypeOfItsConfigurationAsAfterARestart() {
        store.publish(publishForTag("blue", "a.yaml", "for blue", null));
        assertTypeOfGray(ConfigType.TEXT);
        store.publish(SampleCommands.publish("a.yaml", "all", ConfigAttributes.ofType(ConfigType.YAML)));
        assertTypeOfGray(ConfigType.YAML);
        store.publish(SampleCommands.publish("a.yaml", "all", ConfigAttributes.ofType(ConfigType.JSON)));
        assertTypeOfGray(ConfigType.JSON);
        store.publish(publishForTag("blue", "a.yaml", "again", null));
        assertTypeOfGray(ConfigType.JSON);
        store.remove(remove("a.yaml"));
        assertTypeOfGray(ConfigType.TEXT);
    }

    private void assertTypeOfGray(ConfigType type) {
        ConfigEntry shown = store.view.grayEntry(key("a.yaml"), new GrayClient("10.0.0.1", "blue"));
        assertThat(shown.type()).isEqualTo(type);
        assertThat(store.entries()).filteredOn(entry -> entry.gray() != null).containsExactly(shown);
        assertThat(store.store.load(shown).orElseThrow().entry()).isEqualTo(shown);
    }

    private static PublishConfig publishBy(GrayRule rule, String content) {
        return SampleCommands.publishBy(rule, "a.yaml", content);
    }

    private static GrayRule byLabel(String name) {
        return GrayRule.named(name, "label", null, "zone in (a, b)", 5);
    }

    private static final GrayClient IN_ZONE_A = new GrayClient("10.0.0.1", null, Map.of("app_zone", "a"), null);

    /** A Nacos on the same database fails on a kind of rule that it does not know. */
    @Test
    void releasesByLabelsAreOutsideOfTheTablesOfNacos() {
        store.publish("a.yaml", "for all");
        store.publish(publishBy(byLabel("zones"), "1"));
        store.publish(publishBy(byLabel("zones"), "2"));

        assertThat(store.column("SELECT count(*) FROM config_info_gray")).containsExactly("0");
        assertThat(store.column("SELECT readable_from FROM cairn_schema"))
                .containsExactly(Integer.toString(SchemaVersion.WITH_LABEL_RELEASES));
        ConfigEntry shown = store.view.grayEntry(key("a.yaml"), IN_ZONE_A);
        assertThat(store.entries()).filteredOn(entry -> entry.gray() != null).containsExactly(shown);
        assertThat(store.store.load(shown).orElseThrow().utf8()).asString().isEqualTo("2");
        assertThat(store.query(HISTORY, "a.yaml"))
                .extracting(row -> List.of(row.get(0), row.get(1), row.get(6), row.get(7)))
                .contains(List.of("I", "1", "gray", "zones"), List.of("U", "1", "gray", "zones"));

        assertThat(TestStore.get(store.store.remove(new RemoveConfig(
                        key("a.yaml"), "zones", publishBy(byLabel("zones"), "").by()))))
                .isPresent();
        assertThat(store.view.grayEntry(key("a.yaml"), IN_ZONE_A)).isNull();
        assertThat(store.entries()).hasSize(1);
    }

    @Test
    void aReleaseMovesToTheTableOfItsKindOfRule() {
        store.publish(publishBy(GrayRule.named("canary", "beta", null, "10.0.0.1", 1), "by address"));
        store.publish(publishBy(GrayRule.named("canary", "percentage", null, "100", 1), "by share"));

        assertThat(store.column("SELECT count(*) FROM config_info_gray")).containsExactly("0");
        assertThat(store.column("SELECT content FROM cairn_config_gray")).containsExactly("by share");
        assertThat(store.entries()).hasSize(1);

        store.publish(publishBy(GrayRule.named("canary", "tag", null, "blue", 1), "by tag"));

        assertThat(store.column("SELECT content FROM config_info_gray")).containsExactly("by tag");
        assertThat(store.column("SELECT count(*) FROM cairn_config_gray")).containsExactly("0");
        assertThat(store.view.grayEntry(key("a.yaml"), IN_ZONE_A)).isNull();
        assertThat(store.query(HISTORY, "a.yaml"))
                .extracting(row -> row.get(1))
                .containsExactly("by address", "by address", "by share");
    }

    @Test
    void releasesOfAllKindsCountTogether() {
        for (int i = 1; i <= TestStore.MAX_GRAYS; i++) {
            store.publish(
                    i % 2 == 0 ? publishForTag("t" + i, "a.yaml", "1", null) : publishBy(byLabel("zones" + i), "1"));
        }

        assertThat(store.tryToPublish(publishBy(byLabel("one-more"), "1")))
                .isEqualTo(new PublishResult.TooManyReleases(TestStore.MAX_GRAYS));
    }

    @Test
    void limitsTheGrayReleasesOfAConfiguration() {
        for (int i = 1; i <= TestStore.MAX_GRAYS; i++) {
            store.publish(publishForTag("t" + i, "a.yaml", "1", null));
        }

        assertThat(store.tryToPublish(publishForTag("t11", "a.yaml", "1", null)))
                .isEqualTo(new PublishResult.TooManyReleases(TestStore.MAX_GRAYS));
        assertThat(store.column("SELECT count(*) FROM cairn_change")).containsExactly("10");
        store.publish(publishForTag("t10", "a.yaml", "2", null));
        store.publish(publishForTag("t1", "b.yaml", "1", null));
        store.remove(removeForTag("t5", "a.yaml"));
        store.publish(publishForTag("t11", "a.yaml", "1", null));
    }

    @Test
    void aRowWithoutMd5IsListedAndLoadedWithTheDigestOfItsContent() {
        store.publish("a.yaml", "größe: 1");
        store.publish("b.yaml", "b: 1");
        store.byHand("UPDATE config_info SET md5 = NULL WHERE data_id = 'a.yaml'");
        store.byHand("UPDATE config_info SET md5 = '' WHERE data_id = 'b.yaml'");

        assertThat(store.entries())
                .extracting(ConfigEntry::digest)
                .containsExactly(ContentDigest.of("größe: 1"), ContentDigest.of("b: 1"));
        assertThat(store.load(key("a.yaml")).orElseThrow().entry().digest()).isEqualTo(ContentDigest.of("größe: 1"));
    }

    @Test
    void aRowWithoutMd5IsComparedByItsContent() {
        store.publish("a.yaml", "a: 1");
        store.byHand("UPDATE config_info SET md5 = NULL");

        assertThat(store.tryToPublish(compareAndSet("a.yaml", "a: 2", md5("a: 0"))))
                .isEqualTo(new PublishResult.Conflict(Optional.of(ContentDigest.of("a: 1"))));
        assertThat(TestStore.published(store.tryToPublish(compareAndSet("a.yaml", "a: 2", md5("a: 1"))))
                        .before())
                .contains(ContentDigest.of("a: 1"));
        assertThat(store.content("a.yaml")).isEqualTo("a: 2");
        assertThat(store.column("SELECT md5 FROM config_info")).containsExactly(md5("a: 2"));
    }

    @Test
    void aRowWithoutMd5IsUpdatedWithTheSameContentWithoutADifference() {
        store.publish("a.yaml", "a: 1");
        store.byHand("UPDATE config_info SET md5 = NULL");

        assertThat(store.publish("a.yaml", "a: 1").contentDiffers()).isFalse();
        assertThat(store.column("SELECT md5 FROM config_info")).containsExactly(md5("a: 1"));
    }

    @Test
    void removesARowWithoutMd5WithTheDigestOfItsContent() {
        store.publish("a.yaml", "a: 1");
        store.byHand("UPDATE config_info SET md5 = NULL");

        assertThat(store.remove(remove("a.yaml")).orElseThrow().before()).contains(ContentDigest.of("a: 1"));
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 40 * 1024})
    void theHistoryOfARowWithoutMd5HasTheDigestOfItsContent(int length) {
        String first = "x".repeat(length);
        String second = "y".repeat(length);
        store.publish("a.yaml", first);
        store.byHand("UPDATE config_info SET md5 = NULL");
        store.publish("a.yaml", second);
        store.byHand("UPDATE config_info SET md5 = NULL");
        store.remove(remove("a.yaml"));

        assertThat(store.column("SELECT md5 FROM his_config_info ORDER BY nid"))
                .containsExactly(md5(first), md5(first), md5(second));
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 40 * 1024})
    void anEmptySchemaIsStoredAsNone(int length) {
        store.publish("a.yaml", "a: 1");
        store.byHand("UPDATE config_info SET c_schema = ''");
        store.publish("a.yaml", "x".repeat(length));

        assertThat(store.column("SELECT c_schema FROM config_info")).containsExactly((String) null);
    }

    @Test
    void leavesOutARowWithAnInvalidKey() {
        store.publish("a.yaml", "1");
        store.publish("b.yaml", "1");
        store.byHand("UPDATE config_info SET group_id = '' WHERE data_id = 'a.yaml'");

        assertThat(store.entries()).extracting(ConfigEntry::key).containsExactly(key("b.yaml"));
    }

    @Test
    void aRowOfAnUnknownTypeIsText() {
        store.publish("a.yaml", "a: 1");
        store.byHand("UPDATE config_info SET type = 'ini'");

        assertThat(store.load(key("a.yaml")).orElseThrow().entry().type()).isEqualTo(ConfigType.TEXT);
    }

    private List<String> tags(String dataId) {
        return store.column("SELECT tag_name FROM config_tags_relation WHERE data_id = ? ORDER BY tag_name", dataId);
    }

    private static ConfigAttributes withAppName(String appName) {
        return new ConfigAttributes(ConfigType.TEXT, appName, null, null, null, null, null, "");
    }

    private static ConfigAttributes withTags(List<String> tags) {
        return new ConfigAttributes(ConfigType.TEXT, null, null, null, null, null, tags, "");
    }

    private static <T> List<T> inParallel(List<Callable<T>> work) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(work.size());
        try {
            List<T> results = new ArrayList<>();
            for (Future<T> future : threads.invokeAll(work, PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                results.add(future.get());
            }
            return results;
        } finally {
            threads.shutdownNow();
        }
    }
}
