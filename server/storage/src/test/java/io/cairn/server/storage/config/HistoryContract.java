package io.cairn.server.storage.config;

import static io.cairn.server.storage.SampleCommands.ANNA;
import static io.cairn.server.storage.SampleCommands.key;
import static io.cairn.server.storage.SampleCommands.md5;
import static io.cairn.server.storage.SampleCommands.publishForTag;
import static io.cairn.server.storage.SampleCommands.remove;
import static io.cairn.server.storage.SampleCommands.removeForTag;
import static io.cairn.server.storage.TestStore.get;
import static io.cairn.server.storage.sqlite.WholePage.ANY;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ConfigType;
import io.cairn.api.config.Namespace;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.admission.AnswerMemory;
import io.cairn.server.admission.MemoryLease;
import io.cairn.server.admission.NoRoomException;
import io.cairn.server.config.Author;
import io.cairn.server.config.ConfigAttributes;
import io.cairn.server.config.ConfigLimits;
import io.cairn.server.config.ConfigService;
import io.cairn.server.config.ContentLoader;
import io.cairn.server.config.PageRequest;
import io.cairn.server.config.PublishConfig;
import io.cairn.server.config.PublishResult;
import io.cairn.server.config.ReadPool;
import io.cairn.server.config.RowPage;
import io.cairn.server.config.RowSource;
import io.cairn.server.config.history.HistoryEntry;
import io.cairn.server.config.history.HistoryOperation;
import io.cairn.server.config.history.HistoryRetention;
import io.cairn.server.config.history.HistoryService;
import io.cairn.server.config.history.HistoryStore;
import io.cairn.server.config.history.PastContent;
import io.cairn.server.config.history.RolledBack;
import io.cairn.server.config.query.ConfigQueries;
import io.cairn.server.config.validation.ContentChecks;
import io.cairn.server.config.validation.LateValidation;
import io.cairn.server.config.validation.RequiredCheck;
import io.cairn.server.config.validation.ValidatedPublishing;
import io.cairn.server.config.validation.ValidationMode;
import io.cairn.server.limit.Limit;
import io.cairn.server.storage.SampleCommands;
import io.cairn.server.storage.TestDatabase;
import io.cairn.server.storage.TestStore;
import io.cairn.server.storage.sqlite.WholePage;
import io.cairn.server.testing.HandDrivenLoop;
import io.netty.util.HashedWheelTimer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The behavior of the configuration history, on every database. */
abstract class HistoryContract {

    private static final ConfigKey KEY = key("a.yaml");
    private static final Author BOB = new Author("bob", "10.0.0.7");
    private static final PageRequest FIRST = new PageRequest(1, 10);

    @TempDir
    Path folder;

    private TestStore store;
    private JdbcHistoryStore rows;
    private ConfigService configs;
    private ValidatedPublishing publishing;
    private HistoryService history;

    /** A database with an up-to-date schema and empty tables. */
    abstract TestDatabase freshDatabase(Path folder) throws Exception;

    @BeforeEach
    void open() throws Exception {
        store = TestStore.start(freshDatabase(folder));
        rows = new JdbcHistoryStore(store.writer, store.readers);
        configs = new ConfigService(
                store.store,
                store.view,
                new ConfigLimits(1 << 20, 1 << 20),
                new ContentLoader(store.store, store.view, Runnable::run, 1, 10));
        ContentChecks checks = new ContentChecks(ValidationMode.OFF, key -> Optional.empty(), RequiredCheck.NONE);
        publishing = new ValidatedPublishing(
                configs,
                new JdbcChangeSetStore(store.writer, CapacityCheck.OFF, store.view),
                checks,
                new LateValidation(checks),
                Runnable::run);
        history = historyThrough(Runnable::run);
    }

    private HistoryService historyOf(HistoryStore rows) {
        return new HistoryService(
                rows, configs, publishing, queries(), new ReadPool(Runnable::run), Duration.ofDays(30), store.clock);
    }

    private static HistoryEntry withoutAttributes(HistoryEntry entry) {
        return new HistoryEntry(
                entry.id(),
                entry.configId(),
                entry.key(),
                entry.operation(),
                entry.grayName(),
                entry.appName(),
                entry.content(),
                entry.md5(),
                entry.encryptedDataKey(),
                null,
                entry.sourceUser(),
                entry.sourceIp(),
                entry.at());
    }

    private class Rows implements HistoryStore {
        @Override
        public long count(ConfigKey key) {
            return rows.count(key);
        }

        @Override
        public RowSource<HistoryEntry> list(ConfigKey key, PageRequest page) {
            return rows.list(key, page);
        }

        @Override
        public Optional<HistoryEntry> find(long id, MemoryLease lease) {
            return rows.find(id, lease);
        }

        @Override
        public Optional<HistoryEntry> newest(ConfigKey key, long configId, MemoryLease lease) {
            return rows.newest(key, configId, lease);
        }

        @Override
        public Optional<HistoryEntry> newestOfRow(long configId, MemoryLease lease) {
            return rows.newestOfRow(configId, lease);
        }

        @Override
        public Optional<Instant> oldest(ConfigKey key) {
            return rows.oldest(key);
        }

        @Override
        public Optional<HistoryEntry> oldestAfter(ConfigKey key, Instant time, MemoryLease lease) {
            return rows.oldestAfter(key, time, lease);
        }

        @Override
        public Optional<HistoryEntry> next(ConfigKey key, long id, MemoryLease lease) {
            return rows.next(key, id, lease);
        }

        @Override
        public CompletionStage<Integer> forget(Instant before, int limit) {
            return rows.forget(before, limit);
        }
    }

    private ConfigQueries queries() {
        return new ConfigQueries(store.view, new JdbcConfigQueryStore(store.readers), new ReadPool(Runnable::run));
    }

    private HistoryService historyThrough(Executor reads) {
        return new HistoryService(
                rows, configs, publishing, queries(), new ReadPool(reads), Duration.ofDays(30), store.clock);
    }

    @AfterEach
    void close() {
        store.close();
    }

    private List<HistoryEntry> list() {
        return WholePage.of(get(history.list(KEY, FIRST, ANY))).items();
    }

    @Test
    void listsTheNewestChangeFirstWithoutContent() {
        store.publish("a.yaml", "a: 1");
        store.clock.advance(Duration.ofSeconds(2));
        store.publish("a.yaml", "a: 2");
        store.remove(remove("a.yaml"));
        store.publish("b.yaml", "other");

        WholePage<HistoryEntry> page = WholePage.of(get(history.list(KEY, FIRST, ANY)));

        assertThat(page.totalCount()).isEqualTo(3);
        assertThat(page.pagesAvailable()).isEqualTo(1);
        assertThat(page.items())
                .extracting(HistoryEntry::operation)
                .containsExactly(HistoryOperation.DELETE, HistoryOperation.UPDATE, HistoryOperation.INSERT);
        assertThat(page.items()).allSatisfy(entry -> {
            assertThat(entry.content()).isNull();
            assertThat(entry.key()).isEqualTo(KEY);
            assertThat(entry.publishType()).isEqualTo("formal");
            assertThat(entry.sourceUser()).isEqualTo("anna");
            assertThat(entry.sourceIp()).isEqualTo("10.0.0.9");
        });
        assertThat(page.items().get(2).at()).isEqualTo(page.items().get(0).at().minusSeconds(2));
    }

    @Test
    void pagesTheList() {
        for (int i = 1; i <= 7; i++) {
            store.publish("a.yaml", "a: " + i);
        }

        WholePage<HistoryEntry> second = WholePage.of(get(history.list(KEY, new PageRequest(2, 3), ANY)));
        WholePage<HistoryEntry> beyond = WholePage.of(get(history.list(KEY, new PageRequest(9, 3), ANY)));

        assertThat(second.totalCount()).isEqualTo(7);
        assertThat(second.pagesAvailable()).isEqualTo(3);
        assertThat(second.items())
                .extracting(entry ->
                        get(history.find(entry.id(), ANY)).orElseThrow().content())
                .containsExactly("a: 3", "a: 2", "a: 1");
        assertThat(beyond.items()).isEmpty();
        assertThat(beyond.totalCount()).isEqualTo(7);
    }

    @Test
    void aLongListIsReadAFewAtATimeWhileChangesAreMade() {
        for (int i = 1; i <= 230; i++) {
            store.publish("a.yaml", "a: " + i);
        }
        RowPage<HistoryEntry> page = get(history.list(KEY, new PageRequest(1, 1_000_000), ANY));
        store.publish("a.yaml", "a: later");

        List<HistoryEntry> entries = page.rows().all(ANY);

        assertThat(page.totalCount()).isEqualTo(230);
        assertThat(entries).hasSize(230);
        assertThat(entries).extracting(HistoryEntry::id).doesNotHaveDuplicates();
        assertThat(entries).isSortedAccordingTo((one, other) -> Long.compare(other.id(), one.id()));
        assertThat(WholePage.of(get(history.list(KEY, new PageRequest(2, 205), ANY)))
                        .items())
                .hasSize(26);
    }

    @Test
    void aPageThatIsTooLargeIsRefusedInsteadOfCut() {
        HistoryStore many = new Rows() {
            @Override
            public long count(ConfigKey key) {
                return 10_001;
            }
        };
        HistoryService service = historyOf(many);

        assertThatThrownBy(() -> get(service.list(KEY, new PageRequest(1, 10_001), ANY)))
                .hasMessage("pageSize: 10001 (expected: 1-10000, for 10001 changes match)");
        assertThat(get(service.list(KEY, new PageRequest(2, 10_001), ANY)).totalCount())
                .isEqualTo(10_001);
    }

    @Test
    void aLargeContentIsReadWhenThereIsRoomForIt() {
        String content = "ü".repeat(200_000);
        store.publish("a.yaml", content);
        store.publish("a.yaml", "a: 2");
        long id = list().get(0).id();
        long row = list().get(0).configId();
        AnswerMemory memory = new AnswerMemory(new Limit("unread-answer-bytes", "a.setting", 2_000_000));
        MemoryLease other = memory.lease();
        other.reserve(1_000_000);
        MemoryLease lease = memory.lease();

        assertThatThrownBy(() -> get(history.find(id, lease))).isInstanceOf(NoRoomException.class);
        assertThatThrownBy(() -> get(history.previous(KEY, row, lease))).isInstanceOf(NoRoomException.class);
        assertThat(lease.taken()).isZero();

        other.close();
        assertThat(get(history.find(id, lease)).orElseThrow().content()).isEqualTo(content);
        assertThat(lease.taken()).isEqualTo(3 * 400_000);
        lease.adjustTo(0);
        assertThat(get(history.previous(KEY, row, lease)).orElseThrow().content())
                .isEqualTo(content);
    }

    @Test
    void eachNamespaceHasItsOwnHistory() {
        ConfigKey elsewhere = new ConfigKey(Namespace.ofNullable("dev"), KEY.group(), KEY.dataId());
        store.publish(SampleCommands.publish(KEY, "here"));
        store.publish(SampleCommands.publish(elsewhere, "there"));

        assertThat(list()).hasSize(1);
        HistoryEntry there =
                WholePage.of(get(history.list(elsewhere, FIRST, ANY))).items().get(0);
        assertThat(there.key()).isEqualTo(elsewhere);
        assertThat(get(history.find(there.id(), ANY)).orElseThrow().content()).isEqualTo("there");
    }

    @Test
    void anEntryHasTheContentBeforeTheChangeAndItsAttributes() {
        ConfigAttributes attributes =
                new ConfigAttributes(ConfigType.YAML, "shop", "about", "u", "e", "s", List.of("t1", "t2"), "key");
        store.publish(SampleCommands.publish(KEY, "a: 1", null, attributes, ANNA));
        store.publish(SampleCommands.publish(KEY, "a: 2", null, SampleCommands.PLAIN, BOB));

        HistoryEntry entry = get(history.find(list().get(0).id(), ANY)).orElseThrow();

        assertThat(entry.operation()).isEqualTo(HistoryOperation.UPDATE);
        assertThat(entry.content()).isEqualTo("a: 1");
        assertThat(entry.md5()).isEqualTo(md5("a: 1"));
        assertThat(entry.appName()).isEqualTo("shop");
        assertThat(entry.encryptedDataKey()).isEqualTo("key");
        assertThat(entry.sourceUser()).isEqualTo("bob");
        assertThat(entry.extInfo())
                .contains("\"type\":\"yaml\"", "\"config_tags\":\"t1,t2\"", "\"c_desc\":\"about\"", "\"c_use\":\"u\"");
    }

    @Test
    void anUnknownEntryIsEmpty() {
        assertThat(get(history.find(4711, ANY))).isEmpty();
        assertThat(get(history.previous(KEY, 4711, ANY))).isEmpty();
    }

    @Test
    void previousIsTheStateBeforeTheLastChangeOfThatRow() {
        store.publish("a.yaml", "a: 1");
        store.publish("a.yaml", "a: 2");
        store.publish("a.yaml", "a: 3");
        store.publish(publishForTag("blue", "a.yaml", "gray", null));
        long id = Long.parseLong(store.column("SELECT id FROM config_info").get(0));

        assertThat(get(history.previous(KEY, id, ANY)).orElseThrow().content()).isEqualTo("a: 2");
        assertThat(get(history.previous(key("other"), id, ANY)).orElseThrow().key())
                .as("of the configuration that has the row")
                .isEqualTo(KEY);
    }

    @Test
    void theOldestChangeAfterATimeHasTheContentOfThatTime() {
        Instant start = store.clock.instant();
        store.publish("a.yaml", "a: 1");
        store.clock.advance(Duration.ofMinutes(1));
        store.publish("a.yaml", "a: 2");
        store.clock.advance(Duration.ofMinutes(1));
        store.publish("a.yaml", "a: 3");

        Optional<HistoryEntry> after = rows.oldestAfter(KEY, start.plusSeconds(30), ANY);

        assertThat(after.orElseThrow().content()).isEqualTo("a: 1");
        assertThat(rows.oldestAfter(KEY, start.plusSeconds(90), ANY)
                        .orElseThrow()
                        .content())
                .isEqualTo("a: 2");
        assertThat(rows.oldestAfter(KEY, start.plusSeconds(150), ANY)).isEmpty();
    }

    @Test
    void theResultOfAChangeIsTheFormerContentOfTheNext() {
        for (int i = 1; i <= 4; i++) {
            // All in the same millisecond.
            store.publish("a.yaml", "a: " + i);
        }
        store.publish(publishForTag("blue", "a.yaml", "g: 1", null));

        List<HistoryEntry> updates = list().stream()
                .filter(entry -> entry.operation() == HistoryOperation.UPDATE)
                .toList();
        assertThat(updates)
                .extracting(entry ->
                        get(history.leftBehind(entry, ANY)).orElseThrow().content())
                .containsExactly("a: 4", "a: 3", "a: 2");
    }

    @Test
    void findsTheContentOfATimeInHistoryAndPresentState() {
        Instant start = store.clock.instant();
        store.clock.advance(Duration.ofMinutes(1));
        store.publish("a.yaml", "a: 1");
        store.clock.advance(Duration.ofMinutes(1));
        store.publish("a.yaml", "a: 2");

        assertThat(get(history.at(KEY, start.plusSeconds(30), ANY))).isEmpty();
        assertThat(get(history.at(KEY, start.plusSeconds(90), ANY))).contains(new PastContent("a: 1", md5("a: 1")));
        assertThat(get(history.at(KEY, start.plusSeconds(150), ANY))).contains(new PastContent("a: 2", md5("a: 2")));
    }

    @Test
    void ignoresAPublishBetweenTheTwoReads() {
        store.publish("a.yaml", "a: 1");
        store.clock.advance(Duration.ofMinutes(1));
        Instant asked = store.clock.instant();
        store.clock.advance(Duration.ofMinutes(1));

        // The first read finds no change after that time; then a publish follows.
        List<Runnable> meanwhile = new ArrayList<>(List.of(() -> store.publish("a.yaml", "a: 2")));
        history = historyThrough(task -> {
            task.run();
            if (!meanwhile.isEmpty()) {
                meanwhile.remove(0).run();
            }
        });

        assertThat(get(history.at(KEY, asked, ANY))).contains(new PastContent("a: 1", md5("a: 1")));
        assertThat(meanwhile).isEmpty();
        assertThat(store.content("a.yaml")).isEqualTo("a: 2");
    }

    @Test
    void distinguishesGrayReleases() {
        store.publish("a.yaml", "all");
        store.publish(publishForTag("blue", "a.yaml", "g: 1", null));
        store.publish(publishForTag("blue", "a.yaml", "g: 2", null));
        store.remove(removeForTag("blue", "a.yaml"));

        List<HistoryEntry> entries = list();

        assertThat(entries)
                .extracting(HistoryEntry::grayName)
                .containsExactly("tag_blue", "tag_blue", "tag_blue", null);
        assertThat(entries).extracting(HistoryEntry::publishType).containsExactly("gray", "gray", "gray", "formal");
        assertThat(entries)
                .extracting(HistoryEntry::operation)
                .containsExactly(
                        HistoryOperation.DELETE,
                        HistoryOperation.UPDATE,
                        HistoryOperation.INSERT,
                        HistoryOperation.INSERT);
        assertThat(get(history.find(entries.get(0).id(), ANY)).orElseThrow().extInfo())
                .contains("\"gray_name\":\"tag_blue\"", "gray_rule");
    }

    @Test
    void rollingBackAnUpdatePublishesTheFormerContent() {
        ConfigAttributes yaml =
                new ConfigAttributes(ConfigType.YAML, "shop", "about", null, null, null, List.of("t1"), "");
        store.publish(SampleCommands.publish(KEY, "a: 1", null, yaml, ANNA));
        store.publish("a.yaml", "broken");

        RolledBack back = get(history.rollback(KEY, list().get(0).id(), null, false, BOB, ANY));

        assertThat(back.change()).isPresent();
        assertThat(store.content("a.yaml")).isEqualTo("a: 1");
        assertThat(store.query("SELECT type, app_name, c_desc, src_user FROM config_info"))
                .containsExactly(List.of("yaml", "shop", "about", "bob"));
        assertThat(store.column("SELECT tag_name FROM config_tags_relation")).containsExactly("t1");
        assertThat(list()).hasSize(3);
        assertThat(list().get(0).operation()).isEqualTo(HistoryOperation.UPDATE);
        assertThat(list().get(0).sourceUser()).isEqualTo("bob");
    }

    /** Rows of Nacos before 2.5. */
    @Test
    void rollingBackAnEntryWithoutAttributesKeepsThePresentOnes() {
        ConfigAttributes yaml =
                new ConfigAttributes(ConfigType.YAML, "shop", "about", "use", "effect", "{}", List.of("t1"), "");
        store.publish(SampleCommands.publish(KEY, "a: 1", null, yaml, ANNA));
        store.publish(SampleCommands.publish(KEY, "a: 2", null, yaml, ANNA));
        HistoryService old = historyOf(new Rows() {
            @Override
            public Optional<HistoryEntry> find(long id, MemoryLease lease) {
                return rows.find(id, lease).map(HistoryContract::withoutAttributes);
            }
        });

        get(old.rollback(KEY, list().get(0).id(), null, false, BOB, ANY));

        assertThat(store.content("a.yaml")).isEqualTo("a: 1");
        assertThat(store.query("SELECT type, app_name, c_desc, c_use, effect, c_schema FROM config_info"))
                .containsExactly(List.of("yaml", "shop", "about", "use", "effect", "{}"));
        assertThat(store.column("SELECT tag_name FROM config_tags_relation")).containsExactly("t1");

        store.remove(remove("a.yaml"));
        get(old.rollback(KEY, list().get(0).id(), null, false, BOB, ANY));
        assertThat(store.query("SELECT type, app_name FROM config_info"))
                .as("by the ending of the name")
                .containsExactly(List.of("yaml", "shop"));
    }

    @Test
    void rollingBackADeleteRestoresTheConfiguration() {
        store.publish("a.yaml", "a: 1");
        store.remove(remove("a.yaml"));

        get(history.rollback(KEY, list().get(0).id(), null, false, BOB, ANY));

        assertThat(store.content("a.yaml")).isEqualTo("a: 1");
        assertThat(list().get(0).operation()).isEqualTo(HistoryOperation.INSERT);
    }

    @Test
    void rollingBackAnInsertDeletesIt() {
        store.publish("a.yaml", "a: 1");

        RolledBack back = get(history.rollback(KEY, list().get(0).id(), null, false, BOB, ANY));
        RolledBack again = get(history.rollback(KEY, list().get(1).id(), null, false, BOB, ANY));

        assertThat(back.change()).isPresent();
        assertThat(again.change()).isEmpty();
        assertThat(store.content("a.yaml")).isNull();
    }

    @Test
    void aGrayReleaseIsRolledBackWithItsRule() {
        store.publish("a.yaml", "all");
        store.publish(publishForTag("blue", "a.yaml", "g: 1", null));
        store.publish(publishForTag("blue", "a.yaml", "g: 2", null));

        get(history.rollback(KEY, list().get(0).id(), null, false, BOB, ANY));

        assertThat(store.query("SELECT gray_name, content FROM config_info_gray"))
                .containsExactly(List.of("tag_blue", "g: 1"));
        assertThat(store.column("SELECT gray_rule FROM config_info_gray"))
                .singleElement()
                .asString()
                .contains("\"expr\":\"blue\"");
        assertThat(store.content("a.yaml")).isEqualTo("all");

        get(history.rollback(KEY, list().get(2).id(), null, false, BOB, ANY));

        assertThat(store.column("SELECT gray_name FROM config_info_gray")).isEmpty();
    }

    @Test
    void aRollbackIsRefusedWhenTheContentIsNotTheExpectedOne() {
        store.publish("a.yaml", "a: 1");
        store.publish("a.yaml", "a: 2");
        long id = list().get(0).id();
        store.publish("a.yaml", "a: 3");

        assertThatThrownBy(() -> get(history.rollback(KEY, id, md5("a: 2"), false, BOB, ANY)))
                .isInstanceOfSatisfying(CairnException.class, failure -> assertThat(failure.code())
                        .isEqualTo(ErrorCode.CONFLICT));
        assertThat(store.content("a.yaml")).isEqualTo("a: 3");
    }

    @Test
    void rollingBackAnInsertIsRefusedWhenTheContentIsNotTheExpectedOne() {
        store.publish("a.yaml", "a: 1");
        long id = list().get(0).id();
        store.publish("a.yaml", "a: 2");

        assertConflict(() -> history.rollback(KEY, id, md5("a: 1"), false, BOB, ANY), md5("a: 2"));
        assertThat(store.content("a.yaml")).isEqualTo("a: 2");
        assertThat(list()).hasSize(2);

        assertThat(get(history.rollback(KEY, id, md5("a: 2"), false, BOB, ANY)).change())
                .isPresent();
        assertThat(store.content("a.yaml")).isNull();
        assertConflict(() -> history.rollback(KEY, id, md5("a: 2"), false, BOB, ANY), "none");
    }

    @Test
    void rollingBackTheInsertOfAGrayReleaseExpectsTheContentOfTheRelease() {
        store.publish("a.yaml", "all");
        store.publish(publishForTag("blue", "a.yaml", "g: 1", null));
        long id = list().get(0).id();

        assertConflict(() -> history.rollback(KEY, id, md5("all"), false, BOB, ANY), md5("g: 1"));
        assertThat(store.column("SELECT content FROM config_info_gray")).containsExactly("g: 1");

        assertThat(get(history.rollback(KEY, id, md5("g: 1"), false, BOB, ANY)).change())
                .isPresent();
        assertThat(store.column("SELECT content FROM config_info_gray")).isEmpty();
        assertThat(store.content("a.yaml")).isEqualTo("all");
    }

    @Test
    void doesNotRestoreADeletedConfigurationWhenAContentIsExpected() {
        store.publish("a.yaml", "a: 1");
        store.publish("a.yaml", "a: 2");
        long id = list().get(0).id();
        store.remove(remove("a.yaml"));

        assertConflict(() -> history.rollback(KEY, id, md5("a: 2"), false, BOB, ANY), "none");
        assertThat(store.content("a.yaml")).isNull();

        get(history.rollback(KEY, id, null, false, BOB, ANY));
        assertThat(store.content("a.yaml")).isEqualTo("a: 1");
    }

    private static void assertConflict(Supplier<CompletionStage<RolledBack>> rollback, String actual) {
        assertThatThrownBy(() -> get(rollback.get()))
                .isInstanceOfSatisfying(CairnException.class, failure -> assertThat(failure.code())
                        .isEqualTo(ErrorCode.CONFLICT))
                .hasMessageContaining(actual);
    }

    @Test
    void refusesToRollBackToAnEntryOfAnotherConfiguration() {
        store.publish("a.yaml", "a: 1");
        long id = list().get(0).id();

        assertThatThrownBy(() -> get(history.rollback(key("b.yaml"), id, null, false, BOB, ANY)))
                .isInstanceOfSatisfying(CairnException.class, failure -> assertThat(failure.code())
                        .isEqualTo(ErrorCode.INVALID_PARAMETER));
        assertThatThrownBy(() -> get(history.rollback(KEY, 4711, null, false, BOB, ANY)))
                .isInstanceOfSatisfying(CairnException.class, failure -> assertThat(failure.code())
                        .isEqualTo(ErrorCode.NOT_FOUND));
        assertThat(store.content("a.yaml")).isEqualTo("a: 1");
    }

    @Test
    void deletesExpiredEntriesInSmallWrites() {
        for (int i = 0; i < 250; i++) {
            store.publish("old-" + i, "x");
        }
        store.clock.advance(Duration.ofDays(29));
        store.publish("a.yaml", "young");
        HashedWheelTimer timer = new HashedWheelTimer();
        try (HistoryRetention retention = new HistoryRetention(rows, Duration.ofDays(30), store.clock, timer)) {
            assertThat(get(retention.clean())).isZero();
            store.clock.advance(Duration.ofDays(2));

            assertThat(get(retention.clean())).isEqualTo(250);
            assertThat(get(retention.clean())).isZero();
        } finally {
            timer.stop();
        }
        assertThat(store.column("SELECT data_id FROM his_config_info")).containsExactly("a.yaml");
        assertThat(store.entries()).hasSize(251);
    }

    @Test
    void theResponsibleNodeDeletesExpiredEntriesForAll() throws Exception {
        store.publish("a.yaml", "old");
        store.clock.advance(Duration.ofDays(31));
        AtomicBoolean isMine = new AtomicBoolean();
        HandDrivenLoop timer = new HandDrivenLoop();
        try (HistoryRetention retention =
                new HistoryRetention(rows, Duration.ofDays(30), store.clock, timer, isMine::get)) {
            retention.start();
            timer.pass(Duration.ofMinutes(61));
            store.announced();
            assertThat(list()).hasSize(1);

            isMine.set(true);
            timer.pass(Duration.ofMinutes(10));
            await().untilAsserted(() -> assertThat(list()).isEmpty());
        }
    }

    @Test
    void oneWriteDeletesNoMoreThanItsLimit() {
        for (int i = 0; i < 5; i++) {
            store.publish("a.yaml", "a: " + i);
            store.clock.advance(Duration.ofSeconds(1));
        }

        assertThat(get(rows.forget(store.clock.instant(), 2))).isEqualTo(2);
        assertThat(list()).hasSize(3);
        assertThat(list()).allSatisfy(entry -> assertThat(entry.operation()).isEqualTo(HistoryOperation.UPDATE));
    }

    @Test
    void aRepeatedCommandWithAnExpectationLeavesOneEntry() {
        store.publish("a.yaml", "a: 1");
        PublishConfig order = SampleCommands.publish(KEY, "a: 2");
        PublishConfig expecting =
                new PublishConfig(KEY, order.utf8(), order.digest(), md5("a: 1"), order.attributes(), null, order.by());

        assertThat(store.tryToPublish(expecting)).isInstanceOf(PublishResult.Published.class);
        assertThat(store.tryToPublish(expecting)).isInstanceOf(PublishResult.Conflict.class);
        assertThat(list())
                .extracting(HistoryEntry::operation)
                .containsExactly(HistoryOperation.UPDATE, HistoryOperation.INSERT);

        long created = list().get(0).id();
        get(history.rollback(KEY, created, md5("a: 2"), false, BOB, ANY));
        assertThatThrownBy(() -> get(history.rollback(KEY, created, md5("a: 2"), false, BOB, ANY)))
                .hasMessageContaining("has changed meanwhile");
        assertThat(list()).hasSize(3);
    }

    @Test
    void aRepeatedCommandWithoutAnExpectationLeavesTwoEntries() {
        store.publish("a.yaml", "a: 1");
        store.publish("a.yaml", "a: 1");

        // As in Nacos: a publish of the same content is a change like any other.
        assertThat(list())
                .extracting(HistoryEntry::operation)
                .containsExactly(HistoryOperation.UPDATE, HistoryOperation.INSERT);
    }

    private void assertForgotten(Instant time) {
        assertThatThrownBy(() -> get(history.mustReachBack(KEY, time)))
                .hasMessageContaining("does not reach back")
                .hasMessageContaining("30 days");
    }

    @Test
    void refusesATimeBeforeTheReachOfTheHistory() throws Exception {
        Instant start = store.clock.instant();
        store.publish(SampleCommands.publish(KEY, "a: 1"));
        store.clock.advance(Duration.ofDays(1));
        store.publish(SampleCommands.publish(KEY, "a: 2"));
        store.clock.advance(Duration.ofDays(30));
        Instant now = store.clock.instant();

        // Both entries exist: the state before the first is unknown, the states after it are known.
        assertForgotten(start.minusSeconds(60));
        get(history.mustReachBack(KEY, start.plusSeconds(60)));
        get(history.mustReachBack(KEY, now.minus(Duration.ofDays(29))));

        // Without the first entry, the state before the second is unknown.
        get(rows.forget(start.plusSeconds(60), 10));
        assertForgotten(start.plusSeconds(60));
        get(history.mustReachBack(KEY, start.plus(Duration.ofDays(1)).plusSeconds(60)));

        // Without any entry, the configuration's own time gives the start of its present content.
        get(rows.forget(now, 10));
        assertForgotten(start.plusSeconds(60));
        get(history.mustReachBack(KEY, start.plus(Duration.ofDays(1)).plusSeconds(60)));
    }
}
