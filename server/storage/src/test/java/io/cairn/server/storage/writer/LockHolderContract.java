package io.cairn.server.storage.writer;

import static io.cairn.server.storage.SampleCommands.publish;
import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.cairn.api.config.Namespace;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.attention.Finding;
import io.cairn.server.config.PublishResult;
import io.cairn.server.node.NodeId;
import io.cairn.server.node.NodeTable;
import io.cairn.server.storage.DatabaseFindings;
import io.cairn.server.storage.ServerTestDatabase;
import io.cairn.server.storage.TestDatabase;
import io.cairn.server.storage.TestStore;
import io.cairn.server.storage.cluster.JdbcNodeTable;
import io.cairn.server.storage.cluster.ReloadCommand;
import io.cairn.server.storage.database.Circuit;
import io.cairn.server.storage.database.ConnectionSource;
import io.cairn.server.storage.database.Dialect;
import io.cairn.server.storage.database.WriterSession;
import io.cairn.server.storage.server.DatabaseServer;
import io.cairn.server.testing.DatabaseRelay;
import io.cairn.server.testing.LogWatch;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A node whose writes wait for a lock that another session holds. */
@Tag("full")
abstract class LockHolderContract {

    private static final String STOPPED = "10.0.0.2:8848";
    private static final String OWN = "10.0.0.1:8848";
    /** So short that a write gives up after two or three waits for a lock. */
    private static final StoreWriter.Limits IMPATIENT =
            new StoreWriter.Limits(100, 1 << 20, 256, 16 << 20, Duration.ofSeconds(5), PATIENCE);

    @TempDir
    Path folder;

    private TestDatabase database;
    /** Of a session that the database does not end during the test. */
    private Dialect lasting;

    abstract ServerTestDatabase server();

    @BeforeEach
    void open() throws Exception {
        database = server().of(folder);
        lasting = server().dialect(Duration.ofMinutes(10));
    }

    /** As every node in a cluster does. */
    private void beat(String node) {
        try (JdbcNodeTable nodes =
                new JdbcNodeTable(database.writer(), database.dialect(), new Circuit("The database"))) {
            nodes.beat(new NodeTable.Row(
                    new NodeId(node, 1_700_000_000_000L), 9849, 9848, "1.0", 1, "READY", List.of(node), 0, 0, 0));
        }
    }

    /** A database whose sessions last that long without a statement. */
    private TestDatabase withSilence(ConnectionSource writer, int seconds) {
        return new TestDatabase(writer, database.reader(), server().dialect(Duration.ofSeconds(seconds)));
    }

    @Test
    void theNodeAndItsSessionAreNamedAfterTheDatabaseHasEndedIt() throws Exception {
        beat(STOPPED);
        beat(OWN);
        try (DatabaseRelay relay = new DatabaseRelay(server().url());
                DatabaseServer behindRelay =
                        server().at(relay.url() + '&' + server().socketTimeout(Duration.ofMinutes(2)));
                // Long enough for several waits, also on a busy machine.
                TestStore holder = TestStore.startNode(withSilence(behindRelay::openWriter, 8), STOPPED);
                TestStore idle = TestStore.startNode(database, "10.0.0.3:8848");
                TestStore other = TestStore.startNode(database, OWN);
                LogWatch log = new LogWatch()) {
            beat("10.0.0.3:8848");
            WriterSession session;
            try (Connection looking = database.writer().open()) {
                session = database.dialect().writerSessions(looking).stream()
                        .filter(each -> each.node().equals(STOPPED))
                        .findFirst()
                        .orElseThrow();
            }
            relay.cutAfter("FOR UPDATE");
            holder.store.publish(publish("held", "1"));
            assertThat(relay.awaitCut()).isTrue();

            other.publish("a", "1");

            await().atMost(PATIENCE).untilAsserted(() -> {
                // Looked for after the answer, and once more after the next one.
                other.publish("a", "2");
                assertThat(other.writer.lastHeldLock()).isNotNull();
            });
            assertThat(other.writer.lastHeldLock().session().node()).isEqualTo(STOPPED);
            assertThat(other.writer.lastHeldLock().session().id()).isEqualTo(session.id());
            assertThat(log.warningsOf(LockWaits.class)).anySatisfy(line -> assertThat(line)
                    .startsWith("Node " + STOPPED + " stopped inside a write: its session " + session.id()));
            assertThat(new DatabaseFindings(behindRelay, other.writer, other.clock).findings(Namespace.DEFAULT))
                    .singleElement()
                    .satisfies(finding -> {
                        assertThat(finding.kind()).isEqualTo(Finding.Kind.WRITE_LOCK_HELD);
                        assertThat(finding.urgent()).isFalse();
                        assertThat(finding.subject()).isEqualTo(STOPPED);
                        assertThat(finding.detail()).contains("session " + session.id());
                    });
            other.clock.advance(Duration.ofMinutes(61));
            assertThat(new DatabaseFindings(behindRelay, other.writer, other.clock).findings(Namespace.DEFAULT))
                    .isEmpty();
            // Its writer would wait for an answer until the end of its socket.
            relay.close();
        }
    }

    @Test
    void anIdleWriterKeepsItsSessionAndItsNextWriteSaysNothing() throws Exception {
        beat(OWN);
        int silence = 12;
        try (TestStore store = TestStore.startNode(withSilence(database.writer(), silence), OWN);
                Connection looking = database.writer().open();
                LogWatch log = new LogWatch()) {
            store.publish("a", "1");
            List<WriterSession> before = database.dialect().writerSessions(looking);
            assertThat(before).hasSize(1);

            // The time of the database is awaited, which ends silent sessions.
            long until = now(looking) + TimeUnit.SECONDS.toMillis(silence + 4);
            await().atMost(PATIENCE).until(() -> now(looking) >= until);

            store.publish("a", "2");
            assertThat(database.dialect().writerSessions(looking))
                    .extracting(WriterSession::id)
                    .containsExactly(before.get(0).id());
            assertThat(store.writer.reconnections()).isZero();
            for (Class<?> part : List.of(StoreWriter.class, WriterLink.class, LockWaits.class)) {
                assertThat(log.linesOf(part)).as("%s", part).isEmpty();
            }
        }
    }

    @Test
    void aSessionThatEndsDuringALongReadIsReplacedWithoutAComparison() throws Exception {
        int silence = 2;
        try (TestStore store = TestStore.startNode(withSilence(database.writer(), silence), OWN);
                Connection looking = database.writer().open();
                LogWatch log = new LogWatch()) {
            store.publish("a", "1");
            int epoch = store.writer.applied().epoch();
            long until = now(looking) + TimeUnit.SECONDS.toMillis(silence + 3);

            // On the writer's thread, which does not use its own session meanwhile.
            store.writer.follow(new ReloadCommand(() -> await().atMost(PATIENCE).until(() -> now(looking) >= until)));
            store.publish("a", "2");

            assertThat(store.writer.applied().epoch()).isEqualTo(epoch);
            assertThat(store.writer.reconnections()).isZero();
            for (Class<?> part : List.of(StoreWriter.class, WriterLink.class, LockWaits.class)) {
                assertThat(log.linesOf(part)).as("%s", part).isEmpty();
            }
        }
    }

    private long now(Connection looking) throws SQLException {
        try (Statement statement = looking.createStatement();
                ResultSet rows =
                        statement.executeQuery("SELECT " + database.dialect().nowMillis())) {
            assertThat(rows.next()).isTrue();
            return rows.getLong(1);
        }
    }

    @Test
    void aLockThatLastsIsNoOutageAndTheAnswerNamesItsHolder() throws Exception {
        beat(STOPPED);
        beat(OWN);
        try (TestStore store = TestStore.startNode(database, OWN, IMPATIENT);
                DatabaseServer same = server().at(server().url());
                // As that of an earlier release, which the database does not end.
                Connection holding = database.writer().open()) {
            lasting.nameSession(holding, STOPPED);
            store.byHand("UPDATE cairn_node SET heartbeat_at = heartbeat_at - 60000 WHERE address = ?", STOPPED);
            lasting.begin(holding);
            lasting.lockRevision(holding);

            CairnException refused = refusalOf(store);

            assertThat(refused.code()).isEqualTo(ErrorCode.UNAVAILABLE);
            assertThat(refused.text())
                    .startsWith("The write was not stored: a lock that all writes take has been held for ")
                    .contains("session ", " of node " + STOPPED)
                    .doesNotContain(OWN);
            assertThat(store.writer.circuit().cause()).isNull();
            assertThat(new DatabaseFindings(same, store.writer, store.clock).findings(Namespace.DEFAULT))
                    .singleElement()
                    .satisfies(finding -> {
                        assertThat(finding.kind()).isEqualTo(Finding.Kind.WRITES_REFUSED);
                        assertThat(finding.detail()).contains(" of node " + STOPPED);
                    });
            lasting.rollback(holding);
            await().atMost(PATIENCE).until(() -> store.writer.availability().cause() == null);
            assertThat(store.publish("a", "2").before()).isEmpty();
        }
    }

    @Test
    void aLockOfAnotherProgramIsCalledThat() throws Exception {
        beat(OWN);
        beat("10.0.0.3:8848");
        try (TestStore store = TestStore.startNode(database, OWN, IMPATIENT);
                TestStore idle = TestStore.startNode(database, "10.0.0.3:8848");
                Connection holding = database.writer().open()) {
            lasting.begin(holding);
            lasting.lockRevision(holding);

            assertThat(refusalOf(store).text()).contains("by another program");
            assertThat(store.writer.circuit().cause()).isNull();
            lasting.rollback(holding);
        }
    }

    private static CairnException refusalOf(TestStore store) {
        return catchThrowableOfType(CairnException.class, () -> TestStore.get(store.store.publish(publish("a", "1"))));
    }

    @Test
    void theLockIsNotKeptWhileWhatOtherNodesHaveStoredIsRead() throws Exception {
        CountDownLatch reading = new CountDownLatch(1);
        CountDownLatch readSoFar = new CountDownLatch(1);
        try (TestStore store = TestStore.start(database);
                TestStore third = TestStore.start(database);
                Connection holding = database.writer().open()) {
            lasting.begin(holding);
            lasting.lockRevision(holding);
            CompletionStage<PublishResult> waiting = store.store.publish(publish("a", "1"));
            CompletableFuture<Boolean> followed =
                    CompletableFuture.supplyAsync(() -> store.writer.follow(new ReloadCommand(() -> {
                        reading.countDown();
                        try {
                            assertThat(readSoFar.await(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                                    .isTrue();
                        } catch (InterruptedException e) {
                            throw new CompletionException(e);
                        }
                    })));
            assertThat(reading.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
            lasting.rollback(holding);

            assertThat(third.publish("b", "1").revision()).isEqualTo(1);
            assertThat(waiting.toCompletableFuture()).isNotDone();
            readSoFar.countDown();

            assertThat(TestStore.get(followed)).isTrue();
            assertThat(TestStore.published(TestStore.get(waiting)).revision()).isEqualTo(2);
        }
    }

    @Test
    void aWaitForALockEndsBeforeTheTimeOutOfTheSocket() throws Exception {
        try (DatabaseServer impatient =
                        server().at(server().url() + '?' + server().socketTimeout(Duration.ofSeconds(1)));
                Connection writer = impatient.openWriter();
                Connection holding = database.writer().open()) {
            lasting.begin(holding);
            lasting.lockRevision(holding);

            SQLException failure = catchThrowableOfType(
                    SQLException.class, () -> database.dialect().lockRevision(writer));

            assertThat(database.dialect().isLockedOut(failure)).isTrue();
            assertThat(database.dialect().isConnectionFailure(failure)).isFalse();
            lasting.rollback(holding);
        }
    }
}
