package io.cairn.server.storage.writer;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class WriterTurnTest {

    private final WriterTurn turn = new WriterTurn();

    @Test
    void cannotBeBorrowedUnlessTheWriterWaits() {
        assertThat(turn.borrow(Duration.ZERO)).isFalse();

        turn.lend();
        assertThat(turn.borrow(Duration.ofHours(1)))
                .as("it has just begun to wait")
                .isFalse();
        assertThat(turn.isTakenBack(Duration.ZERO)).isTrue();
        assertThat(turn.borrow(Duration.ZERO)).isFalse();
    }

    @Test
    void hasOneBorrowerAtATime() {
        turn.lend();

        assertThat(turn.borrow(Duration.ZERO)).isTrue();
        assertThat(turn.borrow(Duration.ZERO)).isFalse();
        turn.release();
        assertThat(turn.borrow(Duration.ZERO)).isTrue();
    }

    @Test
    void theWriterWaitsForTheBorrowerAndNoOtherComesBeforeIt() {
        turn.lend();
        assertThat(turn.borrow(Duration.ZERO)).isTrue();
        assertThat(turn.isTakenBack(Duration.ofMillis(1))).isFalse();

        CompletableFuture<Void> back = CompletableFuture.runAsync(turn::takeBack);
        turn.release();

        assertThat(turn.borrow(Duration.ZERO)).isFalse();
        assertThat(back).succeedsWithin(PATIENCE);
    }

    @Test
    void anInterruptedWriterGoesOnWaiting() {
        turn.lend();
        assertThat(turn.borrow(Duration.ZERO)).isTrue();
        CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
        Thread writer = new Thread(() -> {
            turn.takeBack();
            interrupted.complete(Thread.currentThread().isInterrupted());
        });
        writer.start();
        await().until(() -> writer.getState() == Thread.State.TIMED_WAITING);
        writer.interrupt();
        await().until(() -> writer.getState() == Thread.State.TIMED_WAITING);

        assertThat(interrupted).isNotDone();
        turn.release();
        assertThat(interrupted).succeedsWithin(PATIENCE).isEqualTo(true);
    }
}
