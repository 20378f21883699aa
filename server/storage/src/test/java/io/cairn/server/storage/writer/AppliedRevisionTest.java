package io.cairn.server.storage.writer;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.change.RevisionFollower;
import io.cairn.server.testing.SettableClock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class AppliedRevisionTest {

    private final AppliedRevision applied = new AppliedRevision(new SettableClock());
    private final AtomicInteger woken = new AtomicInteger();
    private final List<String> heard = new CopyOnWriteArrayList<>();

    @BeforeEach
    void follow() {
        applied.onWake(woken::incrementAndGet);
        applied.follow(new RevisionFollower.Listener() {
            @Override
            public void applied(long revision) {
                heard.add(Long.toString(revision));
            }

            @Override
            public void wentBack(long revision) {
                heard.add("back to " + revision);
            }
        });
    }

    @Test
    void nothingCountsBeforeMemoryWasCompared() {
        applied.committed(4, 5, 7);
        applied.followed(5, applied.epoch());
        assertThat(applied.appliedRevision()).isEqualTo(RevisionFollower.NONE);

        applied.compared(6, null, false, applied.epoch());

        assertThat(applied.appliedRevision()).isEqualTo(6);
        assertThat(heard).containsExactly("6");
    }

    @Test
    void anOwnCommitThatFollowsIsAppliedAtOnce() {
        applied.compared(5, null, false, applied.epoch());

        applied.committed(5, 8, 7);

        assertThat(applied.appliedRevision()).isEqualTo(8);
        assertThat(heard).containsExactly("5", "8");
        assertThat(woken).hasValue(0);
    }

    @Test
    void anOwnCommitAfterOneOfAnotherNodeWaitsUntilThatWasRead() {
        applied.compared(5, null, false, applied.epoch());

        applied.committed(6, 8, 7);
        applied.committed(8, 9, 7);
        applied.committed(10, 11, 7);

        assertThat(applied.appliedRevision()).isEqualTo(5);
        assertThat(woken).as("each has the changes before it read").hasValue(3);
        assertThat(List.of(6L, 7L, 8L, 9L, 10L, 11L, 12L).stream().map(applied::isOwn))
                .containsExactly(false, true, true, true, false, true, false);
        applied.followed(6, applied.epoch());
        assertThat(applied.appliedRevision()).isEqualTo(9);
        applied.followed(9, applied.epoch());
        applied.followed(10, applied.epoch());
        assertThat(applied.appliedRevision()).isEqualTo(11);
        assertThat(heard).containsExactly("5", "9", "11");
    }

    @Test
    void aNoticeOfAShownRevisionWakesNoFollower() {
        applied.compared(5, null, false, applied.epoch());

        applied.wake(5);
        assertThat(woken).hasValue(0);
        applied.wake(6);
        assertThat(woken).hasValue(1);
    }

    @Test
    void afterAReconnectionNumbersCountOnlyOnceMemoryWasCompared() {
        applied.compared(9, null, false, applied.epoch());
        int before = applied.epoch();
        applied.reconnected();

        applied.committed(9, 10, 7);
        applied.followed(10, before);
        applied.followed(10, applied.epoch());
        applied.compared(10, null, false, before);
        assertThat(applied.appliedRevision()).isEqualTo(9);

        applied.compared(10, null, false, applied.epoch());
        assertThat(applied.appliedRevision()).isEqualTo(10);
        assertThat(heard).containsExactly("9", "10");
    }

    @Test
    void reportsADatabaseThatWentBackOnce() {
        applied.compared(100, null, false, applied.epoch());
        applied.committed(101, 103, 7);
        int before = applied.epoch();

        // The database gives out a revision for the second time: it has lost its last commits.
        applied.begun(91);
        applied.committed(91, 92, 7);
        assertThat(applied.epoch()).isNotEqualTo(before);
        applied.compared(92, new AppliedRevision.LogEntry(92, 7), true, applied.epoch());
        applied.followed(101, applied.epoch());

        assertThat(applied.appliedRevision())
                .as("the commit of before is no part of this history")
                .isEqualTo(101);
        assertThat(applied.lostCommits())
                .isEqualTo(new AppliedRevision.LostCommits(100, 92, new SettableClock().instant()));
        assertThat(heard).containsExactly("100", "back to 92", "101");
    }

    @Test
    void knowsTheCommitsOfThePresentState() {
        applied.compared(5, new AppliedRevision.LogEntry(5, 50), false, applied.epoch());
        applied.committed(5, 6, 60);
        applied.logged(new AppliedRevision.LogEntry(7, 70), applied.epoch());
        assertThat(List.of(50L, 60L, 70L)).allMatch(applied::hasSeen);
        assertThat(applied.hasSeen(80)).isFalse();
        assertThat(applied.hasSeen(RevisionFollower.NO_COMMIT)).isFalse();
        assertThat(applied.lastCommit()).isEqualTo(70);

        applied.begun(4);
        assertThat(List.of(50L, 60L, 70L)).noneMatch(applied::hasSeen);
        assertThat(applied.lastCommit()).isEqualTo(RevisionFollower.NO_COMMIT);
        applied.committed(4, 8, 61);
        assertThat(applied.hasSeen(61)).as("before everything was compared").isFalse();

        applied.compared(8, new AppliedRevision.LogEntry(8, 61), true, applied.epoch());
        assertThat(applied.hasSeen(61)).isTrue();
        assertThat(applied.hasSeen(70)).isFalse();
        assertThat(applied.lastCommit()).isEqualTo(61);
    }

    @Test
    void forgetsTheOldestOfVeryManyCommits() {
        applied.compared(0, new AppliedRevision.LogEntry(0, 1), false, applied.epoch());
        for (long revision = 1; revision < 5_000; revision++) {
            applied.committed(revision - 1, revision, revision + 1);
        }

        assertThat(applied.hasSeen(5_000)).isTrue();
        assertThat(applied.hasSeen(1_000)).isTrue();
        assertThat(applied.hasSeen(1)).isFalse();
    }

    @Test
    void aSingleNodeShowsItsCommits() {
        applied.alone(7);

        applied.reconnected();
        applied.committed(9, 10, 7);

        assertThat(applied.appliedRevision()).isEqualTo(10);
        assertThat(heard).containsExactly("7", "10");
        assertThat(woken).hasValue(0);
    }

    @Test
    void listenersAreCalledInOrderByOneThreadAtATime() throws Exception {
        applied.compared(0, null, false, applied.epoch());
        List<Long> seen = new ArrayList<>();
        applied.follow(seen::add);
        // Revisions of two nodes in turn: the even ones are of this node.
        int last = 40_000;
        AtomicInteger committed = new AtomicInteger();
        Thread follower = new Thread(() -> {
            while (applied.appliedRevision() < last) {
                applied.followed(committed.get(), applied.epoch());
            }
        });
        follower.start();
        for (int revision = 2; revision <= last; revision += 2) {
            applied.committed(revision - 1, revision, 7);
            committed.set(revision);
        }
        follower.join();

        assertThat(seen).isSorted().doesNotHaveDuplicates().endsWith((long) last);
    }

    @Test
    void aListenerThatFailsKeepsNoOtherFromBeingCalled() {
        AppliedRevision with = new AppliedRevision(new SettableClock());
        with.follow(revision -> {
            throw new IllegalStateException("a listener that fails on purpose");
        });
        List<Long> seen = new ArrayList<>();
        with.follow(seen::add);

        with.alone(1);
        with.committed(1, 2, 7);

        assertThat(seen).containsExactly(1L, 2L);
    }
}
