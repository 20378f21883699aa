package io.cairn.server.storage.cluster;

import static io.cairn.server.storage.SampleCommands.key;
import static io.cairn.server.storage.SampleCommands.md5;
import static io.cairn.server.storage.SampleCommands.publish;
import static io.cairn.server.storage.SampleCommands.publishForTag;
import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ContentDigest;
import io.cairn.api.config.Namespace;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.auth.AccountChange;
import io.cairn.server.auth.AuditRecord;
import io.cairn.server.auth.Caller;
import io.cairn.server.change.ConfigChanged;
import io.cairn.server.change.RevisionFollower;
import io.cairn.server.config.CapacityScope;
import io.cairn.server.config.ConfigEntry;
import io.cairn.server.config.ConfigLimits;
import io.cairn.server.config.ConfigService;
import io.cairn.server.config.ContentLoader;
import io.cairn.server.config.PublishResult;
import io.cairn.server.config.RemoveConfig;
import io.cairn.server.config.capacity.CapacityChange;
import io.cairn.server.namespace.StoredNamespace;
import io.cairn.server.naming.InstanceOverride;
import io.cairn.server.naming.ServiceSettings;
import io.cairn.server.naming.stored.NamingWrite;
import io.cairn.server.storage.SampleCommands;
import io.cairn.server.storage.TestDatabase;
import io.cairn.server.storage.TestStore;
import io.cairn.server.storage.access.JdbcAccountStore;
import io.cairn.server.storage.database.ConnectionSource;
import io.cairn.server.storage.namespace.JdbcCapacityStore;
import io.cairn.server.storage.namespace.JdbcNamespaceStore;
import io.cairn.server.storage.naming.JdbcNamingStore;
import io.cairn.server.storage.row.ChangeRow;
import io.cairn.server.storage.writer.AppliedRevision;
import io.cairn.server.storage.writer.FaultyConnections;
import io.cairn.server.storage.writer.Holding;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Changes of other nodes and programs in the database are found, shown and announced; this node's own changes are not.
 */
abstract class ExternalChangePollerContract {

    /** Reads the present revision, and the rows of the log. */
    private static final int LOG_STATEMENTS = 2;

    private static final ServiceKey SERVICE = new ServiceKey(Namespace.DEFAULT, "DEFAULT_GROUP", "orders");
    private static final ServiceKey ELSEWHERE = new ServiceKey(Namespace.ofNullable("dev"), "group", "payments");
    private static final InstanceKey ADDRESS = new InstanceKey("10.0.0.1", 8080, "DEFAULT");
    private static final String OTHER_MD5 = "795f3202b17cb6bc3d4b771d8c6c9eaf";

    @TempDir
    Path folder;

    private final NotedParts parts = new NotedParts();
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
        return follow(store, database.writer(), new ExternalChangePoller.Settings(Duration.ofMillis(20), compare));
    }

    private ExternalChangePoller follow(
            TestStore following, ConnectionSource source, ExternalChangePoller.Settings settings) {
        ExternalChangePoller foreign = new ExternalChangePoller(
                source,
                database.dialect(),
                following.writer,
                following.view,
                settings,
                parts,
                following.readers.leftOut());
        foreign.start();
        return foreign;
    }

    /** Follows notices without heartbeats, after the first full comparison. */
    private ExternalChangePoller followNotices(TestStore following, ConnectionSource source) {
        ExternalChangePoller foreign =
                follow(following, source, new ExternalChangePoller.Settings(Duration.ofHours(1), Duration.ofHours(1)));
        following.writer.applied().wake(Long.MAX_VALUE);
        await().until(() -> following.writer.applied().appliedRevision() >= 0);
        return foreign;
    }

    private long revision() {
        return Long.parseLong(store.column("SELECT value FROM cairn_revision").get(0));
    }

    private void applied(TestStore following, long revision) {
        await().untilAsserted(() ->
                assertThat(following.writer.applied().appliedRevision()).isEqualTo(revision));
    }

    private Set<String> heard() {
        return store.heard.stream().map(change -> change.key().dataId()).collect(Collectors.toSet());
    }

    @Test
    void showsAndAnnouncesChangedAddedAndRemovedRows() {
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

            await().untilAsserted(
                            () -> assertThat(heard()).containsExactlyInAnyOrder("changed", "removed", "added", "gray"));
            assertThat(store.view.entry(key("changed")))
                    .extracting(ConfigEntry::digest)
                    .hasToString(OTHER_MD5);
            assertThat(store.view.entry(key("removed"))).isNull();
            assertThat(store.view.entry(key("added"))).isNotNull();
            assertThat(store.view.grayEntries(key("gray"))).isEmpty();
        }
    }

    @Test
    void findsAContentChangedWithoutItsMd5ByItsTime() {
        store.publish("a", "1");
        try (ExternalChangePoller foreign = follow(Duration.ofMillis(50))) {
            store.byHand("UPDATE config_info SET content = 'other', gmt_modified = " + aMinuteLater());
            await().untilAsserted(() -> assertThat(store.view.entry(key("a")))
                    .extracting(ConfigEntry::digest)
                    .hasToString(OTHER_MD5));
        }
    }

    @Test
    void aReaderAfterARestartFindsAContentChangedWithoutItsMd5AndTime() throws Exception {
        store.publish("a", "1");
        store.publish(publishForTag("t", "gray", "2", null));
        store.byHand("UPDATE config_info SET content = 'other'");
        store.byHand("UPDATE config_info_gray SET content = 'other'");
        try (TestStore again = TestStore.start(database)) {
            ConfigService configs = new ConfigService(
                    again.store,
                    again.view,
                    new ConfigLimits(1_000, 1_000),
                    new ContentLoader(
                            again.store,
                            again.view,
                            Runnable::run,
                            1,
                            10,
                            new MisstatedDigests(again.writer, again.view)));
            again.heard.clear();
            ConfigEntry formal = again.view.entry(key("a"));
            ConfigEntry gray = again.view.grayEntries(key("gray")).get(0);
            for (ConfigEntry trusted : List.of(formal, gray)) {
                assertThat(configs.load(trusted, () -> trusted)
                                .toCompletableFuture()
                                .join()
                                .orElseThrow()
                                .utf8())
                        .asString(StandardCharsets.UTF_8)
                        .isEqualTo("other");
            }
            await().untilAsserted(() -> {
                assertThat(again.shown(key("a"))).containsExactly(OTHER_MD5);
                assertThat(again.shown(key("gray"))).containsExactly("none", OTHER_MD5);
            });
            assertThat(again.announced())
                    .extracting(change -> change.key().dataId())
                    .containsExactlyInAnyOrder("a", "gray");
        }
    }

    /** An expression of the database. */
    String aMinuteLater() {
        return "gmt_modified + 60000";
    }

    @Test
    void doesNotReportOwnWritesAndLosesNone() {
        try (ExternalChangePoller foreign = follow(Duration.ofMillis(10))) {
            for (int i = 0; i < 600; i++) {
                store.publish("own-" + i % 20, Integer.toString(i));
            }
            await().untilAsserted(() -> assertThat(store.announced()).hasSize(600));
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
    void findsChangesInTheLogOfAnotherNodeWithoutComparingRows() {
        store.publish("a", "1");
        try (ExternalChangePoller foreign = follow(Duration.ofHours(1));
                TestStore other = TestStore.start(database)) {
            await().untilAsserted(() -> {
                // Nothing is missed before it follows: older changes were loaded at the start.
                other.publish("a", "other");
                other.publish("b", "1");
                assertThat(heard()).contains("b");
            });
            await().untilAsserted(() -> assertThat(store.view.entry(key("a")))
                    .extracting(ConfigEntry::digest)
                    .hasToString(OTHER_MD5));
        }
    }

    @Test
    void aLookShowsWhatOthersHadStoredBeforeIt() throws Exception {
        store.publish("a", "1");
        try (ExternalChangePoller foreign = followNotices(store, database.writer());
                TestStore other = TestStore.start(database)) {
            for (int number = 0; number < 20; number++) {
                String content = "other-" + number;
                other.publish("a", content);

                assertThat(check()).isTrue();

                assertThat(store.view.entry(key("a")))
                        .extracting(ConfigEntry::digest)
                        .isEqualTo(ContentDigest.of(content));
                assertThat(store.writer.applied().appliedRevision()).isEqualTo(revision());
            }
        }
    }

    private boolean check() throws Exception {
        return store.writer.applied().check().toCompletableFuture().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    @Test
    void aLookSaysWhatIsShownAsOf() throws Exception {
        try (ExternalChangePoller foreign = followNotices(store, database.writer())) {
            long before = System.nanoTime();

            assertThat(check()).isTrue();

            assertThat(store.writer.applied().following().asOfNanos() - before).isNotNegative();
        }
    }

    @Test
    void aLookFailsAtOnceWhileTheDatabaseIsAway() throws Exception {
        try (ExternalChangePoller foreign = followNotices(store, database.writer())) {
            await().untilAsserted(() -> {
                // The writer finds at any moment that the database answers, and closes the circuit.
                store.writer.circuit().open(new CairnException(ErrorCode.UNAVAILABLE, "away on purpose"));
                assertThat(check()).isFalse();
            });
        }
    }

    @Test
    void aLogRowWithoutAConfigurationDelaysNoOther() {
        store.publish("a", "1");
        try (ExternalChangePoller foreign = follow(Duration.ofHours(1));
                TestStore other = TestStore.start(database)) {
            await().untilAsserted(() -> {
                other.publish("begun", "1");
                assertThat(heard()).contains("begun");
            });
            store.byHand("INSERT INTO cairn_change (revision, batch, kind, op_type, tenant_id, group_id, data_id, md5,"
                    + " changed_at) SELECT value + 1, 7, 'config', 'U', '', ' ', '', NULL, 0 FROM cairn_revision");
            store.byHand("UPDATE cairn_revision SET value = value + 1");
            other.publish("a", "other");
            await().untilAsserted(() -> assertThat(store.view.entry(key("a")))
                    .extracting(ConfigEntry::digest)
                    .hasToString(OTHER_MD5));
        }
    }

    @Test
    void repeatsAFailedReloadOfTheRegistry() {
        AtomicInteger reloads = new AtomicInteger();
        try (ExternalChangePoller foreign = new ExternalChangePoller(
                database.writer(),
                database.dialect(),
                store.writer,
                store.view,
                new ExternalChangePoller.Settings(Duration.ofMillis(20), Duration.ofHours(1)),
                new NotedParts() {
                    @Override
                    public void registry() {
                        if (reloads.incrementAndGet() < 3) {
                            throw new IllegalStateException("a reload that fails on purpose");
                        }
                    }
                },
                store.readers.leftOut())) {
            foreign.start();
            await().untilAsserted(() -> assertThat(reloads).hasValueGreaterThanOrEqualTo(3));
        }
        assertThat(reloads.get()).isBetween(3, 5);
    }

    @Test
    void findsChangesFromBeforeTheFirstPoll() {
        store.publish("a", "1");
        store.byHand("DELETE FROM config_info WHERE data_id = 'a'");
        try (ExternalChangePoller foreign = follow(Duration.ofHours(1))) {
            await().untilAsserted(() -> assertThat(store.view.entry(key("a"))).isNull());
        }
    }

    @Test
    void aChangeReloadsOnlyThePartOfItsKind() {
        try (ExternalChangePoller foreign = follow(Duration.ofHours(1));
                TestStore other = TestStore.start(database)) {
            await().until(() -> store.writer.applied().appliedRevision() >= 0);
            assertThat(parts.noted).containsExactlyInAnyOrder("registry", "accounts", "namespaces", "secrets");
            JdbcNamingStore naming = new JdbcNamingStore(other.writer, other.readers);

            Instance instance = new Instance(ADDRESS, 1, true, true, false, Map.of(), null);
            follows(naming, new NamingWrite.SaveService(SERVICE, ServiceSettings.ofKind(false)), SERVICE);
            follows(naming, new NamingWrite.SaveInstance(SERVICE, instance), SERVICE);
            follows(naming, new NamingWrite.RemoveInstance(SERVICE, ADDRESS), SERVICE);
            follows(naming, new NamingWrite.RemoveService(SERVICE), SERVICE);
            InstanceOverride disabled = new InstanceOverride(null, false, Map.of());
            follows(naming, new NamingWrite.SaveOverride(ELSEWHERE, ADDRESS, disabled), ELSEWHERE);
            follows(naming, new NamingWrite.SaveSwitch("pushEnabled", "false"), "pushEnabled");
            follows(
                    () -> new JdbcNamespaceStore(other.writer, other.readers)
                            .create(new StoredNamespace(Namespace.ofNullable("dev"), "Development", ""), Caller.SERVER),
                    "namespaces");
            follows(
                    () -> new JdbcAccountStore(other.writer, other.readers)
                            .apply(
                                    List.of(new AccountChange.CreateUser("ben", "$2a$10$hash", false)),
                                    AuditRecord.of(Caller.SERVER, "user.create", "ben")),
                    "accounts");
            follows(() -> new JdbcCapacityStore(other.writer, other.readers)
                    .set(CapacityScope.of(key("a")), new CapacityChange(5, null, null, null), Caller.SERVER));
            byHand(ChangeRow.SECRET);
            read("secrets");
            byHand(ChangeRow.RESTORED);
            read("registry", "accounts", "namespaces", "secrets");
        }
    }

    private void follows(JdbcNamingStore naming, NamingWrite write, Object... expected) {
        follows(() -> naming.write(List.of(write), Caller.SERVER, () -> {}), expected);
    }

    private void follows(Supplier<CompletionStage<?>> change, Object... expected) {
        parts.noted.clear();
        TestStore.get(change.get());
        read(expected);
    }

    private void read(Object... expected) {
        applied(store, revision());
        assertThat(parts.noted).containsExactlyInAnyOrder(expected);
        parts.noted.clear();
    }

    /** Adds a row of that kind to the log, as another node does. */
    private void byHand(String kind) {
        parts.noted.clear();
        store.byHand(
                "INSERT INTO cairn_change (revision, batch, kind, op_type, tenant_id, group_id, data_id, md5,"
                        + " changed_at) SELECT value + 1, 7, ?, 'U', '', '', '', NULL, 0 FROM cairn_revision",
                kind);
        store.byHand("UPDATE cairn_revision SET value = value + 1");
    }

    @Test
    void repeatsAFailedReloadWithoutDelayingOtherParts() {
        AtomicInteger failures = new AtomicInteger();
        NotedParts failing = new NotedParts() {
            @Override
            public void accounts() {
                if (failures.incrementAndGet() % 3 != 0) {
                    throw new IllegalStateException("accounts that cannot be read, on purpose");
                }
                super.accounts();
            }
        };
        try (ExternalChangePoller foreign = new ExternalChangePoller(
                        database.writer(),
                        database.dialect(),
                        store.writer,
                        store.view,
                        new ExternalChangePoller.Settings(Duration.ofMillis(20), Duration.ofHours(1)),
                        failing,
                        store.readers.leftOut());
                TestStore other = TestStore.start(database)) {
            foreign.start();
            await().until(() -> store.writer.applied().appliedRevision() >= 0);
            failing.noted.clear();
            failures.set(0);

            byHand(ChangeRow.ACCOUNT);
            other.publish("a", "1");
            applied(store, revision());

            assertThat(store.view.entry(key("a"))).isNotNull();
            assertThat(failures).hasValue(3);
            assertThat(failing.noted).containsExactly("accounts");
        }
    }

    @Test
    void appliesAChangeOnANoticeWithoutAHeartbeat() {
        List<Long> heard = new CopyOnWriteArrayList<>();
        store.writer.applied().follow(heard::add);
        try (ExternalChangePoller foreign = followNotices(store, database.writer());
                TestStore other = TestStore.start(database)) {
            // Listeners are called after the revision is shown, and revisions that follow each other quickly are one
            // call.
            await().until(() -> heard.contains(0L));
            for (int i = 1; i <= 200; i++) {
                long revision = other.publish("a", Integer.toString(i)).revision();
                store.writer.applied().wake(revision);
                applied(store, revision);
                assertThat(store.view.entry(key("a")).digest()).isEqualTo(ContentDigest.of(Integer.toString(i)));
                // Listeners are called after the revision is shown, and revisions that follow each other quickly are
                // one call.
                await().until(() -> heard.contains(revision));
            }
        }
        assertThat(heard).isSorted().doesNotHaveDuplicates().hasSize(1 + 200);
    }

    @Test
    void noticesThatArriveTogetherCauseOneRead() throws Exception {
        FaultyConnections counted = new FaultyConnections(database.writer());
        try (ExternalChangePoller foreign = followNotices(store, counted)) {
            CountDownLatch started = new CountDownLatch(1);
            CountDownLatch held = new CountDownLatch(1);
            // Without a transaction, so that the other node can write.
            CompletionStage<Boolean> holding = store.writer.submit(new ReloadCommand(() -> {
                started.countDown();
                waitFor(held);
            }));
            assertThat(started.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
            int before = counted.executed();
            byHand(ChangeRow.SWITCH);
            store.writer.applied().wake(revision());
            await().until(() -> counted.executed() == before + LOG_STATEMENTS);
            byHand(ChangeRow.SWITCH);
            long last = revision();
            for (int i = 0; i < 1_000; i++) {
                store.writer.applied().wake(last);
            }
            held.countDown();
            TestStore.get(holding);

            applied(store, last);
            assertThat(counted.executed()).isEqualTo(before + 2 * LOG_STATEMENTS);
        }
    }

    private static void waitFor(CountDownLatch latch) {
        try {
            assertThat(latch.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    @Test
    void doesNotReadOwnCommitsAmongThoseOfAnotherNode() {
        try (ExternalChangePoller foreign = followNotices(store, database.writer());
                TestStore other = TestStore.start(database)) {
            JdbcNamingStore naming = new JdbcNamingStore(store.writer, store.readers);
            parts.noted.clear();
            for (int i = 0; i < 20; i++) {
                other.publish("other", Integer.toString(i));
                // Without a notice: the commit itself detects an earlier change of another node.
                TestStore.get(naming.write(
                        List.of(new NamingWrite.SaveService(SERVICE, ServiceSettings.ofKind(false))),
                        Caller.SERVER,
                        () -> {}));
                applied(store, revision());
                assertThat(store.view.entry(key("other")).digest()).isEqualTo(ContentDigest.of(Integer.toString(i)));
            }
        }
    }

    @Test
    void reloadsConfigurationsWithOneStatementAndWithoutTheLock() throws Exception {
        store.publish("gray", "1");
        store.publish(publishForTag("t", "gray", "2", null));
        Map<ConfigKey, RecheckCommand.Suspicion> suspects = new HashMap<>();
        for (int i = 0; i < 63; i++) {
            store.publish("id-" + i, "1");
            suspects.put(key("id-" + i), new RecheckCommand.Suspicion(false, false));
        }
        suspects.put(key("absent"), new RecheckCommand.Suspicion(false, false));
        FaultyConnections counted = new FaultyConnections(database.writer());
        try (TestStore other = TestStore.start(database.writtenThrough(counted));
                Connection locking = database.writer().open()) {
            database.dialect().begin(locking);
            database.dialect().lockRevision(locking);
            other.heard.clear();

            int before = counted.executed();
            assertThat(TestStore.get(other.writer.submit(new RecheckCommand(suspects, other.view))))
                    .isEqualTo(64);
            assertThat(counted.executed() - before).isEqualTo(1);

            // Its gray releases are shown, so their two tables are read as well.
            before = counted.executed();
            suspects.remove(key("absent"));
            suspects.put(key("gray"), new RecheckCommand.Suspicion(false, false));
            TestStore.get(other.writer.submit(new RecheckCommand(suspects, other.view)));
            assertThat(counted.executed() - before).isEqualTo(3);

            database.dialect().rollback(locking);
            assertThat(other.heard).isEmpty();
        }
    }

    @Test
    void aReloadRunsAfterQueuedWritesAndSplitsNoBatch() throws Exception {
        CountDownLatch started = new CountDownLatch(1);
        CountDownLatch held = new CountDownLatch(1);
        CompletionStage<Boolean> holding = store.writer.submit(new Holding(started, held));
        assertThat(started.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        CompletionStage<PublishResult> first = store.store.publish(publish("a", "1"));
        CompletionStage<Integer> read = store.writer.submit(
                new RecheckCommand(Map.of(key("b"), new RecheckCommand.Suspicion(false, false)), store.view));
        CompletionStage<PublishResult> second = store.store.publish(publish("b", "1"));
        held.countDown();
        TestStore.get(holding);
        TestStore.get(first);
        TestStore.get(second);
        TestStore.get(read);

        assertThat(store.column("SELECT DISTINCT batch FROM cairn_change")).hasSize(1);
        assertThat(store.announced()).hasSize(2);
        assertThat(store.view.entry(key("b"))).isNotNull();
    }

    @Test
    void twoNodesEndWithTheNewestContentAfterConcurrentWrites() throws Exception {
        try (TestStore other = TestStore.start(database);
                ExternalChangePoller foreign = followNotices(store, database.writer());
                ExternalChangePoller back = followNotices(other, database.writer())) {
            ExecutorService writers = Executors.newFixedThreadPool(4);
            try {
                List<Future<?>> running = new ArrayList<>();
                for (int writer = 0; writer < 4; writer++) {
                    TestStore own = writer % 2 == 0 ? store : other;
                    TestStore peer = writer % 2 == 0 ? other : store;
                    Random random = new Random(writer);
                    String name = Integer.toString(writer);
                    running.add(writers.submit(() -> {
                        for (int i = 0; i < 250; i++) {
                            String dataId = "id-" + random.nextInt(20);
                            long revision;
                            if (random.nextInt(4) == 0) {
                                revision = own.remove(new RemoveConfig(key(dataId), null, SampleCommands.ANNA))
                                        .map(ConfigChanged::revision)
                                        .orElse(0L);
                            } else if (random.nextInt(4) == 0) {
                                revision = own.publish(publishForTag("t", dataId, name + '.' + i, null))
                                        .revision();
                            } else {
                                revision = own.publish(dataId, name + '.' + i).revision();
                            }
                            peer.writer.applied().wake(revision);
                        }
                    }));
                }
                for (Future<?> each : running) {
                    each.get(PATIENCE.multipliedBy(2).toSeconds(), TimeUnit.SECONDS);
                }
            } finally {
                writers.shutdownNow();
            }
            applied(store, revision());
            applied(other, revision());
            for (TestStore each : List.of(store, other)) {
                each.announced();
                List<ConfigEntry> shown = new ArrayList<>();
                each.view.forEach(shown::add);
                each.view.forEachGray(shown::add);
                assertThat(shown).containsExactlyInAnyOrderElementsOf(each.entries());
                shown.forEach(entry -> assertThat(each.fetched).containsEntry(entry.key(), each.shown(entry.key())));
                each.fetched.forEach(
                        (key, read) -> assertThat(read).as("%s", key).isEqualTo(each.shown(key)));
            }
        }
    }

    @Test
    void reloadsEverythingAfterTheDatabaseLostCommits() {
        store.publish("kept", "1");
        List<String> heard = new CopyOnWriteArrayList<>();
        try (ExternalChangePoller foreign = follow(Duration.ofHours(1))) {
            await().until(() -> store.writer.applied().appliedRevision() >= 0);
            store.writer.applied().follow(new RevisionFollower.Listener() {
                @Override
                public void applied(long revision) {}

                @Override
                public void wentBack(long revision) {
                    heard.add("back to " + revision);
                }
            });
            store.publish("lost", "1");
            store.publish("changed", "1");
            store.publish("changed", "2");
            applied(store, 4);
            parts.noted.clear();
            store.byHand("UPDATE config_info SET md5 = ?, content = '1' WHERE data_id = 'changed'", md5("1"));
            store.byHand("DELETE FROM config_info WHERE data_id = 'lost'");
            store.byHand("DELETE FROM cairn_change WHERE revision > 2");
            store.byHand("UPDATE cairn_revision SET value = 2");

            applied(store, 2);

            assertThat(store.view.entry(key("lost"))).isNull();
            assertThat(store.view.entry(key("changed")).digest()).isEqualTo(ContentDigest.of("1"));
            assertThat(store.view.entry(key("kept"))).isNotNull();
            assertThat(parts.noted).contains("registry", "accounts", "namespaces", "secrets");
            // Listeners are called after the revision is shown.
            await().untilAsserted(() -> assertThat(heard).containsExactly("back to 2"));
            assertThat(store.writer.applied().lostCommits())
                    .isEqualTo(new AppliedRevision.LostCommits(4, 2, store.clock.instant()));
            assertThat(store.publish("later", "1").revision()).isEqualTo(3);
            applied(store, 3);
        }
    }

    @Test
    void detectsLostCommitsAlsoWhenTheRevisionHasCaughtUp() {
        store.publish("changed", "1");
        try (ExternalChangePoller foreign = follow(Duration.ofHours(1))) {
            await().until(() -> store.writer.applied().appliedRevision() >= 0);
            store.publish("changed", "2");
            applied(store, 2);

            // A reconnect alone does not mean lost commits.
            store.writer.applied().reconnected();
            store.publish("later", "1");
            applied(store, 3);
            assertThat(store.writer.applied().lostCommits()).isNull();

            // As on a replica without revision 3, to which another node has published in the meantime.
            store.byHand("DELETE FROM config_info WHERE data_id = 'later'");
            store.byHand("UPDATE config_info SET md5 = ?, content = '3' WHERE data_id = 'changed'", md5("3"));
            store.byHand("UPDATE cairn_change SET batch = batch + 1, data_id = 'changed' WHERE revision = 3");
            store.writer.applied().reconnected();

            await().untilAsserted(() -> assertThat(store.writer.applied().lostCommits())
                    .isEqualTo(new AppliedRevision.LostCommits(3, 3, store.clock.instant())));
            assertThat(store.view.entry(key("later"))).isNull();
            assertThat(store.view.entry(key("changed")).digest()).isEqualTo(ContentDigest.of("3"));
        }
    }

    @Test
    void detectsLostCommitsAlsoWhenOthersHavePublishedMoreAndNoConnectionEnded() throws Exception {
        try (TestStore other = TestStore.start(database)) {
            store.publish("changed", "1");
            try (ExternalChangePoller foreign = follow(Duration.ofHours(1))) {
                applied(store, 1);
                store.publish("changed", "2");
                applied(store, 2);

                store.byHand("UPDATE config_info SET md5 = ?, content = '3' WHERE data_id = 'changed'", md5("3"));
                store.byHand("UPDATE cairn_change SET batch = batch + 1 WHERE revision = 2");
                other.publish("later", "1");

                await().untilAsserted(() -> assertThat(store.writer.applied().lostCommits())
                        .isEqualTo(new AppliedRevision.LostCommits(2, 3, store.clock.instant())));
                assertThat(store.view.entry(key("changed")).digest()).isEqualTo(ContentDigest.of("3"));
                assertThat(store.view.entry(key("later"))).isNotNull();
            }
        }
    }
}
