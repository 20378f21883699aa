package io.cairn.server.storage.writer;

import static io.cairn.server.storage.SampleCommands.key;
import static io.cairn.server.storage.SampleCommands.publish;
import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.api.config.ContentDigest;
import io.cairn.server.config.PublishResult;
import io.cairn.server.storage.ServerTestDatabase;
import io.cairn.server.storage.TestDatabase;
import io.cairn.server.storage.TestStore;
import io.cairn.server.storage.cluster.ExternalChangePoller;
import io.cairn.server.storage.cluster.NotedParts;
import io.cairn.server.storage.server.DatabaseServer;
import io.cairn.server.testing.DatabaseRelay;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A node that is stopped, cut off or loses power inside a write holds the lock of the revision, for which all others wait. */
@Tag("full")
abstract class StoppedWriterContract {

    private static final String LOCK = "FOR UPDATE";

    @TempDir
    Path folder;

    private DatabaseRelay relay;
    private DatabaseServer behindRelay;
    private TestDatabase database;
    private TestStore other;

    abstract ServerTestDatabase server();

    /** Statements of a write that does not get the lock. */
    abstract int statementsOfAnAttempt();

    @BeforeEach
    void open() throws Exception {
        database = server().of(folder);
        relay = new DatabaseRelay(server().url());
        // As long as a node without power: the test is over before.
        behindRelay = server().at(relay.url() + '&' + server().socketTimeout(Duration.ofMinutes(2)));
        other = TestStore.start(database);
    }

    @AfterEach
    void close() {
        relay.close();
        behindRelay.close();
        other.close();
    }

    /** Runs the test while a node is cut off inside its write. */
    private void stopped(Consumer<TestStore> write, Runnable test) {
        try (TestStore holder =
                TestStore.start(new TestDatabase(behindRelay::openWriter, database.reader(), behindRelay.dialect()))) {
            try {
                write.accept(holder);
                assertThat(relay.awaitCut()).isTrue();
                test.run();
            } finally {
                // Its writer would wait for an answer until the end of its socket.
                relay.close();
            }
        }
    }

    private void assertStoresAndFollows() {
        CompletionStage<PublishResult> waiting = other.store.publish(publish("a", "1"));

        assertThat(TestStore.published(TestStore.get(waiting)).now()).contains(ContentDigest.of("1"));
        assertThat(other.content("a")).isEqualTo("1");
        assertThat(other.content("held")).isNull();
        assertThat(other.writer.circuit().cause()).isNull();
        assertThat(other.writer.availability().cause()).isNull();
        assertThat(other.writer.reconnections()).isZero();
    }

    @Test
    void otherNodesStoreTheirWritesAfterANodeWasCutOffWithTheLock() {
        stopped(
                holder -> {
                    relay.cutAfter(LOCK);
                    holder.store.publish(publish("held", "1"));
                },
                this::assertStoresAndFollows);
    }

    @Test
    void otherNodesStoreTheirWritesAfterANodeWasCutOffInTheMiddleOfAStatement() {
        stopped(
                holder -> {
                    relay.cutAfter(LOCK, 200_000);
                    holder.store.publish(publish("held", "x".repeat(2_000_000)));
                },
                this::assertStoresAndFollows);
    }

    @Test
    void otherNodesStoreTheirWritesAfterANodeHasStoppedToReadAnAnswer() {
        stopped(
                holder -> holder.writer.submit(new InTransaction(connection -> {
                    relay.cutAnswers();
                    try (Statement statement = connection.createStatement();
                            ResultSet rows = statement.executeQuery("SELECT REPEAT('x', 4000000)"
                                    + " UNION ALL SELECT REPEAT('y', 4000000)".repeat(8))) {
                        assertThat(rows.next()).isTrue();
                    }
                })),
                this::assertStoresAndFollows);
    }

    @Test
    void whatOtherNodesHaveStoredIsFollowedWhileTheWriterWaits() throws Exception {
        try (TestStore third = TestStore.start(database);
                Connection holding = database.writer().open();
                ExternalChangePoller following = new ExternalChangePoller(
                        database.writer(),
                        database.dialect(),
                        other.writer,
                        other.view,
                        new ExternalChangePoller.Settings(Duration.ofHours(1), Duration.ofHours(1)),
                        new NotedParts(),
                        other.readers.leftOut())) {
            following.start();
            other.writer.applied().wake(Long.MAX_VALUE);
            await().atMost(PATIENCE).until(() -> other.writer.applied().appliedRevision() >= 0);
            long revision = third.publish("followed", "1").revision();
            database.dialect().begin(holding);
            database.dialect().lockRevision(holding);

            CompletionStage<PublishResult> waiting = other.store.publish(publish("a", "1"));
            other.writer.applied().wake(revision);

            await().atMost(PATIENCE).until(() -> other.writer.applied().appliedRevision() == revision);
            assertThat(other.view.entry(key("followed"))).isNotNull();
            assertThat(waiting.toCompletableFuture()).isNotDone();
            database.dialect().rollback(holding);
            assertThat(TestStore.published(TestStore.get(waiting)).revision()).isEqualTo(revision + 1);
            await().atMost(PATIENCE).until(() -> other.writer.applied().appliedRevision() == revision + 1);
        }
    }

    @Test
    void aWriteWaitsForARowThatAnotherProgramHasLockedAndHoldsUpNoOther() throws Exception {
        other.publish("locked", "1");
        FaultyConnections counted = new FaultyConnections(database.writer());
        try (TestStore waiter = TestStore.start(database.writtenThrough(counted));
                Connection holding = database.writer().open();
                Statement statement = holding.createStatement()) {
            database.dialect().begin(holding);
            statement.execute("SELECT id FROM config_info WHERE data_id = 'locked' FOR UPDATE");

            int before = counted.executed();
            CompletionStage<PublishResult> waiting = waiter.store.publish(publish("locked", "2"));
            await().atMost(PATIENCE).untilAsserted(() -> {
                other.publish("free", "1");
                assertThat(counted.executed() - before).isGreaterThan(3 * statementsOfAnAttempt());
            });
            assertThat(waiting.toCompletableFuture()).isNotDone();
            database.dialect().rollback(holding);

            assertThat(TestStore.published(TestStore.get(waiting)).now()).contains(ContentDigest.of("2"));
        }
    }

    /** Work within the transaction of a group. */
    private record InTransaction(Work work) implements StoreCommand<Boolean> {

        private interface Work {
            void run(Connection connection) throws SQLException;
        }

        @Override
        public Boolean execute(WriteTransaction transaction) throws SQLException {
            work.run(transaction.jdbc());
            return true;
        }

        @Override
        public void committed(Boolean result) {}

        @Override
        public void announce(Boolean result) {}

        @Override
        public int weightBytes() {
            return 0;
        }
    }
}
