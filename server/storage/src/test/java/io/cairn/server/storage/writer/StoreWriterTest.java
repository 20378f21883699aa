package io.cairn.server.storage.writer;

import static io.cairn.server.storage.SampleCommands.compareAndSet;
import static io.cairn.server.storage.SampleCommands.key;
import static io.cairn.server.storage.SampleCommands.md5;
import static io.cairn.server.storage.SampleCommands.publish;
import static io.cairn.server.storage.SampleCommands.remove;
import static io.cairn.testing.Patience.PATIENCE;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ContentDigest;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.change.ConfigChanged;
import io.cairn.server.config.ConfigEntry;
import io.cairn.server.config.PublishResult;
import io.cairn.server.metrics.MeterNames;
import io.cairn.server.storage.SampleCommands;
import io.cairn.server.storage.TestDatabase;
import io.cairn.server.storage.TestStore;
import io.cairn.testing.HangLimit;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@HangLimit
class StoreWriterTest {

    @TempDir
    Path folder;

    private TestDatabase database;
    private FaultyConnections connections;
    private TestStore store;

    @BeforeEach
    void open() {
        database = TestDatabase.sqlite(folder);
        connections = new FaultyConnections(database.writer());
        store = TestStore.start(database.writtenThrough(connections));
    }

    @AfterEach
    void close() {
        store.close();
    }

    private void reopen(StoreWriter.Limits limits) {
        store.close();
        store = TestStore.start(database.writtenThrough(connections), limits);
    }

    @Test
    void queuedCommandsShareOneCommit() {
        List<CompletionStage<PublishResult>> waiting = together(() -> publishAll("a", "b", "c"));

        waiting.forEach(TestStore::get);

        assertThat(store.column("SELECT DISTINCT batch FROM cairn_change")).hasSize(1);
        assertThat(store.column("SELECT data_id FROM cairn_change ORDER BY revision"))
                .containsExactly("a", "b", "c");
    }

    @Test
    void limitsTheSizeOfABatch() {
        reopen(new StoreWriter.Limits(100, 1 << 20, 2, 1 << 20));
        together(() -> publishAll("a", "b", "c", "d", "e")).forEach(TestStore::get);
        assertThat(store.column("SELECT count(*) FROM cairn_change GROUP BY batch ORDER BY min(revision)"))
                .containsExactly("2", "2", "1");

        reopen(new StoreWriter.Limits(100, 1 << 20, 100, 1_000));
        together(() -> publishAll("f", "g", "h")).forEach(TestStore::get);
        assertThat(store.column("SELECT count(*) FROM cairn_change WHERE data_id IN ('f', 'g', 'h')"
                        + " GROUP BY batch ORDER BY min(revision)"))
                .as("a command weighs 512 bytes and its content")
                .containsExactly("2", "1");
    }

    @Test
    void aFailedWriteOfABatchFailsAloneAndTheOthersAreStored() {
        store.byHand("CREATE TRIGGER bad BEFORE INSERT ON config_info WHEN NEW.data_id = 'bad'"
                + " BEGIN SELECT RAISE(ABORT, 'this row is bad'); END");
        store.publish("known", "1");

        List<CompletionStage<PublishResult>> waiting = together(() -> List.of(
                store.store.publish(publish("a", "1")),
                store.store.publish(publish("bad", "1")),
                store.store.publish(publish("known", "2")),
                store.store.publish(publish("b", "1"))));

        for (int stored : new int[] {0, 2, 3}) {
            TestStore.published(TestStore.get(waiting.get(stored)));
        }
        CairnException failure = failureOf(waiting.get(1));
        assertThat(failure.code()).isEqualTo(ErrorCode.UNAVAILABLE);
        assertThat(failure).hasMessageContaining("was not stored").hasMessageContaining("this row is bad");
        assertThat(store.content("a")).isEqualTo("1");
        assertThat(store.content("b")).isEqualTo("1");
        assertThat(store.content("known")).isEqualTo("2");
        assertThat(store.content("bad")).isNull();
        assertThat(store.view.entry(key("bad"))).isNull();
        assertThat(store.column("SELECT data_id FROM his_config_info ORDER BY nid"))
                .as("nothing was recorded twice")
                .containsExactly("known", "a", "known", "b");
        assertThat(store.column("SELECT revision FROM cairn_change ORDER BY revision"))
                .as("the failed write used no revision")
                .containsExactly("1", "2", "3", "4");
        assertThat(store.writer.circuit().cause()).isNull();
    }

    @Test
    void reportsADefectInOneCommandAndStoresTheOthers() {
        List<CompletionStage<?>> waiting = new ArrayList<>();
        together(() -> {
            waiting.add(store.store.publish(publish("a", "1")));
            waiting.add(store.writer.submit(new Command(transaction -> {
                throw new IllegalStateException("a defect");
            })));
            waiting.add(store.store.publish(publish("b", "1")));
            return List.of();
        });

        TestStore.get(waiting.get(0));
        TestStore.get(waiting.get(2));
        assertThat(failureOf(waiting.get(1)).code()).isEqualTo(ErrorCode.INTERNAL);
        assertThat(failureOf(waiting.get(1))).hasMessageContaining("a defect");
        assertThat(store.content("a")).isEqualTo("1");
        assertThat(store.content("b")).isEqualTo("1");
    }

    @Test
    void aVirtualMachineErrorEndsOneBatchAndNotTheWriter() {
        CompletionStage<Integer> failed = store.writer.submit(new Command(transaction -> {
            throw new NoClassDefFoundError("io/cairn/Gone");
        }));

        assertThat(failureOf(failed).code()).isEqualTo(ErrorCode.INTERNAL);
        store.publish("a", "1");
        assertThat(store.content("a")).isEqualTo("1");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void acknowledgesAStoredWriteThatCannotBeShownAndRepairsTheViewBeforeTheNextWrite(boolean error) {
        store.publish("a", "0");
        store.byHand("UPDATE config_info SET content = '1', md5 = ? WHERE data_id = 'a'", md5("1"));
        List<CompletionStage<?>> waiting = new ArrayList<>();
        together(() -> {
            waiting.add(store.writer.submit(new Command(transaction -> 0, () -> {
                if (error) {
                    throw new NoClassDefFoundError("io/cairn/Gone");
                }
                throw new IllegalStateException("a defect");
            })));
            waiting.add(store.store.publish(publish("c", "1")));
            return List.of();
        });

        waiting.forEach(TestStore::get);
        assertThat(store.content("c")).isEqualTo("1");
        store.publish("b", "1");

        assertThat(store.view.entry(key("a")))
                .isEqualTo(store.load(key("a")).orElseThrow().entry());
    }

    @Test
    void acknowledgesACommitWhoseResponseWasLost() {
        store.publish("a", "1");
        connections.loseTheAnswerToCommit();

        ConfigChanged change = store.publish("a", "2");

        assertThat(change.revision()).isEqualTo(2);
        assertThat(store.content("a")).isEqualTo("2");
        assertThat(store.view.entry(key("a")).digest()).isEqualTo(ContentDigest.of("2"));
        assertThat(store.announced()).hasSize(2);
        assertThat(connections.opened())
                .as("it was read through a new connection")
                .isEqualTo(2);
        assertThat(store.publish("a", "3").revision()).isEqualTo(3);
    }

    @Test
    void doesNotRepeatABatchWhoseCommitResponseWasLost() {
        store.publish("cas", "0");
        List<CompletionStage<PublishResult>> waiting = together(() -> {
            connections.loseTheAnswerToCommit();
            return List.of(
                    store.store.publish(publish("a", "1")),
                    store.store.publish(compareAndSet("cas", "1", md5("0"))),
                    store.store.publish(publish("b", "1")));
        });

        waiting.forEach(stage -> TestStore.published(TestStore.get(stage)));

        assertThat(store.column("SELECT data_id FROM his_config_info ORDER BY nid"))
                .containsExactly("cas", "a", "cas", "b");
        assertThat(store.content("cas")).isEqualTo("1");
    }

    @Test
    void refusesACommitThatDidNotArriveWithoutStoringIt() {
        store.publish("a", "1");
        connections.failCommit();

        CairnException failure = failureOf(store.store.publish(publish("a", "2")));

        assertThat(failure.code()).isEqualTo(ErrorCode.UNAVAILABLE);
        assertThat(failure).hasMessageContaining("was not stored").hasMessageContaining("connection refused");
        assertThat(store.content("a")).isEqualTo("1");
        assertThat(store.view.entry(key("a")).digest()).isEqualTo(ContentDigest.of("1"));
        assertThat(store.announced()).hasSize(1);
        assertThat(store.publish("a", "3").revision()).isEqualTo(2);
        assertThat(store.content("a")).isEqualTo("3");
    }

    @Test
    void refusesARemovalWhoseCommitDidNotArrive() {
        store.publish("a", "1");
        connections.failCommit();

        assertThat(failureOf(store.store.remove(remove("a"))).code()).isEqualTo(ErrorCode.UNAVAILABLE);

        assertThat(store.content("a")).isEqualTo("1");
        assertThat(store.view.entry(key("a"))).isNotNull();
    }

    @Test
    void refusesABatchWhoseCommitDidNotArrive() {
        List<CompletionStage<PublishResult>> waiting = together(() -> {
            connections.failCommit();
            return publishAll("a", "b", "c");
        });

        for (CompletionStage<PublishResult> stage : waiting) {
            assertThat(failureOf(stage))
                    .hasMessageContaining("was not stored")
                    .hasMessageContaining("connection refused");
        }
        assertThat(store.entries()).isEmpty();
        assertThat(store.column("SELECT data_id FROM his_config_info")).isEmpty();
        assertThat(store.publish("a", "2").revision()).isEqualTo(1);
    }

    @Test
    void refusesAWriteWithUnknownOutcomeAndComparesMemoryLater() {
        store.publish("a", "1");
        connections.loseTheAnswerToCommit();
        connections.unreachable("no route to host");

        CairnException failure = failureOf(store.store.publish(publish("a", "2")));

        assertThat(failure.code()).isEqualTo(ErrorCode.UNAVAILABLE);
        assertThat(failure)
                .hasMessageContaining("did not confirm whether the write was stored")
                .hasMessageContaining("connection reset")
                .hasMessageContaining("read the configuration before writing it again");
        assertThat(store.view.entry(key("a")).digest()).isEqualTo(ContentDigest.of("1"));

        connections.reachable();

        await().until(() -> store.heard.size() == 2);
        assertThat(store.heard.get(1))
                .isEqualTo(new ConfigChanged(
                        key("a"),
                        ConfigChanged.UNKNOWN_REVISION,
                        Optional.of(ContentDigest.of("1")),
                        Optional.of(ContentDigest.of("2"))));
        assertThat(store.view.entry(key("a")).digest()).isEqualTo(ContentDigest.of("2"));
        awaitWritable();
        assertThat(store.publish("a", "3").before()).contains(ContentDigest.of("2"));
    }

    @Test
    void showsAnUncertainRemovalThatArrivedOnceTheDatabaseIsBack() {
        store.publish("a", "1");
        connections.loseTheAnswerToCommit();
        connections.unreachable("no route to host");
        assertThat(failureOf(store.store.remove(remove("a")))).hasMessageContaining("did not confirm");
        assertThat(store.view.entry(key("a"))).isNotNull();

        connections.reachable();

        await().until(() -> store.view.entry(key("a")) == null);
        awaitWritable();
        assertThat(store.announced()).hasSize(2);
        assertThat(store.heard.get(1).now()).isEmpty();
    }

    @Test
    void anUncertainWriteThatDidNotArriveChangesNothingOnceTheDatabaseIsBack() {
        store.publish("a", "1");
        connections.failCommit();
        connections.unreachable("no route to host");
        assertThat(failureOf(store.store.publish(publish("a", "2")))).hasMessageContaining("did not confirm");

        connections.reachable();

        await().until(() -> store.writer.circuit().cause() == null);
        assertThat(store.view.entry(key("a")).digest()).isEqualTo(ContentDigest.of("1"));
        assertThat(store.announced()).hasSize(1);
        assertThat(store.column("SELECT md5 FROM config_info")).containsExactly(md5("1"));
    }

    @Test
    void refusesABatchWithUnknownOutcomeAndDoesNotRepeatIt() {
        store.publish("cas", "0");
        List<CompletionStage<PublishResult>> waiting = together(() -> {
            connections.loseTheAnswerToCommit();
            connections.fail("SELECT 1 FROM cairn_change", new SQLException("read timed out"));
            return List.of(
                    store.store.publish(publish("a", "1")),
                    store.store.publish(compareAndSet("cas", "1", md5("0"))),
                    store.store.publish(publish("b", "1")));
        });

        for (CompletionStage<PublishResult> stage : waiting) {
            assertThat(failureOf(stage)).hasMessageContaining("did not confirm whether the write was stored");
        }
        await().untilAsserted(() -> assertThat(store.view.entry(key("a")))
                .as("memory is compared also without a further write")
                .isNotNull());
        awaitWritable();
        store.publish("next", "1");
        assertThat(store.column("SELECT data_id FROM his_config_info ORDER BY nid"))
                .containsExactly("cas", "a", "cas", "b", "next");
        assertThat(store.view.entry(key("cas")).digest()).isEqualTo(ContentDigest.of("1"));
    }

    @Test
    void repeatsAFailedComparison() {
        store.close();
        FaultyConnections readers = new FaultyConnections(database.reader());
        store = TestStore.start(database.writtenThrough(connections).readThrough(readers));
        store.publish("a", "1");
        connections.loseTheAnswerToCommit();
        connections.unreachable("no route to host");
        assertThat(failureOf(store.store.publish(publish("a", "2")))).hasMessageContaining("did not confirm");

        readers.fail("SELECT", new SQLException("still recovering"));
        connections.reachable();

        await().until(() -> store.writer.circuit().cause() == null);
        assertThat(store.view.entry(key("a")).digest()).isEqualTo(ContentDigest.of("2"));
        assertThat(store.publish("a", "3").before()).contains(ContentDigest.of("2"));
    }

    @Test
    void aConnectionFailureOpensTheCircuitAndItClosesByItself() {
        store.publish("a", "1");
        connections.fail("BEGIN", FaultyConnections.brokenDisk());
        connections.unreachable("no such disk");
        assertThat(failureOf(store.store.publish(publish("a", "2")))).hasMessageContaining("no such disk");

        CompletableFuture<PublishResult> refused =
                store.store.publish(publish("a", "2")).toCompletableFuture();

        assertThat(refused).as("refused at once").isCompletedExceptionally();
        assertThat(failureOf(refused).code()).isEqualTo(ErrorCode.UNAVAILABLE);
        assertThat(failureOf(refused)).hasMessage("The database cannot be written: no such disk");
        assertThat(store.writer.circuit().cause()).hasMessage("The database cannot be written: no such disk");
        assertThat(store.writer.queuedCommands()).isZero();
        assertThat(store.content("a")).as("reads continue").isEqualTo("1");

        connections.reachable();

        await().until(() -> store.writer.circuit().cause() == null);
        assertThat(store.publish("a", "3").before()).contains(ContentDigest.of("1"));
        assertThat(store.announced()).as("nothing was uncertain").hasSize(2);
    }

    @Test
    void threadsSleepWithoutWork() {
        store.close();
        var threads = ManagementFactory.getThreadMXBean();
        Set<Long> before = Arrays.stream(threads.getAllThreadIds()).boxed().collect(Collectors.toSet());
        store = TestStore.start(database.writtenThrough(connections));
        store.publish("a", "1");
        // A thread that has finished its work may check the queue once more.
        await().pollInterval(Duration.ofMillis(20))
                .during(Duration.ofMillis(200))
                .until(() -> storeThreads(before), new Asleep());

        store.publish("a", "2");
        assertThat(store.content("a")).isEqualTo("2");
    }

    private static List<ThreadInfo> storeThreads(Set<Long> others) {
        var threads = ManagementFactory.getThreadMXBean();
        return Stream.of(threads.getThreadInfo(threads.getAllThreadIds()))
                .filter(thread -> thread != null && thread.getThreadName().startsWith("cairn-store-w"))
                .filter(thread -> !others.contains(thread.getThreadId()))
                .toList();
    }

    /** Both wait without a timeout, and neither ran since the last check. */
    private static final class Asleep implements Predicate<List<ThreadInfo>> {

        private long lastWaits = -1;

        @Override
        public boolean test(List<ThreadInfo> threads) {
            long waits = threads.stream().mapToLong(ThreadInfo::getWaitedCount).sum();
            boolean isUnchanged = waits == lastWaits;
            lastWaits = waits;
            return isUnchanged
                    && threads.size() == 2
                    && threads.stream().allMatch(thread -> thread.getThreadState() == Thread.State.WAITING);
        }
    }

    @Test
    void probesAtOnceWhenAnotherPartOpensTheCircuit() {
        store.publish("a", "1");
        int before = store.writer.reconnections();

        store.writer.circuit().open(new CairnException(ErrorCode.UNAVAILABLE, "found away by a test"));

        await().until(() -> store.writer.circuit().cause() == null);
        assertThat(store.writer.reconnections()).isEqualTo(before + 1);
        assertThat(store.publish("a", "2").before()).contains(ContentDigest.of("1"));
    }

    @Test
    void aSilentDatabaseDelaysNoCaller() throws Exception {
        store.close();
        store = TestStore.start(
                database.writtenThrough(connections),
                new StoreWriter.Limits(100, 1 << 20, 1, 1 << 20, Duration.ofSeconds(1), PATIENCE));
        CountDownLatch silence = new CountDownLatch(1);
        CountDownLatch begun = new CountDownLatch(1);
        CompletableFuture<Integer> stuck = store.writer.submit(new Command(transaction -> {
            begun.countDown();
            try {
                assertThat(silence.await(PATIENCE.toSeconds(), SECONDS)).isTrue();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return 1;
        }));
        // A command that is queued longer than the running batch takes gets another message.
        assertThat(begun.await(PATIENCE.toSeconds(), SECONDS)).isTrue();
        CompletionStage<PublishResult> queued = store.store.publish(publish("a", "1"));
        try {
            assertThat(failureOf(stuck)).hasMessageContaining("has not confirmed within 1000 ms whether");
            assertThat(failureOf(queued)).hasMessageContaining("has not answered for 1000 ms");
            assertThat(failureOf(store.store.publish(publish("a", "2"))).code()).isEqualTo(ErrorCode.UNAVAILABLE);
            assertThat(store.writer.queuedCommands()).isZero();
        } finally {
            silence.countDown();
        }
        await().until(() -> store.writer.circuit().cause() == null);
        store.publish("a", "3");
        assertThat(store.content("a")).isEqualTo("3");
    }

    @Test
    void comparesMemoryBeforeTheFirstWriteAfterAStartWithoutDatabase() {
        store.publish("a", "1");
        store.close();
        connections.unreachable("no route");
        store = TestStore.startAway(
                database.writtenThrough(connections),
                new CairnException(ErrorCode.UNAVAILABLE, "away since the start"));
        assertThat(failureOf(store.store.publish(publish("a", "2")))).hasMessageContaining("away");
        assertThat(store.view.entry(key("a"))).isNull();
        connections.reachable();
        await().until(() -> store.writer.circuit().cause() == null);
        assertThat(store.view.entry(key("a"))).isNotNull();
        store.publish("a", "2");
    }

    @Test
    void theCircuitStaysOpenWhileTheDatabaseIsUnavailable() {
        connections.fail("BEGIN", FaultyConnections.brokenDisk());
        connections.unreachable("first cause");
        failureOf(store.store.publish(publish("a", "1")));
        failureOf(store.store.publish(publish("a", "1")));

        connections.unreachable("second cause");

        await().untilAsserted(() -> assertThat(store.writer.circuit().cause()).hasMessageContaining("second cause"));
        assertThat(failureOf(store.store.publish(publish("a", "1")))).hasMessageContaining("second cause");
    }

    @Test
    void refusesQueuedCommandsWithTheCauseWhenTheCircuitOpens() {
        reopen(new StoreWriter.Limits(100, 1 << 20, 1, 1 << 20));
        List<CompletionStage<PublishResult>> waiting = together(() -> {
            connections.fail("INSERT INTO config_info", FaultyConnections.brokenDisk());
            connections.unreachable("no such disk");
            return publishAll("a", "b", "c");
        });

        assertThat(failureOf(waiting.get(0))).hasMessage("The database cannot be written: no such disk");
        assertThat(failureOf(waiting.get(1))).hasMessage("The database cannot be written: no such disk");
        assertThat(failureOf(waiting.get(2))).hasMessage("The database cannot be written: no such disk");
        assertThat(store.entries()).isEmpty();
    }

    @Test
    void replacesAConnectionLostBeforeTheCommit() {
        List<CompletionStage<PublishResult>> waiting = together(() -> {
            connections.fail("INSERT INTO config_info", FaultyConnections.brokenDisk());
            return publishAll("a", "b", "c");
        });

        waiting.forEach(stage -> TestStore.published(TestStore.get(stage)));
        assertThat(connections.opened()).isEqualTo(2);
        assertThat(store.column("SELECT data_id FROM his_config_info ORDER BY nid"))
                .containsExactly("a", "b", "c");
        assertThat(store.announced()).hasSize(3);
    }

    @Test
    void refusesABatchWhenTheNewConnectionIsLostAsWellAndRecovers() {
        List<CompletionStage<PublishResult>> waiting = together(() -> {
            connections.fail("INSERT INTO config_info", FaultyConnections.brokenDisk());
            connections.fail("INSERT INTO config_info", FaultyConnections.brokenDisk());
            return publishAll("a", "b", "c");
        });

        for (CompletionStage<PublishResult> stage : waiting) {
            assertThat(failureOf(stage)).hasMessageContaining("disk I/O error");
        }
        assertThat(store.entries()).isEmpty();
        store.publish("a", "2");
        assertThat(connections.opened()).isEqualTo(3);
        assertThat(store.column("SELECT data_id FROM his_config_info")).containsExactly("a");
    }

    @Test
    void startingWithoutADatabaseFailsWithTheCause() {
        store.close();
        connections.unreachable("no such disk");

        assertThatThrownBy(() -> TestStore.start(database.writtenThrough(connections)))
                .isInstanceOf(CairnException.class)
                .hasMessage("The database cannot be opened for writing: no such disk");
    }

    @Test
    void aFullQueueRefusesCommandsAtOnce() throws Exception {
        reopen(new StoreWriter.Limits(3, 1 << 20, 256, 1 << 20));
        List<CompletionStage<PublishResult>> waiting = together(() -> {
            List<CompletionStage<PublishResult>> accepted = publishAll("a", "b", "c");
            assertThat(store.writer.queuedCommands()).isEqualTo(3);

            CompletableFuture<PublishResult> refused =
                    store.store.publish(publish("d", "1")).toCompletableFuture();

            assertThat(refused).isCompletedExceptionally();
            assertThat(failureOf(refused).code()).isEqualTo(ErrorCode.BUSY);
            assertThat(failureOf(refused)).hasMessageContaining("limit: 3 writes or 1048576 bytes");
            return accepted;
        });

        waiting.forEach(stage -> TestStore.published(TestStore.get(stage)));
        assertThat(store.meters.counter(MeterNames.STORE_REFUSED).count()).isEqualTo(1);
        assertThat(store.content("d")).isNull();
        store.publish("d", "2");
    }

    @Test
    void aQueueFullOfBytesRefusesLargeContentsAndAcceptsSmallOnes() {
        reopen(new StoreWriter.Limits(100, 10_000, 256, 1 << 20));
        List<CompletionStage<PublishResult>> waiting = together(() -> {
            CompletionStage<PublishResult> large = store.store.publish(publish("large", "x".repeat(6_000)));

            CompletableFuture<PublishResult> refused =
                    store.store.publish(publish("refused", "x".repeat(6_000))).toCompletableFuture();

            assertThat(refused).isCompletedExceptionally();
            assertThat(failureOf(refused).code()).isEqualTo(ErrorCode.BUSY);
            return List.of(large, store.store.publish(publish("small", "1")));
        });

        waiting.forEach(stage -> TestStore.published(TestStore.get(stage)));
        assertThat(store.content("refused")).isNull();
        store.publish("refused", "y".repeat(6_000));
    }

    @Test
    void refusedAndWrittenCommandsFreeTheQueue() throws Exception {
        reopen(new StoreWriter.Limits(4, 8_000, 2, 4_000));
        AtomicInteger busy = new AtomicInteger();
        inParallel(IntStream.range(0, 4)
                .<Callable<Void>>mapToObj(writer -> () -> {
                    for (int i = 0; i < 100; i++) {
                        store.store
                                .publish(publish("k" + i % 7, "x".repeat(10 * i)))
                                .exceptionally(failure -> {
                                    busy.incrementAndGet();
                                    return null;
                                });
                    }
                    return null;
                })
                .toList());

        await().until(() -> store.writer.queuedCommands() == 0);
        assertThat(busy).as("the queue was full at times").hasPositiveValue();
        together(() -> publishAll("a", "b", "c", "d")).forEach(TestStore::get);
        assertThat(store.meters.counter(MeterNames.STORE_REFUSED).count()).isEqualTo(busy.get());
    }

    @Test
    void closeStoresQueuedCommandsAndRefusesLaterOnes() throws Exception {
        CountDownLatch gate = block();
        List<CompletionStage<PublishResult>> waiting = publishAll("a", "b", "c");
        CompletableFuture<Void> closing = CompletableFuture.runAsync(store.writer::close);
        gate.countDown();
        closing.get(PATIENCE.toSeconds(), SECONDS);

        for (CompletionStage<PublishResult> stage : waiting) {
            assertThat(stage.toCompletableFuture()).isCompleted();
            TestStore.published(TestStore.get(stage));
        }
        CompletableFuture<PublishResult> late =
                store.store.publish(publish("late", "1")).toCompletableFuture();
        assertThat(late).isCompletedExceptionally();
        assertThat(failureOf(late).code()).isEqualTo(ErrorCode.UNAVAILABLE);
        assertThat(failureOf(late)).hasMessage("The server is stopping; try another one");
        store.writer.close();

        store = TestStore.start(database);
        assertThat(store.entries()).extracting(entry -> entry.key().dataId()).containsExactly("a", "b", "c");
    }

    @Test
    void closeWithAnUnavailableDatabaseAnswersAllCallersAndReturns() throws Exception {
        CountDownLatch gate = block();
        connections.fail("BEGIN", FaultyConnections.brokenDisk());
        connections.unreachable("no such disk");
        List<CompletionStage<PublishResult>> waiting = publishAll("a", "b", "c");
        CompletableFuture<Void> closing = CompletableFuture.runAsync(store.writer::close);
        gate.countDown();
        closing.get(PATIENCE.toSeconds(), SECONDS);

        for (CompletionStage<PublishResult> stage : waiting) {
            assertThat(failureOf(stage).code()).isEqualTo(ErrorCode.UNAVAILABLE);
        }
    }

    @Test
    void everyCommandIsAnsweredDuringAClose() throws Exception {
        AtomicBoolean stop = new AtomicBoolean();
        ExecutorService threads = Executors.newFixedThreadPool(3);
        List<Future<List<CompletableFuture<PublishResult>>>> writers = new ArrayList<>();
        try {
            for (int writer = 0; writer < 3; writer++) {
                String dataId = "k" + writer;
                writers.add(threads.submit(() -> {
                    List<CompletableFuture<PublishResult>> answers = new ArrayList<>();
                    for (int i = 0; !stop.get(); i++) {
                        answers.add(
                                store.store.publish(publish(dataId, "v" + i)).toCompletableFuture());
                        if (i % 16 == 15) {
                            CompletableFuture.anyOf(answers.get(i))
                                    .exceptionally(failure -> null)
                                    .join();
                        }
                    }
                    return answers;
                }));
            }
            await().until(() -> store.heard.size() > 100);
            store.writer.close();
            stop.set(true);
            int stored = 0;
            for (Future<List<CompletableFuture<PublishResult>>> writer : writers) {
                for (CompletableFuture<PublishResult> answer : writer.get(PATIENCE.toSeconds(), SECONDS)) {
                    assertThat(answer).isDone();
                    stored += answer.isCompletedExceptionally() ? 0 : 1;
                }
            }
            assertThat(store.column("SELECT count(*) FROM cairn_change"))
                    .as("exactly the acknowledged contents are stored")
                    .containsExactly(Integer.toString(stored));
        } finally {
            stop.set(true);
            threads.shutdownNow();
        }
    }

    @Test
    void everyReadShowsAPublishBeforeItIsAcknowledged() throws Exception {
        inParallel(IntStream.range(0, 4)
                .<Callable<Void>>mapToObj(writer -> () -> {
                    ConfigKey key = key("of-" + writer);
                    for (int i = 0; i < 100; i++) {
                        String content = writer + ":" + i;
                        ConfigEntry seen = TestStore.get(
                                store.store.publish(publish(key, content)).thenApply(result -> store.view.entry(key)));
                        assertThat(seen.digest()).as("on the writer's thread").isEqualTo(ContentDigest.of(content));
                        assertThat(store.view.entry(key)).isSameAs(seen);
                        assertThat(store.view.resident(seen).utf8()).asString().isEqualTo(content);
                        assertThat(store.content(key)).isEqualTo(content);
                        if (i % 10 == 9) {
                            store.remove(remove(key, SampleCommands.ANNA));
                            assertThat(store.view.entry(key)).isNull();
                        }
                    }
                    return null;
                })
                .toList());
    }

    @Test
    void showsAWholeBatchBeforeItAcknowledgesAnyCommand() {
        CompletableFuture<List<ConfigEntry>> seenByTheFirst = new CompletableFuture<>();
        together(() -> {
            CompletionStage<PublishResult> first = store.store.publish(publish("a", "1"));
            first.thenAccept(
                    result -> seenByTheFirst.complete(List.of(store.view.entry(key("b")), store.view.entry(key("c")))));
            publishAll("b", "c");
            return List.of(first);
        });

        assertThat(TestStore.get(seenByTheFirst)).extracting(ConfigEntry::key).containsExactly(key("b"), key("c"));
    }

    @Test
    void theViewNeverGoesBackDuringConcurrentPublishesAndRemovals() throws Exception {
        AtomicBoolean stop = new AtomicBoolean();
        ExecutorService reader = Executors.newSingleThreadExecutor();
        try {
            Future<List<Optional<ContentDigest>>> seen = reader.submit(() -> {
                List<Optional<ContentDigest>> states = new ArrayList<>(List.of(Optional.empty()));
                while (!stop.get()) {
                    Optional<ContentDigest> now =
                            Optional.ofNullable(store.view.entry(key("shared"))).map(ConfigEntry::digest);
                    if (!now.equals(states.get(states.size() - 1))) {
                        states.add(now);
                    }
                }
                return states;
            });
            List<ConfigChanged> changes = new ArrayList<>();
            for (List<ConfigChanged> ofOne : inParallel(IntStream.range(0, 4)
                    .<Callable<List<ConfigChanged>>>mapToObj(writer -> () -> publishAndRemoveShared(writer))
                    .toList())) {
                changes.addAll(ofOne);
            }
            stop.set(true);

            Map<Long, Optional<ContentDigest>> byRevision = new HashMap<>();
            changes.forEach(change -> byRevision.put(change.revision(), change.now()));
            long revision = 0;
            List<Optional<ContentDigest>> states = seen.get(PATIENCE.toSeconds(), SECONDS);
            for (Optional<ContentDigest> state : states.subList(1, states.size())) {
                revision = LongStream.rangeClosed(revision + 1, changes.size())
                        .filter(later -> byRevision.get(later).equals(state))
                        .findFirst()
                        .orElseThrow(() -> new AssertionError(state + " was seen after a later state"));
            }
            assertThat(states).as("the reader saw the key change").hasSizeGreaterThan(10);
            assertThat(Optional.ofNullable(store.view.entry(key("shared"))).map(ConfigEntry::digest))
                    .isEqualTo(byRevision.get((long) changes.size()));
        } finally {
            stop.set(true);
            reader.shutdownNow();
        }
    }

    private List<ConfigChanged> publishAndRemoveShared(int writer) {
        List<ConfigChanged> changes = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            if (i % 4 == 3) {
                store.remove(remove("shared")).ifPresent(changes::add);
            } else {
                changes.add(store.publish("shared", writer + ":" + i));
            }
        }
        return changes;
    }

    @Test
    void countsCommitsWritesAndFailures() {
        together(() -> publishAll("a", "b", "c")).forEach(TestStore::get);
        double commits = store.meters.timer(MeterNames.STORE_COMMITS).count();
        double writes = store.meters.counter(MeterNames.STORE_WRITES).count();
        assertThat(writes).as("three and the one that blocked them").isEqualTo(4);
        assertThat(commits).isEqualTo(2);

        connections.failCommit();
        failureOf(store.store.publish(publish("a", "2")));

        assertThat(store.meters.counter(MeterNames.STORE_FAILED).count()).isEqualTo(1);
        assertThat(store.meters.counter(MeterNames.STORE_WRITES).count()).isEqualTo(writes);
    }

    private List<CompletionStage<PublishResult>> publishAll(String... dataIds) {
        List<CompletionStage<PublishResult>> waiting = new ArrayList<>();
        for (String dataId : dataIds) {
            waiting.add(store.store.publish(publish(dataId, "1")));
        }
        return waiting;
    }

    /** Memory is compared with the store shortly before the writer takes commands again. */
    private void awaitWritable() {
        await().until(() -> store.writer.circuit().cause() == null);
    }

    /** Commands submitted by the work wait until all of them are queued. */
    private List<CompletionStage<PublishResult>> together(Supplier<List<CompletionStage<PublishResult>>> work) {
        CountDownLatch gate = block();
        try {
            return work.get();
        } finally {
            gate.countDown();
        }
    }

    /** Blocks the writer until the latch is counted down. */
    private CountDownLatch block() {
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch gate = new CountDownLatch(1);
        store.writer.submit(new Command(transaction -> 0, () -> {
            entered.countDown();
            try {
                assertThat(gate.await(PATIENCE.toSeconds(), SECONDS)).isTrue();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }));
        try {
            assertThat(entered.await(PATIENCE.toSeconds(), SECONDS))
                    .as("the writer runs")
                    .isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return gate;
    }

    private static CairnException failureOf(CompletionStage<?> stage) {
        return catchThrowableOfType(CairnException.class, () -> TestStore.get(stage));
    }

    private static <T> List<T> inParallel(List<Callable<T>> work) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(work.size());
        try {
            List<T> results = new ArrayList<>();
            for (Future<T> future : threads.invokeAll(work, PATIENCE.toSeconds(), SECONDS)) {
                results.add(future.get());
            }
            return results;
        } finally {
            threads.shutdownNow();
        }
    }

    private interface Work {
        int execute(WriteTransaction transaction) throws SQLException;
    }

    /** A command of a test; {@code committed} runs on the writer's thread with no transaction open. */
    private record Command(Work work, Runnable afterCommit) implements StoreCommand<Integer> {

        Command(Work work) {
            this(work, () -> {});
        }

        @Override
        public Integer execute(WriteTransaction transaction) throws SQLException {
            return work.execute(transaction);
        }

        @Override
        public void committed(Integer result) {
            afterCommit.run();
        }

        @Override
        public void announce(Integer result) {}

        @Override
        public int weightBytes() {
            return 64;
        }
    }
}
