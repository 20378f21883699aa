package io.cairn.server.storage;

import static io.cairn.server.storage.SampleCommands.key;
import static io.cairn.server.storage.SampleCommands.publishForTag;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.server.change.ConfigChanged;
import io.cairn.server.config.ConfigEntry;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What others change in the database is found, shown and announced; what this node changes is not taken for it. */
abstract class ExternalChangePollerContract {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String OTHER_MD5 = "795f3202b17cb6bc3d4b771d8c6c9eaf";

    @TempDir
    Path folder;

    private TestDatabase database;
    private TestStore store;

    abstract TestDatabase freshDatabase(Path folder) throws Exception;

    @BeforeEach
    void open() throws Exception {
        database = freshDatabase(folder);
        store = TestStore.start(database);
    }

    @AfterEach
    void close() {
        store.close();
    }

    private ExternalChangePoller follow(Duration compare) {
        ExternalChangePoller foreign = new ExternalChangePoller(
                database.writer(),
                database.dialect(),
                store.writer,
                store.view,
                new ExternalChangePoller.Settings(Duration.ofMillis(20), compare),
                () -> {});
        foreign.start();
        return foreign;
    }

    private Set<String> heard() {
        return store.heard.stream().map(change -> change.key().dataId()).collect(Collectors.toSet());
    }

    @Test
    void rowsThatWereChangedAddedAndRemovedAreShownAndAnnounced() {
        store.publish("changed", "1");
        store.publish("removed", "1");
        store.publish("kept", "1");
        store.publish("gray", "1");
        store.publish(publishForTag("t", "gray", "2", null));
        assertThat(store.announced()).hasSize(5);
        store.heard.clear();
        try (ExternalChangePoller foreign = follow(Duration.ofMillis(50))) {
            store.byHand("UPDATE config_info SET content = 'other', md5 = ? WHERE data_id = 'changed'", OTHER_MD5);
            store.byHand("DELETE FROM config_info WHERE data_id = 'removed'");
            store.byHand("INSERT INTO config_info (data_id, group_id, tenant_id, content, md5, gmt_create,"
                    + " gmt_modified, type, encrypted_data_key) SELECT 'added', group_id, tenant_id, content, md5,"
                    + " gmt_create, gmt_modified, type, encrypted_data_key FROM config_info WHERE data_id = 'kept'");
            store.byHand("DELETE FROM config_info_gray WHERE data_id = 'gray'");

            await().atMost(PATIENCE).untilAsserted(() -> assertThat(heard())
                    .containsExactlyInAnyOrder("changed", "removed", "added", "gray"));
            assertThat(store.view.entry(key("changed")))
                    .extracting(ConfigEntry::digest)
                    .hasToString(OTHER_MD5);
            assertThat(store.view.entry(key("removed"))).isNull();
            assertThat(store.view.entry(key("added"))).isNotNull();
            assertThat(store.view.grayEntries(key("gray"))).isEmpty();
        }
    }

    @Test
    void aContentThatWasChangedAndNotItsMd5IsFoundByItsTime() {
        store.publish("a", "1");
        String later = store.column("SELECT gmt_modified FROM config_info WHERE data_id = 'a'")
                        .get(0)
                        .matches("\\d+")
                ? "gmt_modified + 60000"
                : "date_add(gmt_modified, interval 1 minute)";
        try (ExternalChangePoller foreign = follow(Duration.ofMillis(50))) {
            store.byHand("UPDATE config_info SET content = 'other', gmt_modified = " + later);
            await().atMost(PATIENCE).untilAsserted(() -> assertThat(store.view.entry(key("a")))
                    .extracting(ConfigEntry::digest)
                    .hasToString(OTHER_MD5));
        }
    }

    @Test
    void ownWritesAreNotTakenForOthersAndNoneIsLost() {
        try (ExternalChangePoller foreign = follow(Duration.ofMillis(10))) {
            for (int i = 0; i < 600; i++) {
                store.publish("own-" + i % 20, Integer.toString(i));
            }
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(store.announced()).hasSize(600));
        }
        assertThat(store.heard).extracting(ConfigChanged::revision).doesNotContain(ConfigChanged.UNKNOWN_REVISION);
        for (int i = 580; i < 600; i++) {
            assertThat(store.content("own-" + i % 20)).isEqualTo(Integer.toString(i));
            assertThat(store.view.entry(key("own-" + i % 20)).digest())
                    .isEqualTo(store.load(key("own-" + i % 20))
                            .orElseThrow()
                            .entry()
                            .digest());
        }
    }

    @Test
    void whatAnotherNodeHasLoggedIsFoundWithoutComparingRows() {
        store.publish("a", "1");
        try (ExternalChangePoller foreign = follow(Duration.ofHours(1));
                TestStore other = TestStore.start(database)) {
            await().atMost(PATIENCE).untilAsserted(() -> {
                // Until it has begun to follow, nothing is missed either: what is older was loaded.
                other.publish("a", "other");
                other.publish("b", "1");
                assertThat(heard()).contains("b");
            });
            await().atMost(PATIENCE).untilAsserted(() -> assertThat(store.view.entry(key("a")))
                    .extracting(ConfigEntry::digest)
                    .hasToString(OTHER_MD5));
        }
    }

    @Test
    void aRowOfTheLogThatNamesNoConfigurationHoldsNobodyUp() {
        store.publish("a", "1");
        try (ExternalChangePoller foreign = follow(Duration.ofHours(1));
                TestStore other = TestStore.start(database)) {
            await().atMost(PATIENCE).untilAsserted(() -> {
                other.publish("begun", "1");
                assertThat(heard()).contains("begun");
            });
            store.byHand("INSERT INTO cairn_change (revision, batch, kind, op_type, tenant_id, group_id, data_id, md5,"
                    + " changed_at) SELECT value + 1, 7, 'config', 'U', '', ' ', '', NULL, 0 FROM cairn_revision");
            store.byHand("UPDATE cairn_revision SET value = value + 1");
            other.publish("a", "other");
            await().atMost(PATIENCE).untilAsserted(() -> assertThat(store.view.entry(key("a")))
                    .extracting(ConfigEntry::digest)
                    .hasToString(OTHER_MD5));
        }
    }

    @Test
    void aReloadOfTheRegistryThatFailsIsTriedAgain() {
        AtomicInteger reloads = new AtomicInteger();
        try (ExternalChangePoller foreign = new ExternalChangePoller(
                database.writer(),
                database.dialect(),
                store.writer,
                store.view,
                new ExternalChangePoller.Settings(Duration.ofMillis(20), Duration.ofHours(1)),
                () -> {
                    if (reloads.incrementAndGet() < 3) {
                        throw new IllegalStateException("a reload that fails on purpose");
                    }
                })) {
            foreign.start();
            await().atMost(PATIENCE).untilAsserted(() -> assertThat(reloads).hasValueGreaterThanOrEqualTo(3));
        }
        // Each failure made the writer connect anew, and whoever follows looks again after that.
        assertThat(reloads.get()).isBetween(3, 5);
    }

    @Test
    void whatChangedBeforeTheFirstLookIsFound() {
        store.publish("a", "1");
        store.byHand("DELETE FROM config_info WHERE data_id = 'a'");
        try (ExternalChangePoller foreign = follow(Duration.ofHours(1))) {
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(store.view.entry(key("a"))).isNull());
        }
    }
}
