package io.cairn.server.change;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.testing.HandDrivenLoop;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** When reads and listens wait until this node has looked at what is stored. */
class CatchUpTest {

    private static final Duration FOLLOWS_WITHIN = Duration.ofSeconds(3);
    private static final Duration NOTICE_WITHIN = Duration.ofMillis(100);

    private final HandDrivenLoop timer = new HandDrivenLoop();
    private final Store store = new Store();
    private final Following following = new Following(timer::nanoTime);
    private boolean isAway;
    private final CatchUp catchUp = new CatchUp(
            new CatchUp.Sources(store, following, () -> isAway, timer),
            new CatchUp.Settings(FOLLOWS_WITHIN, NOTICE_WITHIN),
            timer::nanoTime);

    /** A store that is read when the test says so. */
    private static final class Store implements RevisionFollower {

        private final List<Listener> listeners = new ArrayList<>();
        private CompletableFuture<Boolean> next = new CompletableFuture<>();
        private int asked;
        private long applied;

        @Override
        public void wake(long revision) {
            throw new AssertionError("only a look is asked for");
        }

        @Override
        public long appliedRevision() {
            return applied;
        }

        @Override
        public CompletionStage<Boolean> check() {
            asked++;
            return next;
        }

        @Override
        public void follow(Listener listener) {
            listeners.add(listener);
        }

        /** A reading begins: who asks from here on waits for the next one. */
        CompletableFuture<Boolean> begin() {
            CompletableFuture<Boolean> begun = next;
            next = new CompletableFuture<>();
            return begun;
        }

        void goBackTo(long revision) {
            applied = revision;
            listeners.forEach(listener -> listener.wentBack(revision));
        }
    }

    @BeforeEach
    void show() {
        store.applied = 7;
        followed();
    }

    private void followed() {
        following.attempt();
        following.followed(false);
    }

    private void looked(long revision) {
        following.attempt();
        store.applied = revision;
        following.followed(false);
        store.begin().complete(true);
    }

    private CompletableFuture<Long> read() {
        return catchUp.beforeRead().toCompletableFuture();
    }

    @Test
    void aReadDoesNotWaitWhereOtherNodesShowNoMore() {
        catchUp.shownElsewhere(7);

        assertThat(catchUp.isInStep()).isTrue();
        assertThat(read()).isCompletedWithValue(0L);
        assertThat(store.asked).isZero();
    }

    @Test
    void readsShareOneLookWhileAnotherNodeShowsMore() {
        catchUp.shownElsewhere(8);
        assertThat(catchUp.isInStep()).isFalse();
        List<CompletableFuture<Long>> reads = List.of(read(), read(), read());
        assertThat(reads).noneMatch(CompletableFuture::isDone);
        assertThat(timer.waits()).containsExactly(CatchUp.WITHIN);

        looked(8);

        assertThat(reads).allSatisfy(each -> assertThat(each).isCompletedWithValue(0L));
        assertThat(catchUp.isInStep()).isTrue();
        assertThat(catchUp.waiting()).isZero();
        assertThat(timer.waits()).isEmpty();
    }

    @Test
    void aReadDuringALookWaitsForTheOneAfterIt() {
        catchUp.shownElsewhere(8);
        CompletableFuture<Long> first = read();
        CompletableFuture<Boolean> begun = store.begin();
        CompletableFuture<Long> second = read();

        begun.complete(true);

        assertThat(first).isCompletedWithValue(0L);
        assertThat(second).isNotDone();
    }

    @Test
    void aReadIsAnsweredAfterHalfASecondWithTheAgeOfWhatIsShown() throws Exception {
        timer.pass(Duration.ofSeconds(2));
        catchUp.shownElsewhere(8);
        CompletableFuture<Long> read = read();

        timer.pass(CatchUp.WITHIN);

        assertThat(read).isCompletedWithValue(3L);
        // The same look is still awaited in vain: others do not wait for it.
        assertThat(read()).isCompletedWithValue(3L);
        assertThat(catchUp.waiting()).isZero();
    }

    @Test
    void aReadIsAnsweredWithTheAgeWhenTheLookFails() {
        catchUp.shownElsewhere(8);
        CompletableFuture<Long> read = read();

        store.begin().complete(false);

        assertThat(read).isCompletedWithValue(1L);
    }

    @Test
    void aReadWaitsAfterAPause() throws Exception {
        timer.pass(Duration.ofSeconds(15));
        assertThat(catchUp.isInStep()).isFalse();
        CompletableFuture<Long> read = read();
        assertThat(read).isNotDone();

        looked(9);

        assertThat(read).isCompletedWithValue(0L);
        assertThat(catchUp.isInStep()).isTrue();
    }

    @Test
    void aNoticeIsJustAboutToBeFollowed() throws Exception {
        catchUp.committedElsewhere(8);

        assertThat(read()).isCompletedWithValue(0L);
        assertThat(store.asked).isZero();

        timer.pass(NOTICE_WITHIN);
        CompletableFuture<Long> read = read();
        assertThat(read).isNotDone();
        looked(8);
        assertThat(read).isCompletedWithValue(0L);
    }

    @Test
    void laterNoticesDoNotPutOffTheFirst() throws Exception {
        catchUp.committedElsewhere(8);
        timer.pass(NOTICE_WITHIN.dividedBy(2));
        catchUp.committedElsewhere(9);
        timer.pass(NOTICE_WITHIN.dividedBy(2));
        assertThat(read()).isNotDone();

        looked(8);
        catchUp.committedElsewhere(10);
        assertThat(read()).isCompletedWithValue(0L);
    }

    @Test
    void nothingWaitsWhileTheDatabaseIsAway() throws Exception {
        isAway = true;
        timer.pass(Duration.ofSeconds(15));
        assertThat(read()).isCompletedWithValue(0L);

        catchUp.shownElsewhere(8);
        assertThat(read()).isCompletedWithValue(16L);
        assertThat(catchUp.beforeListen().toCompletableFuture()).isCompletedWithValue(false);
        assertThat(store.asked).isZero();
    }

    @Test
    void aReadOfANodeThatMayLackChangesHasAnAgeWhileTheDatabaseIsAway() throws Exception {
        isAway = true;
        timer.pass(Duration.ofSeconds(20));
        assertThat(read()).isCompletedWithValue(0L);

        catchUp.mayLackChanges(() -> true);

        assertThat(read()).isCompletedWithValue(21L);
    }

    /** Another node shows a state that the database has lost, or that it will not find out for a while. */
    @Test
    void whatALookDoesNotFindIsForgottenUntilTheNextHeartbeat() throws Exception {
        catchUp.shownElsewhere(20);
        catchUp.committedElsewhere(21);
        timer.pass(NOTICE_WITHIN);
        CompletableFuture<Long> read = read();
        looked(7);

        assertThat(read).isCompletedWithValue(0L);
        assertThat(catchUp.isInStep()).isTrue();

        catchUp.shownElsewhere(20);
        assertThat(catchUp.isInStep()).isFalse();
    }

    @Test
    void aHeartbeatDuringALookIsNotForgotten() throws Exception {
        catchUp.shownElsewhere(8);
        CompletableFuture<Long> read = read();
        timer.pass(Duration.ofMillis(1));
        catchUp.shownElsewhere(9);

        looked(8);

        assertThat(read).isCompletedWithValue(0L);
        assertThat(catchUp.isInStep()).isFalse();
    }

    @Test
    void revisionsOfALostStateCountNoMore() {
        catchUp.shownElsewhere(20);
        catchUp.committedElsewhere(21);

        store.goBackTo(5);

        assertThat(catchUp.isInStep()).isTrue();
    }

    @Test
    void aListenWaitsForALookInAnyCase() {
        CompletableFuture<Boolean> listen = catchUp.beforeListen().toCompletableFuture();
        assertThat(listen).isNotDone();

        looked(7);

        assertThat(listen).isCompletedWithValue(true);
    }

    @Test
    void eachListenWaitsForALookThatTakesLong() throws Exception {
        CompletableFuture<Boolean> first = catchUp.beforeListen().toCompletableFuture();
        timer.pass(CatchUp.WITHIN);
        assertThat(first).isCompletedWithValue(false);

        CompletableFuture<Boolean> second = catchUp.beforeListen().toCompletableFuture();
        assertThat(second).isNotDone();
        looked(8);
        assertThat(second).isCompletedWithValue(true);
        assertThat(catchUp.waiting()).isZero();
    }

    @Test
    void nothingWaitsWhereNoOtherNodeWrites() {
        assertThat(CatchUp.NOT_NEEDED.isInStep()).isTrue();
        assertThat(CatchUp.NOT_NEEDED.beforeRead().toCompletableFuture()).isCompletedWithValue(0L);
        assertThat(CatchUp.NOT_NEEDED.beforeListen().toCompletableFuture()).isCompletedWithValue(false);
    }

    @Test
    void tooManyDoNotWait() {
        for (int i = 0; i < CatchUp.MAX_WAITING; i++) {
            assertThat(catchUp.beforeListen().toCompletableFuture()).isNotDone();
        }
        assertThat(catchUp.beforeListen().toCompletableFuture()).isCompletedWithValue(false);

        looked(7);

        assertThat(catchUp.waiting()).isZero();
    }
}
