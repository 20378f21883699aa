package io.cairn.server.storage.writer;

import static io.cairn.server.storage.SampleCommands.compareAndSet;
import static io.cairn.server.storage.SampleCommands.key;
import static io.cairn.server.storage.SampleCommands.md5;
import static io.cairn.server.storage.SampleCommands.publish;
import static io.cairn.server.storage.SampleCommands.remove;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.server.change.ConfigChanged;
import io.cairn.server.config.PublishResult;
import io.cairn.server.storage.TestDatabase;
import io.cairn.server.storage.TestStore;
import io.cairn.server.storage.cluster.RecheckCommand;
import io.cairn.testing.HangLimit;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Callers are answered when the barrier says so, and nothing else waits for it. */
@HangLimit
class StoreWriterBarrierTest {

    @TempDir
    Path folder;

    private final HeldAnswers barrier = new HeldAnswers();
    private TestStore store;

    @BeforeEach
    void open() {
        store = TestStore.start(TestDatabase.sqlite(folder), barrier);
    }

    @AfterEach
    void close() {
        store.close();
    }

    private CompletableFuture<PublishResult> submit(String dataId, String content) {
        return store.store.publish(publish(dataId, content)).toCompletableFuture();
    }

    @Test
    void answersTheCallerWhenTheBarrierAllowsIt() throws Exception {
        CompletableFuture<PublishResult> answer = submit("a", "1");
        HeldAnswers.Group group = barrier.next();

        assertThat(answer).isNotDone();
        assertThat(store.view.entry(key("a"))).as("this node shows it").isNotNull();
        barrier.release();

        ConfigChanged change = TestStore.published(TestStore.get(answer));
        assertThat(change.revision()).isEqualTo(group.lastRevision());
    }

    @Test
    void nextGroupIsCommittedWhileTheOneBeforeWaits() throws Exception {
        CompletableFuture<PublishResult> first = submit("a", "1");
        HeldAnswers.Group before = barrier.next();
        CompletableFuture<PublishResult> second = submit("b", "1");
        HeldAnswers.Group after = barrier.next();

        assertThat(after.lastRevision()).isEqualTo(before.lastRevision() + 1);
        assertThat(after.thread()).isSameAs(before.thread());
        assertThat(first).isNotDone();
        assertThat(second).isNotDone();
        barrier.release();
        TestStore.published(TestStore.get(first));
        TestStore.published(TestStore.get(second));
    }

    @Test
    void callersOfAGroupAreAnsweredTogetherInTheirOrder() throws Exception {
        List<String> answered = new ArrayList<>();
        CountDownLatch busy = new CountDownLatch(1);
        CountDownLatch held = new CountDownLatch(1);
        CompletableFuture<Boolean> holding = store.writer.submit(new Holding(busy, held));
        busy.await();
        for (String dataId : List.of("a", "b", "c")) {
            submit(dataId, "1").thenRun(() -> answered.add(dataId));
        }
        held.countDown();
        TestStore.get(holding);
        HeldAnswers.Group group = barrier.next();

        assertThat(answered).isEmpty();
        assertThat(barrier.isEmpty()).as("one entry for the group").isTrue();
        group.completion().run();

        assertThat(answered).containsExactly("a", "b", "c");
    }

    @Test
    void notifiesListenersOfThisNodeWithoutWaiting() throws Exception {
        CompletableFuture<PublishResult> answer = submit("a", "1");
        barrier.next();

        await().untilAsserted(() -> assertThat(store.heard).hasSize(1));
        assertThat(answer).isNotDone();
        barrier.release();
        TestStore.published(TestStore.get(answer));
    }

    @Test
    void recheckOfFollowerIsAnsweredAtOnceAlsoInAGroupThatWaits() throws Exception {
        CountDownLatch busy = new CountDownLatch(1);
        CountDownLatch held = new CountDownLatch(1);
        CompletableFuture<Boolean> holding = store.writer.submit(new Holding(busy, held));
        busy.await();
        CompletableFuture<PublishResult> answer = submit("a", "1");
        CompletableFuture<Integer> recheck = store.writer.submit(
                new RecheckCommand(Map.of(key("b"), new RecheckCommand.Suspicion(true, true)), store.view));
        held.countDown();
        TestStore.get(holding);

        assertThat(TestStore.get(recheck)).isEqualTo(1);
        barrier.next();
        assertThat(answer).isNotDone();
        barrier.release();
        TestStore.published(TestStore.get(answer));
    }

    @Test
    void commandsWithoutARevisionDoNotWait() throws Exception {
        Optional<ConfigChanged> nothing = store.remove(remove("absent"));

        assertThat(nothing).isEmpty();
        assertThat(barrier.isEmpty()).isTrue();

        CompletableFuture<PublishResult> answer = submit("a", "1");
        barrier.next();
        PublishResult refused = TestStore.get(store.store.publish(compareAndSet("a", "2", md5("other"))));
        assertThat(refused).isInstanceOf(PublishResult.Conflict.class);
        assertThat(answer).isNotDone();
        barrier.release();
        TestStore.published(TestStore.get(answer));
    }

    @Test
    void failuresDoNotWait() {
        store.byHand("CREATE TRIGGER bad BEFORE INSERT ON config_info WHEN NEW.data_id = 'bad'"
                + " BEGIN SELECT RAISE(ABORT, 'this row is bad'); END");

        CompletableFuture<PublishResult> answer = submit("bad", "1");

        await().until(answer::isCompletedExceptionally);
        assertThat(barrier.isEmpty()).isTrue();
    }

    @Test
    void answersOfAClosedWriterStayWithTheBarrier() throws Exception {
        CompletableFuture<PublishResult> answer = submit("a", "1");
        barrier.next();
        store.writer.close();

        assertThat(answer).isNotDone();
        barrier.release();
        TestStore.published(TestStore.get(answer));
    }
}
