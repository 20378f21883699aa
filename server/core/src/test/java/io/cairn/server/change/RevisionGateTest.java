package io.cairn.server.change;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.testing.HandDrivenLoop;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RevisionGateTest {

    private static final Duration WITHIN = Duration.ofSeconds(1);

    private final HandDrivenLoop timer = new HandDrivenLoop();
    private final Follower follower = new Follower();
    private long nanos = 1;
    private final Following following = new Following(() -> nanos);
    private final RevisionGate gate = new RevisionGate(follower, following, timer, WITHIN, CatchUp.NOT_NEEDED);

    /** A follower whose applied revision the test sets. */
    private static final class Follower implements RevisionFollower {

        private final List<Listener> listeners = new ArrayList<>();
        private long applied = NONE;
        private Runnable onceAsked = () -> {};

        @Override
        public void wake(long revision) {
            throw new AssertionError("a read wakes nothing");
        }

        @Override
        public long appliedRevision() {
            long now = applied;
            Runnable next = onceAsked;
            onceAsked = () -> {};
            next.run();
            return now;
        }

        @Override
        public void follow(Listener listener) {
            listeners.add(listener);
        }

        void apply(long revision) {
            applied = revision;
            listeners.forEach(listener -> listener.applied(revision));
        }
    }

    private CompletableFuture<Void> read(long revision) {
        return gate.await(revision).toCompletableFuture();
    }

    private static CairnException failureOf(CompletableFuture<Void> read) {
        try {
            read.join();
        } catch (CompletionException e) {
            return (CairnException) e.getCause();
        }
        throw new AssertionError("it did not fail");
    }

    @Test
    void readOfWhatIsShownDoesNotWait() {
        follower.apply(7);

        assertThat(read(7)).isCompleted();
        assertThat(read(0)).isCompleted();
        assertThat(timer.waits()).isEmpty();
    }

    @Test
    void readWaitsUntilTheRevisionIsShown() {
        follower.apply(6);
        CompletableFuture<Void> eight = read(8);
        CompletableFuture<Void> seven = read(7);
        CompletableFuture<Void> alsoSeven = read(7);

        assertThat(gate.waiting()).isEqualTo(3);
        follower.apply(7);
        assertThat(seven).isCompleted();
        assertThat(alsoSeven).isCompleted();
        assertThat(eight).isNotDone();
        follower.apply(9);

        assertThat(eight).isCompleted();
        assertThat(gate.waiting()).isZero();
        assertThat(timer.waits()).as("time-outs").isEmpty();
    }

    @Test
    void readIsRefusedAfterTheTimeLimit() throws Exception {
        follower.apply(6);
        CompletableFuture<Void> read = read(8);
        timer.pass(WITHIN.minusMillis(1));
        assertThat(read).isNotDone();
        timer.pass(Duration.ofMillis(1));

        assertThat(failureOf(read).code()).isEqualTo(ErrorCode.BEHIND);
        assertThat(failureOf(read).text())
                .isEqualTo("this node shows revision 6, asked for 8; try again or ask another node");
        assertThat(gate.waiting()).isZero();
    }

    @Test
    void revisionThatComesWhileTheReadBeginsToWaitIsNotMissed() {
        follower.apply(6);
        follower.onceAsked = () -> follower.apply(7);

        assertThat(read(7)).isCompleted();
    }

    @Test
    void tooManyReadsAreRefused() {
        List<CompletableFuture<Void>> waiting = new ArrayList<>();
        for (int i = 0; i < RevisionGate.MAX_WAITING; i++) {
            waiting.add(read(1));
        }

        assertThat(failureOf(read(1)).code()).isEqualTo(ErrorCode.BUSY);
        follower.apply(1);
        assertThat(waiting).allMatch(CompletableFuture::isDone);
        assertThat(read(2)).as("there is room again").isNotDone();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "x", "-1", "1.5", "99999999999999999999"})
    void malformedRevisionIsRefused(String text) {
        assertThatThrownBy(() -> gate.awaitText(text))
                .isInstanceOfSatisfying(CairnException.class, failure -> assertThat(failure.code())
                        .isEqualTo(ErrorCode.INVALID_PARAMETER))
                .hasMessage("Cairn-Min-Revision: '" + text + "' (expected: a revision, a whole number from 0)");
    }

    @Test
    void revisionIsReadFromText() {
        follower.apply(7);

        assertThat(gate.awaitText(" 7 ").toCompletableFuture()).isCompleted();
        assertThat(gate.awaitText("8").toCompletableFuture()).isNotDone();
    }

    @Test
    void refusesAtOnceWhileTheNodeDoesNotFollowTheChanges() {
        follower.apply(6);
        following.attempt();
        following.failed("the database does not answer");
        nanos += Following.PATIENCE.toNanos();
        CompletableFuture<Void> soon = read(7);
        assertThat(soon).as("the failure may end in a moment").isNotDone();
        nanos += 1;

        assertThatThrownBy(read(7)::join)
                .hasCauseInstanceOf(CairnException.class)
                .hasMessageContaining("shows revision 6, asked for 7; it has not followed the changes for 3 s")
                .hasMessageContaining("the database does not answer");
        assertThat(read(6)).as("shown here").isCompleted();
        assertThat(gate.waiting()).isOne();
        follower.apply(7);
        assertThat(soon).isCompleted();
    }
}
