package io.cairn.server.storage.config;

import static io.cairn.server.storage.SampleCommands.ANNA;
import static io.cairn.server.storage.SampleCommands.key;
import static io.cairn.server.storage.SampleCommands.md5;
import static io.cairn.server.storage.SampleCommands.publish;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ConfigType;
import io.cairn.api.config.ContentDigest;
import io.cairn.api.config.Namespace;
import io.cairn.api.error.CairnException;
import io.cairn.server.change.ConfigChanged;
import io.cairn.server.config.ConfigAttributes;
import io.cairn.server.config.RemoveConfig;
import io.cairn.server.config.changeset.ChangeSet;
import io.cairn.server.config.changeset.ChangeSet.Mode;
import io.cairn.server.config.changeset.ChangeSetResult;
import io.cairn.server.config.changeset.ChangeSetResult.Applied;
import io.cairn.server.config.changeset.ChangeSetResult.Conflicting;
import io.cairn.server.config.changeset.ChangeSetResult.NotReached;
import io.cairn.server.config.changeset.ChangeSetResult.Unchanged;
import io.cairn.server.config.changeset.Condition;
import io.cairn.server.config.changeset.ConfigEdit;
import io.cairn.server.config.transfer.ConfigSelection;
import io.cairn.server.config.transfer.WholeConfig;
import io.cairn.server.storage.TestDatabase;
import io.cairn.server.storage.TestStore;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Change sets and bulk reads of configurations in every store, on every database. */
abstract class ChangeSetContract {

    @TempDir
    Path folder;

    private TestStore store;
    private JdbcChangeSetStore changes;
    private JdbcTransferStore transfer;

    /** A database with an up-to-date schema and empty tables. */
    abstract TestDatabase freshDatabase(Path folder) throws Exception;

    @BeforeEach
    void open() throws Exception {
        store = TestStore.start(freshDatabase(folder));
        changes = new JdbcChangeSetStore(store.writer, CapacityCheck.OFF, store.view);
        transfer = new JdbcTransferStore(store.readers);
    }

    @AfterEach
    void close() {
        store.close();
    }

    private static ConfigEdit put(String dataId, String content, Condition condition) {
        return new ConfigEdit.Put(publish(dataId, content), condition);
    }

    private static ConfigEdit put(String dataId, String content) {
        return put(dataId, content, Condition.NONE);
    }

    private static ConfigEdit remove(String dataId, Condition condition) {
        return new ConfigEdit.Remove(new RemoveConfig(key(dataId), null, ANNA), condition);
    }

    private ChangeSetResult apply(Mode mode, ConfigEdit... edits) {
        return TestStore.get(changes.apply(new ChangeSet(List.of(edits), mode)));
    }

    private List<String> history() {
        return store.query("SELECT op_type, data_id, content FROM his_config_info ORDER BY nid").stream()
                .map(row -> row.get(0).trim() + ' ' + row.get(1) + ' ' + row.get(2))
                .toList();
    }

    @Test
    void storesAllWithConsecutiveRevisionsAndAnnouncesThem() {
        store.publish("b", "old");
        store.publish("c", "gone");

        ChangeSetResult result = apply(
                Mode.ALL_OR_NOTHING,
                put("a", "1", Condition.ABSENT),
                put("b", "2", Condition.digest(md5("old"))),
                remove("c", Condition.digest(md5("gone"))),
                remove("d", Condition.NONE));

        assertThat(result.conflicts()).isEmpty();
        assertThat(result.outcomes()).allMatch(Applied.class::isInstance);
        List<ConfigChanged> made = result.changes();
        assertThat(made).extracting(change -> change.key().dataId()).containsExactly("a", "b", "c");
        long first = made.get(0).revision();
        assertThat(made).extracting(ConfigChanged::revision).containsExactly(first, first + 1, first + 2);
        assertThat(store.content("a")).isEqualTo("1");
        assertThat(store.content("b")).isEqualTo("2");
        assertThat(store.content("c")).isNull();
        assertThat(store.view.entry(key("a"))).isNotNull();
        assertThat(store.view.entry(key("c"))).isNull();
        assertThat(history()).endsWith("I a 1", "U b old", "D c gone");
        assertThat(store.announced()).endsWith(made.toArray(ConfigChanged[]::new));
    }

    @Test
    void aConflictStopsAllChangesAndEveryConflictIsReported() {
        store.publish("b", "stored");
        List<String> before = history();

        ChangeSetResult result = apply(
                Mode.ALL_OR_NOTHING,
                put("a", "1"),
                put("b", "2", Condition.digest(md5("other"))),
                remove("c", Condition.digest(md5("x"))),
                put("b2", "3", Condition.ABSENT));

        assertThat(result.conflicts())
                .containsExactly(
                        new Conflicting(key("b"), Optional.of(ContentDigest.of("stored"))),
                        new Conflicting(key("c"), Optional.empty()));
        assertThat(result.outcomes().get(0)).isEqualTo(new NotReached(key("a")));
        assertThat(result.outcomes().get(3)).isEqualTo(new NotReached(key("b2")));
        assertThat(store.content("a")).isNull();
        assertThat(store.content("b")).isEqualTo("stored");
        assertThat(history()).isEqualTo(before);
        assertThat(store.announced()).hasSize(1);
    }

    @Test
    void refusesAChangeThatExpectsAbsenceOfAnExistingConfiguration() {
        store.publish("a", "1");

        assertThat(apply(Mode.ALL_OR_NOTHING, put("a", "2", Condition.ABSENT)).conflicts())
                .hasSize(1);
        assertThat(apply(Mode.ALL_OR_NOTHING, put("b", "2", Condition.digest("no md5")))
                        .conflicts())
                .hasSize(1);
    }

    @Test
    void aDatabaseErrorInOneChangeStopsAll() {
        store.byHand("CREATE TRIGGER refuse_it BEFORE INSERT ON config_info FOR EACH ROW " + refusal("forbidden"));
        try {
            ChangeSet both = new ChangeSet(List.of(put("a", "1"), put("forbidden", "2")), Mode.ALL_OR_NOTHING);

            CompletableFuture<?> other = store.store.publish(publish("c", "3")).toCompletableFuture();
            assertThatThrownBy(() -> TestStore.get(changes.apply(both))).isInstanceOf(CairnException.class);

            TestStore.get(other);
            assertThat(store.content("a")).isNull();
            assertThat(store.content("c")).as("unchanged").isEqualTo("3");
            assertThat(store.view.entry(key("a"))).isNull();
        } finally {
            store.byHand(noTrigger());
        }
    }

    String noTrigger() {
        return "DROP TRIGGER refuse_it";
    }

    /** The body of a trigger that refuses a configuration of that name. */
    String refusal(String dataId) {
        return "WHEN NEW.data_id = '" + dataId + "' BEGIN SELECT RAISE(ABORT, 'refused'); END";
    }

    @Test
    void untilConflictKeepsTheChangesBeforeTheConflict() {
        store.publish("b", "stored");

        ChangeSetResult result = apply(
                Mode.UNTIL_CONFLICT,
                put("a", "1", Condition.ABSENT),
                put("b", "2", Condition.ABSENT),
                put("c", "3", Condition.ABSENT));

        assertThat(result.outcomes().get(0)).isInstanceOf(Applied.class);
        assertThat(result.outcomes().get(1)).isInstanceOf(Conflicting.class);
        assertThat(result.outcomes().get(2)).isEqualTo(new NotReached(key("c")));
        assertThat(store.content("a")).isEqualTo("1");
        assertThat(store.content("b")).isEqualTo("stored");
        assertThat(store.content("c")).isNull();
    }

    @Test
    void aContentThatIsStoredAlreadyIsLeftAsItIs() {
        store.publish("a", "1");
        store.publish("b", "stored");
        long before = store.announced().size();

        ChangeSetResult result = apply(
                Mode.UNTIL_CONFLICT,
                put("a", "1", Condition.ABSENT_OR_SAME),
                put("new", "1", Condition.ABSENT_OR_SAME),
                put("b", "2", Condition.ABSENT_OR_SAME));

        assertThat(result.outcomes().get(0)).isEqualTo(new Unchanged(key("a")));
        assertThat(result.outcomes().get(1)).isInstanceOf(Applied.class);
        assertThat(result.outcomes().get(2)).isInstanceOf(Conflicting.class);
        assertThat(store.announced()).as("one change").hasSize((int) before + 1);
    }

    @Test
    void eachAppliesEveryChangeWithoutConflict() {
        store.publish("b", "stored");

        ChangeSetResult result =
                apply(Mode.EACH, put("a", "1", Condition.ABSENT), put("b", "2", Condition.ABSENT), put("c", "3"));

        assertThat(result.conflicts()).extracting(Conflicting::key).containsExactly(key("b"));
        assertThat(store.content("a")).isEqualTo("1");
        assertThat(store.content("c")).isEqualTo("3");
    }

    @Test
    void refusesInvalidChangeSetsWithTheirLimit() {
        assertThatThrownBy(() -> new ChangeSet(List.of(), Mode.EACH)).hasMessageContaining("at least 1");
        assertThatThrownBy(() -> new ChangeSet(List.of(put("a", "1"), remove("a", Condition.NONE)), Mode.EACH))
                .hasMessageContaining("public/DEFAULT_GROUP/a twice");
        List<ConfigEdit> many = IntStream.rangeClosed(0, ChangeSet.MAX_EDITS)
                .mapToObj(i -> put("a" + i, "1"))
                .toList();
        assertThatThrownBy(() -> new ChangeSet(many, Mode.EACH)).hasMessageContaining("at most 1000");
        String large = "x".repeat(9 << 20);
        assertThatThrownBy(() -> new ChangeSet(List.of(put("a", large), put("b", large)), Mode.EACH))
                .hasMessageContaining("at most 16777216");
    }

    @Test
    void theStoreEqualsAMapAfterAnyChangeSets() {
        Random random = new Random(3);
        Map<String, String> model = new HashMap<>();
        for (int round = 0; round < 150; round++) {
            Mode mode = Mode.values()[random.nextInt(3)];
            List<ConfigEdit> edits = new ArrayList<>();
            Map<String, String> next = new HashMap<>(model);
            boolean conflict = false;
            for (int name :
                    random.ints(0, 12).distinct().limit(1 + random.nextInt(5)).toArray()) {
                String dataId = "d" + name;
                String stored = model.get(dataId);
                int kind = random.nextInt(3);
                Condition condition = kind == 0
                        ? Condition.NONE
                        : kind == 1 ? Condition.ABSENT : Condition.digest(md5("c" + random.nextInt(3)));
                boolean met = condition.isMet(Optional.ofNullable(stored).map(ContentDigest::of));
                boolean made = met && !(conflict && mode == Mode.UNTIL_CONFLICT);
                conflict |= !met;
                if (random.nextInt(3) == 0) {
                    edits.add(remove(dataId, condition));
                    if (made) {
                        next.remove(dataId);
                    }
                } else {
                    String content = "c" + random.nextInt(3);
                    edits.add(put(dataId, content, condition));
                    if (made) {
                        next.put(dataId, content);
                    }
                }
            }
            apply(mode, edits.toArray(ConfigEdit[]::new));
            if (!conflict || mode != Mode.ALL_OR_NOTHING) {
                model = next;
            }
            assertThat(stored()).as("round " + round).isEqualTo(new TreeMap<>(model));
        }
    }

    private Map<String, String> stored() {
        Map<String, String> stored = new TreeMap<>();
        transfer.forEach(
                ConfigSelection.all(Namespace.DEFAULT),
                config -> stored.put(config.key().dataId(), new String(config.utf8(), StandardCharsets.UTF_8)));
        return stored;
    }

    @Test
    void readsAConfigurationWithAllItsAttributes() {
        ConfigAttributes attributes = new ConfigAttributes(
                ConfigType.YAML, "shop", "über 🐚", "use", "effect", "{}", List.of("red", "blue"), "key");
        ConfigKey inDev = new ConfigKey(new Namespace("dev"), "G", "a.yaml");
        store.publish(publish(inDev, "a: 🐚", null, attributes, ANNA));
        store.publish("other", "x");

        List<WholeConfig> read = new ArrayList<>();
        transfer.forEach(ConfigSelection.all(new Namespace("dev")), read::add);

        assertThat(read).hasSize(1);
        assertThat(read.get(0).key()).isEqualTo(inDev);
        assertThat(read.get(0).utf8()).isEqualTo("a: 🐚".getBytes(StandardCharsets.UTF_8));
        assertThat(read.get(0).attributes().tags()).containsExactlyInAnyOrder("red", "blue");
        assertThat(read.get(0).attributes())
                .usingRecursiveComparison()
                .ignoringFields("tags")
                .isEqualTo(attributes);
        List<WholeConfig> byId = new ArrayList<>();
        transfer.forEachOf(List.of(read.get(0).id(), -1L), byId::add);
        assertThat(byId).extracting(WholeConfig::key).containsExactly(inDev);
    }

    @Test
    void selectsByExactNamesAndByPatterns() {
        for (String dataId : List.of("app.yaml", "App.yaml", "app_yaml", "app-1", "x.app")) {
            store.publish(dataId, dataId);
        }
        ConfigAttributes ofShop = new ConfigAttributes(ConfigType.TEXT, "shop", null, null, null, null, null, "");
        store.publish(publish(key("shop.yaml"), "s", null, ofShop, ANNA));

        assertThat(selected("app.yaml", null, null)).containsExactly("app.yaml");
        assertThat(selected("app_y*", null, null)).containsExactly("app_yaml");
        assertThat(selected("app*", null, null)).containsExactlyInAnyOrder("app.yaml", "app_yaml", "app-1");
        assertThat(selected("*", "DEFAULT_*", null)).hasSize(6);
        assertThat(selected(null, "default_group", null)).isEmpty();
        assertThat(selected("", "", "shop")).containsExactly("shop.yaml");
    }

    private List<String> selected(String dataId, String group, String appName) {
        List<String> found = new ArrayList<>();
        transfer.forEach(
                new ConfigSelection(Namespace.DEFAULT, List.of(), dataId, group, appName),
                config -> found.add(config.key().dataId()));
        return found;
    }

    @Test
    void doesNotSelectIdsOfAnotherNamespace() {
        store.publish(publish(new ConfigKey(new Namespace("dev"), "G", "a"), "1"));
        store.publish("b", "2");
        List<Long> ids = store.column("SELECT id FROM config_info").stream()
                .map(Long::valueOf)
                .toList();

        List<WholeConfig> read = new ArrayList<>();
        transfer.forEach(new ConfigSelection(new Namespace("dev"), ids, null, null, null), read::add);

        assertThat(read).extracting(config -> config.key().dataId()).containsExactly("a");
    }

    @Test
    void readsManyAndLargeConfigurationsInPages() {
        int count = JdbcTransferStore.PAGE_IDS * 2 + 1;
        for (int from = 0; from < count; from += ChangeSet.MAX_EDITS) {
            apply(
                    Mode.EACH,
                    IntStream.range(from, Math.min(count, from + ChangeSet.MAX_EDITS))
                            .mapToObj(i -> put("d" + i, i % 100 == 0 ? "x".repeat(300_000) : "x"))
                            .toArray(ConfigEdit[]::new));
        }

        assertThat(stored()).hasSize(count);
    }
}
