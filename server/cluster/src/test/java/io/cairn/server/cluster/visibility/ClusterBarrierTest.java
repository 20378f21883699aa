package io.cairn.server.cluster.visibility;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.server.change.Visibility;
import io.cairn.server.node.NodeId;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class ClusterBarrierTest {

    private static final Duration WITHIN = Duration.ofMillis(200);
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final NodeId B = new NodeId("10.0.0.2:8848", 1);
    private static final NodeId C = new NodeId("10.0.0.3:8848", 1);

    private final FakeTimer timer = new FakeTimer();
    private final List<Long> answered = new ArrayList<>();
    private final List<String> notices = new ArrayList<>();
    private ClusterBarrier barrier = barrier(true);

    private ClusterBarrier barrier(boolean everywhere) {
        ClusterBarrier opened = new ClusterBarrier(
                new ClusterBarrier.Settings(everywhere, WITHIN), Runnable::run, timer, () -> {}, timer);
        opened.noticeBy((peer, revision) -> notices.add(revision + " to " + peer.address()));
        return opened;
    }

    private void commit(long revision) {
        barrier.committed(revision, () -> answered.add(revision));
    }

    private void inService(FencePeer... peers) {
        barrier.peers(List.of(peers));
    }

    private static FencePeer peer(NodeId id, long revision) {
        return new FencePeer(id, revision, true);
    }

    private static FencePeer peerOfAnotherState(NodeId id, long revision) {
        return new FencePeer(id, revision, false);
    }

    @Test
    void answersWhenEveryNodeShowsTheRevision() {
        inService(peer(B, 0), peer(C, 0));
        commit(7);

        assertThat(notices).containsExactlyInAnyOrder("7 to 10.0.0.2:8848", "7 to 10.0.0.3:8848");
        barrier.applied(B, 7);
        assertThat(answered).isEmpty();
        assertThat(barrier.visibility(7)).isEqualTo(new Visibility(2, 3));
        barrier.applied(C, 9);

        assertThat(answered).containsExactly(7L);
        assertThat(barrier.visibility(7)).hasToString("3/3");
        assertThat(barrier.visibility(8)).hasToString("2/3");
    }

    @Test
    void anEarlierRevisionIsNoAnswer() {
        inService(peer(B, 0));
        commit(7);
        barrier.applied(B, 6);

        assertThat(answered).isEmpty();
    }

    @Test
    void answersAtOnceWithoutOtherNodes() {
        commit(7);

        assertThat(answered).containsExactly(7L);
        assertThat(timer.alarms()).isZero();
        assertThat(barrier.visibility(7)).hasToString("1/1");
    }

    @Test
    void answersAfterTheTimeLimitWithoutASilentNode() {
        inService(peer(B, 0), peer(C, 0));
        commit(7);
        barrier.applied(B, 7);
        timer.advance(WITHIN.minusMillis(1));
        assertThat(answered).isEmpty();
        timer.advance(Duration.ofMillis(1));

        assertThat(answered).containsExactly(7L);
        assertThat(barrier.visibility(7)).hasToString("2/3");
    }

    @Test
    void measuresEachWaitAndWhetherItsTimeWasOver() {
        List<String> waits = new ArrayList<>();
        barrier.measuredBy((nanos, isShown) -> waits.add(TimeUnit.NANOSECONDS.toMillis(nanos) + " " + isShown));
        commit(1);
        inService(peer(B, 1));
        commit(2);
        timer.advance(Duration.ofMillis(30));
        barrier.applied(B, 2);
        commit(3);
        timer.advance(WITHIN);

        assertThat(waits).containsExactly("0 true", "30 true", "200 false");
    }

    @Test
    void aFenceThatWaitsForNoNodeIsNotMeasured() {
        List<Long> waits = new ArrayList<>();
        barrier = barrier(false);
        barrier.measuredBy((nanos, isShown) -> waits.add(nanos));
        inService(peer(B, 0));
        commit(7);

        assertThat(answered).containsExactly(7L);
        assertThat(waits).isEmpty();
    }

    @Test
    void eachGroupHasItsOwnTimeLimitAndOneAlarmServesAll() {
        inService(peer(B, 0));
        commit(1);
        timer.advance(Duration.ofMillis(50));
        commit(2);
        timer.advance(Duration.ofMillis(150));
        assertThat(answered).containsExactly(1L);
        timer.advance(Duration.ofMillis(50));

        assertThat(answered).containsExactly(1L, 2L);
        assertThat(timer.alarms()).isEqualTo(2);
    }

    /** Commits these one after the other, each when the one before was answered. */
    private void commitInTurn(long first, long last) {
        for (long revision = first; revision <= last; revision++) {
            commit(revision);
            timer.advance(WITHIN);
        }
    }

    @Test
    void nodeIsBehindWhenItDoesNotShowARevisionASecondAfterItsLimit() {
        inService(peer(B, 0), peer(C, 0));
        for (long revision = 1; revision <= 6; revision++) {
            commit(revision);
            barrier.applied(C, revision);
            assertThat(answered).as("B is waited for").hasSize((int) revision - 1);
            timer.advance(WITHIN);
        }
        answered.clear();
        commit(7);
        assertThat(answered).as("C has not shown it yet").isEmpty();
        barrier.applied(C, 7);

        assertThat(answered).containsExactly(7L);
        assertThat(barrier.visibility(7)).as("B is in service").hasToString("2/3");
        assertThat(notices).as("B is notified nevertheless").contains("7 to 10.0.0.2:8848");
    }

    @Test
    void groupsThatMissTheLimitInOneStallDoNotMakeANodeBehind() {
        inService(peer(B, 0));
        LongStream.rangeClosed(1, 100).forEach(this::commit);
        timer.advance(Duration.ofMillis(400));
        commitInTurn(101, 103);
        barrier.applied(B, 103);
        answered.clear();
        commit(104);

        assertThat(answered).as("B is waited for").isEmpty();
    }

    @Test
    void nodeThatShowsEachRevisionLateIsNotBehind() {
        inService(peer(B, 0));
        for (long revision = 2; revision <= 40; revision++) {
            commit(revision);
            timer.advance(WITHIN);
            barrier.applied(B, revision - 1);
        }
        answered.clear();
        commit(41);

        assertThat(answered).isEmpty();
    }

    @Test
    void stallsWithALongTimeBetweenThemDoNotMakeANodeBehind() {
        inService(peer(B, 0));
        for (long revision = 1; revision <= 10; revision++) {
            commit(revision);
            timer.advance(WITHIN);
            barrier.applied(B, revision);
            timer.advance(Duration.ofSeconds(10));
        }
        answered.clear();
        commit(11);

        assertThat(answered).isEmpty();
    }

    @Test
    void groupsThatWaitForANodeBehindAreAnsweredTogether() {
        inService(peer(B, 0));
        commitInTurn(1, 5);
        commit(6);
        timer.advance(Duration.ofMillis(100));
        LongStream.rangeClosed(7, 100).forEach(this::commit);
        assertThat(answered).hasSize(5);
        timer.advance(Duration.ofMillis(100));

        assertThat(answered)
                .containsExactlyElementsOf(
                        LongStream.rangeClosed(1, 100).boxed().toList());
    }

    @Test
    void nodeIsWaitedForAgainWhenItsHeartbeatHasCaughtUp() {
        inService(peer(B, 0));
        commitInTurn(1, 6);
        timer.advance(SECOND);
        inService(peer(B, 0));
        timer.advance(SECOND);
        inService(peer(B, 5));
        timer.advance(SECOND);
        answered.clear();
        commit(7);
        assertThat(answered).as("behind: 5 of 6").containsExactly(7L);

        inService(peer(B, 6));
        answered.clear();
        commit(8);
        assertThat(answered).as("caught up").isEmpty();
        barrier.applied(B, 8);
        assertThat(answered).containsExactly(8L);
    }

    @Test
    void heartbeatNeedNotShowACommitDuringItsTransfer() {
        inService(peer(B, 0));
        commitInTurn(1, 6);
        for (long second = 1; second <= 3; second++) {
            commit(second * 100);
            timer.advance(SECOND);
            inService(peer(B, (second - 1) * 100));
        }
        answered.clear();
        commit(400);

        assertThat(answered).as("B is one second behind, as its heartbeat is").isEmpty();
    }

    @Test
    void nodeThatLeavesIsNotWaitedFor() {
        inService(peer(B, 0), peer(C, 0));
        commit(7);
        barrier.applied(B, 7);
        inService(peer(B, 0));

        assertThat(answered).containsExactly(7L);
        assertThat(barrier.visibility(7)).hasToString("2/2");
    }

    @Test
    void nodeThatComesIsNotifiedAndWaitedFor() {
        inService(peer(B, 0));
        commit(7);
        notices.clear();
        inService(peer(B, 0), peer(C, 6));

        assertThat(notices).containsExactly("7 to 10.0.0.3:8848");
        barrier.applied(B, 7);
        assertThat(answered).isEmpty();
        barrier.applied(C, 7);
        assertThat(answered).containsExactly(7L);
    }

    @Test
    void restartedNodeIsAnotherNode() {
        inService(peer(B, 0));
        commit(7);
        barrier.applied(B, 7);
        NodeId restarted = new NodeId(B.address(), 2);
        inService(peer(restarted, 0));
        answered.clear();
        commit(8);
        barrier.applied(B, 8);

        assertThat(answered).isEmpty();
        barrier.applied(restarted, 8);
        assertThat(answered).containsExactly(8L);
    }

    @Test
    void heartbeatCountsAsAnAnswer() {
        inService(peer(B, 0));
        commit(7);
        inService(peer(B, 7));

        assertThat(answered).containsExactly(7L);
    }

    @Test
    void answersInTheOrderOfTheCommits() {
        List<Runnable> handedOver = new ArrayList<>();
        barrier =
                new ClusterBarrier(new ClusterBarrier.Settings(true, WITHIN), handedOver::add, timer, () -> {}, timer);
        inService(peer(B, 0));
        commit(1);
        commit(2);
        barrier.applied(B, 2);
        // The answers of 1 and 2 wait for their thread; 3 does not overtake them, though B shows it already.
        barrier.applied(B, 3);
        commit(3);
        assertThat(answered).isEmpty();
        assertThat(handedOver).hasSize(1);
        handedOver.get(0).run();

        assertThat(answered).containsExactly(1L, 2L, 3L);
    }

    @Test
    void failureOfAnAnswerStopsNoOther() {
        inService(peer(B, 0));
        barrier.committed(1, () -> {
            throw new IllegalStateException("a defect");
        });
        commit(2);
        barrier.applied(B, 2);

        assertThat(answered).containsExactly(2L);
    }

    @Test
    void waitsForNoOtherNodeWhenThisOneIsEnough() {
        barrier = barrier(false);
        inService(peer(B, 0));
        commit(7);

        assertThat(answered).containsExactly(7L);
        assertThat(notices).as("others follow at once nevertheless").containsExactly("7 to 10.0.0.2:8848");
        assertThat(barrier.visibility(7)).hasToString("1/2");
    }

    @Test
    void waitsAgainAfterTheDatabaseWentBack() {
        inService(peer(B, 100));
        barrier.wentBack();
        commit(51);
        assertThat(answered).isEmpty();
        inService(peer(B, 50));
        barrier.applied(B, 51);
        assertThat(answered).containsExactly(51L);

        inService(peer(B, 100));
        inService(peer(B, 60));
        answered.clear();
        commit(61);
        assertThat(answered).as("B had not noticed it before").isEmpty();
    }

    @Test
    void revisionsOfALostStateDoNotCountUntilTheNodeHasSeenACommitOfThePresentOne() {
        inService(peer(B, 100));
        barrier.wentBack();
        // Sent before B has compared, and received after this node has.
        inService(peerOfAnotherState(B, 100));
        barrier.applied(B, 100);
        commit(51);
        assertThat(answered).isEmpty();
        assertThat(barrier.visibility(51)).hasToString("1/2");

        inService(peerOfAnotherState(B, 51));
        assertThat(answered).isEmpty();
        inService(peer(B, 51));
        assertThat(answered).containsExactly(51L);
        assertThat(barrier.visibility(51)).hasToString("2/2");
    }

    @Test
    void nodeThatShowsMoreThanIsCommittedShowsALostState() {
        inService(peer(B, 100), peer(C, 40));
        barrier.begun(45);
        commit(46);
        barrier.applied(C, 46);
        barrier.applied(B, 100);
        assertThat(answered).isEmpty();
        assertThat(barrier.visibility(46)).hasToString("2/3");

        inService(peer(B, 46), peer(C, 46));
        assertThat(answered).containsExactly(46L);
    }

    @Test
    void nodeInDoubtIsBehindAfterASecondAndWaitedForAgainWhenItHasSeenACommit() {
        inService(peer(B, 100));
        barrier.begun(45);
        commit(46);
        timer.advance(WITHIN);
        commit(47);
        timer.advance(SECOND);
        commit(48);
        timer.advance(WITHIN);
        assertThat(answered).containsExactly(46L, 47L, 48L);
        commit(49);
        assertThat(answered).as("B is behind").contains(49L);

        inService(peerOfAnotherState(B, 100));
        commit(50);
        assertThat(answered).contains(50L);
        inService(peer(B, 50));
        commit(51);
        assertThat(answered).doesNotContain(51L);
    }

    @Test
    void closingAnswersAllThatWait() {
        Queue<Runnable> queued = new ArrayDeque<>();
        boolean[] ended = {false};
        barrier = new ClusterBarrier(
                new ClusterBarrier.Settings(true, WITHIN),
                task -> {
                    if (ended[0]) {
                        throw new RejectedExecutionException("ended");
                    }
                    queued.add(task);
                },
                timer,
                () -> ended[0] = true,
                timer);
        inService(peer(B, 0));
        commit(1);
        barrier.close();
        queued.forEach(Runnable::run);
        assertThat(answered).containsExactly(1L);

        commit(2);
        assertThat(answered).containsExactly(1L, 2L);
    }

    @Test
    void anOpenFenceAnswersOnItsThread() throws Exception {
        try (ClusterBarrier real = ClusterBarrier.open(new ClusterBarrier.Settings(true, Duration.ofMillis(20)))) {
            real.peers(List.of(peer(B, 0)));
            CompletableFuture<String> silent = new CompletableFuture<>();
            real.committed(1, () -> silent.complete(Thread.currentThread().getName()));
            assertThat(silent.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEqualTo("cairn-barrier");

            CountDownLatch all = new CountDownLatch(1_000);
            for (long revision = 2; revision <= 1_001; revision++) {
                real.committed(revision, all::countDown);
                real.applied(B, revision);
            }
            assertThat(all.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
            real.committed(1_002, () -> {});
        }
    }

    /** The writer commits, two nodes answer, and one of them comes and goes, each on a thread of its own. */
    @Test
    void answersEachBatchOnceAndInOrderDuringConcurrentEvents() throws Exception {
        long groups = 20_000;
        List<Long> order = Collections.synchronizedList(new ArrayList<>());
        AtomicLong committed = new AtomicLong();
        ExecutorService threads = Executors.newFixedThreadPool(3);
        try (ClusterBarrier real = ClusterBarrier.open(new ClusterBarrier.Settings(true, Duration.ofSeconds(30)))) {
            real.peers(List.of(peer(B, 0), peer(C, 0)));
            List<Future<?>> others = new ArrayList<>();
            for (NodeId id : List.of(B, C)) {
                others.add(threads.submit(() -> {
                    for (long shown = 0; shown < groups; shown = committed.get()) {
                        real.applied(id, shown);
                    }
                    real.applied(id, groups);
                }));
            }
            others.add(threads.submit(() -> {
                for (long shown = 0; shown < groups; shown = committed.get()) {
                    real.peers(List.of(peer(B, 0)));
                    real.peers(List.of(peer(B, 0), peer(C, shown)));
                }
                real.peers(List.of(peer(B, 0), peer(C, groups)));
            }));
            for (long revision = 1; revision <= groups; revision++) {
                long each = revision;
                committed.set(each);
                real.committed(each, () -> order.add(each));
            }
            for (Future<?> other : others) {
                other.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            }
            await().until(() -> order.size() >= groups);
        } finally {
            threads.shutdownNow();
        }

        assertThat(order)
                .containsExactlyElementsOf(
                        LongStream.rangeClosed(1, groups).boxed().toList());
    }
}
