package io.cairn.server.cluster.replication;

import static io.cairn.server.cluster.replication.Samples.A;
import static io.cairn.server.cluster.replication.Samples.B;
import static io.cairn.server.cluster.replication.Samples.SERVICE;
import static io.cairn.server.cluster.replication.Samples.delta;
import static io.cairn.server.cluster.replication.Samples.gone;
import static io.cairn.server.cluster.replication.Samples.heartbeat;
import static io.cairn.server.cluster.replication.Samples.hello;
import static io.cairn.server.cluster.replication.Samples.moved;
import static io.cairn.server.cluster.replication.Samples.published;
import static io.cairn.server.cluster.replication.Samples.snapshot;
import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.api.naming.InstanceKey;
import io.cairn.server.cluster.wire.ClusterMessage;
import io.cairn.server.cluster.wire.RegistryEntry;
import io.cairn.server.naming.registry.MirroredPublication;
import io.cairn.server.testing.SettableClock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class PeerCopyTest {

    private static final InstanceKey INSTANCE = new InstanceKey("10.1.0.1", 8080, "DEFAULT");
    private static final ClusterMessage REQUEST = new ClusterMessage.SnapshotRequest(7);

    private final AtomicLong nanos = new AtomicLong();
    private final AtomicInteger diverged = new AtomicInteger();
    private final RecordingRegistry registry = new RecordingRegistry();
    private final RecentDeregistrations deregistrations = new RecentDeregistrations(nanos::get);
    private final PeerCopy copy = newCopy();

    private PeerCopy newCopy() {
        return new PeerCopy(
                A,
                registry,
                new ClusterClock(new SettableClock()),
                deregistrations,
                sdk -> Duration.ofSeconds(sdk.equals("python") ? 45 : 15),
                nanos::get,
                owner -> diverged.incrementAndGet());
    }

    @BeforeEach
    void followsFromTheBeginning() {
        copy.arrived();
        assertThat(copy.opened(hello(A, 7, 0, 1)))
                .isEqualTo(new ClusterMessage.StreamPosition(7, A.incarnation(), ClusterMessage.StreamPosition.NONE));
        assertThat(copy.snapshot(snapshot(7, 0, true, 0, 0))).isNull();
    }

    private void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    @Test
    void appliesDeltaOnce() {
        assertThat(copy.delta(delta(7, 0, 2, published(1, "a", 1), published(2, "b", 1))))
                .isNull();
        assertThat(registry.takeCalls()).containsExactly("set a", "set b");
        assertThat(copy.delta(delta(7, 0, 3, published(1, "a", 1), gone(3, "b"))))
                .isNull();
        assertThat(registry.takeCalls()).containsExactly("remove b");
        assertThat(copy.summary().sequence()).isEqualTo(3);
    }

    @Test
    void overlappingDeltaRestoresNothing() {
        copy.delta(delta(7, 0, 1, published(1, "a", 1)));
        copy.delta(delta(7, 1, 2, gone(2, "a")));
        registry.takeCalls();
        assertThat(copy.delta(delta(7, 0, 1, published(1, "a", 1)))).isNull();
        assertThat(registry.takeCalls()).isEmpty();
        assertThat(copy.summary()).isEqualTo(new OwnLog.Summary(2, 0, 0));
    }

    @Test
    void publishesBeforeItRemoves() {
        copy.delta(delta(7, 0, 1, published(1, "old", 1)));
        registry.takeCalls();
        copy.delta(delta(7, 1, 3, gone(2, "old"), published(3, "new", 1)));
        assertThat(registry.takeCalls()).containsExactly("set new", "remove old");
    }

    @Test
    void gapRequestsASnapshotOnceUntilTheTimeout() {
        copy.delta(delta(7, 0, 1, published(1, "a", 1)));
        registry.takeCalls();
        assertThat(copy.delta(delta(7, 2, 3, published(3, "c", 1)))).isEqualTo(REQUEST);
        assertThat(copy.delta(delta(7, 3, 4, published(4, "d", 1)))).isNull();
        assertThat(registry.takeCalls()).isEmpty();
        pass(PeerCopy.PATIENCE);
        assertThat(copy.delta(delta(7, 4, 5, published(5, "e", 1)))).isEqualTo(REQUEST);
        copy.snapshot(snapshot(7, 0, true, 5, 0, published(1, "a", 1), published(5, "e", 1)));
        assertThat(registry.takeCalls()).containsExactly("set e");
        assertThat(copy.delta(delta(7, 5, 6, published(6, "f", 1)))).isNull();
    }

    @Test
    void snapshotReplacesInOneStepAndKeepsEqualEntries() {
        copy.delta(delta(7, 0, 3, published(1, "a", 1), published(2, "b", 1), published(3, "c", 1)));
        MirroredPublication before = registry.shown("a");
        registry.takeCalls();
        assertThat(copy.snapshot(snapshot(7, 0, false, 0, 0, published(9, "a", 1))))
                .isNull();
        assertThat(registry.takeCalls()).isEmpty();
        copy.snapshot(snapshot(7, 1, true, 12, 0, published(11, "b", 2), moved(12, "c")));
        assertThat(registry.takeCalls()).containsExactly("set b", "hold c");
        copy.forEach(publication -> {
            if (publication.publisher().id().equals("a")) {
                assertThat(publication).isSameAs(before);
            }
        });
        assertThat(copy.summary().count()).isEqualTo(2);
    }

    @Test
    void requestsAnIncompleteSnapshotAgain() {
        copy.snapshot(snapshot(7, 0, false, 0, 0, published(1, "a", 1)));
        assertThat(copy.snapshot(snapshot(7, 2, true, 9, 0, published(9, "b", 1))))
                .isEqualTo(REQUEST);
        assertThat(registry.takeCalls()).isEmpty();
    }

    @Test
    void snapshotHoldsHttpClientsWhenTheLogHasNoTombstones() {
        copy.delta(delta(7, 0, 2, published(1, "a", 1), published(2, "10.1.0.2:1#true", 1)));
        registry.takeCalls();
        copy.snapshot(snapshot(7, 0, true, 99, 50));
        assertThat(registry.takeCalls()).containsExactlyInAnyOrder("hold 10.1.0.2:1#true", "remove a");
    }

    @Test
    void ignoresAMessageOfAnotherStream() {
        assertThat(copy.delta(delta(6, 0, 1, published(1, "a", 1)))).isNull();
        assertThat(copy.snapshot(snapshot(6, 0, true, 1, 0, published(1, "a", 1))))
                .isNull();
        assertThat(copy.heartbeat(heartbeat(6, new OwnLog.Summary(0, 5, 5), 0))).isNull();
        assertThat(registry.takeCalls()).isEmpty();
        assertThat(diverged).hasValue(0);
    }

    @Test
    void newStreamContinuesFromTheCopy() {
        copy.delta(delta(7, 0, 1, published(1, "a", 1)));
        assertThat(copy.opened(hello(A, 8, 5, 1))).isEqualTo(new ClusterMessage.StreamPosition(8, A.incarnation(), 1));
        assertThat(copy.delta(delta(7, 1, 2, published(2, "late", 1)))).isNull();
        assertThat(copy.delta(delta(8, 1, 5, published(5, "b", 1)))).isNull();
        assertThat(registry.takeCalls()).containsExactly("set a", "set b");
    }

    @Test
    void heartbeatOfUnknownStreamOpensIt() {
        copy.delta(delta(7, 0, 1, published(1, "a", 1)));
        copy.departed();
        copy.arrived();
        assertThat(copy.heartbeat(heartbeat(7, new OwnLog.Summary(4, 1, 1), 0)))
                .isEqualTo(new ClusterMessage.StreamPosition(7, A.incarnation(), 1));
    }

    @Test
    void copyThatIsAheadOfItsOwnerStartsAgain() {
        copy.delta(delta(7, 0, 9, published(9, "a", 1)));
        assertThat(copy.opened(hello(A, 8, 5, 1)))
                .isEqualTo(new ClusterMessage.StreamPosition(8, A.incarnation(), ClusterMessage.StreamPosition.NONE));
    }

    @Test
    void anotherDigestAtTheSameNumberRequestsASnapshot() {
        copy.delta(delta(7, 0, 1, published(1, "a", 1)));
        OwnLog.Summary summary = copy.summary();
        assertThat(copy.heartbeat(heartbeat(7, summary, 0))).isNull();
        assertThat(copy.heartbeat(heartbeat(7, new OwnLog.Summary(1, summary.count(), summary.digest() ^ 1), 0)))
                .isEqualTo(REQUEST);
        assertThat(diverged).hasValue(1);
    }

    @Test
    void copyWithoutProgressRequestsASnapshotAfterThreeSeconds() {
        OwnLog.Summary ahead = new OwnLog.Summary(5, 1, 1);
        assertThat(copy.heartbeat(heartbeat(7, ahead, 0))).isNull();
        pass(PeerCopy.PATIENCE.minusMillis(1));
        assertThat(copy.heartbeat(heartbeat(7, ahead, 0))).isNull();
        pass(Duration.ofMillis(1));
        assertThat(copy.heartbeat(heartbeat(7, ahead, 0))).isEqualTo(REQUEST);
    }

    @Test
    void movedPublicationIsHeldUntilItsTimeEnds() {
        copy.delta(delta(7, 0, 2, published(1, "a", 1)));
        copy.delta(delta(7, 2, 3, moved(3, "a")));
        assertThat(copy.summary()).isEqualTo(new OwnLog.Summary(3, 0, 0));
        assertThat(registry.takeCalls()).containsExactly("set a", "hold a");
        pass(PeerCopy.MOVED_HOLD.minusMillis(1));
        copy.expire(false);
        assertThat(registry.takeCalls()).isEmpty();
        pass(Duration.ofMillis(1));
        copy.expire(false);
        assertThat(registry.takeCalls()).containsExactly("release a");
    }

    @Test
    void heldInstancesStayWhileThisNodeIsCutOff() {
        copy.delta(delta(7, 0, 2, published(1, "a", 1), published(2, "b", 1)));
        copy.delta(delta(7, 2, 3, moved(3, "a")));
        copy.departed();
        registry.takeCalls();
        for (int second = 0; second < 120; second++) {
            pass(Duration.ofSeconds(1));
            copy.expire(true);
        }
        assertThat(registry.takeCalls()).isEmpty();
        pass(PeerCopy.CUT_OFF);
        copy.expire(true);
        pass(Duration.ofSeconds(15));
        copy.expire(true);
        assertThat(registry.takeCalls()).containsExactlyInAnyOrder("release a", "lose b");
    }

    @Test
    void orphansEndWithTheWindowOfTheirSdk() {
        copy.delta(delta(7, 0, 2, published(1, "java", 1), published(2, "python", 1)));
        registry.takeCalls();
        copy.departed();
        assertThat(registry.takeCalls()).containsExactlyInAnyOrder("hold java", "hold python");
        copy.expire(false);
        pass(Duration.ofSeconds(15));
        copy.expire(false);
        assertThat(registry.takeCalls()).containsExactly("lose java");
        assertThat(copy.isOver()).isFalse();
        pass(Duration.ofSeconds(30));
        copy.expire(false);
        assertThat(registry.takeCalls()).containsExactly("lose python");
        assertThat(copy.isOver()).isTrue();
    }

    @Test
    void orphansAreHeldWhileClientsReturnForThreeMinutesAtMost() {
        copy.delta(delta(7, 0, 2, published(1, "java", 1), published(2, "python", 1)));
        copy.departed();
        registry.takeCalls();
        for (int second = 0; second < 100; second++) {
            copy.expire(false);
            if (second % 10 == 0) {
                registry.clientReturns();
            }
            pass(Duration.ofSeconds(1));
        }
        // The last client has returned after 90 s, which was found 1 s later.
        assertThat(registry.takeCalls()).isEmpty();
        pass(Duration.ofSeconds(5));
        copy.expire(false);
        assertThat(registry.takeCalls()).isEmpty();
        pass(Duration.ofSeconds(1));
        copy.expire(false);
        assertThat(registry.takeCalls()).containsExactly("lose java");

        for (int second = 106; second < 180; second++) {
            registry.clientReturns();
            copy.expire(false);
            pass(Duration.ofSeconds(1));
        }
        assertThat(registry.takeCalls()).isEmpty();
        copy.expire(false);
        assertThat(registry.takeCalls()).containsExactly("lose python");
    }

    /** Its sender may have seen a client return a moment ago. */
    @Test
    void orphansOfAnotherNodeAreHeldForAWindowOfTheirOwn() {
        PeerCopy young = newCopy();
        young.orphans(B, new ClusterMessage.Orphans(A, 100_000, 0, true, List.of(published(1, "young", 1))));
        PeerCopy old = newCopy();
        old.orphans(B, new ClusterMessage.Orphans(A, 170_000, 0, true, List.of(published(1, "old", 1))));
        assertThat(registry.takeCalls()).containsExactly("hold young", "hold old");
        for (int second = 0; second < 10; second++) {
            young.expire(false);
            old.expire(false);
            pass(Duration.ofSeconds(1));
        }
        assertThat(registry.takeCalls()).isEmpty();
        old.expire(false);
        assertThat(registry.takeCalls()).as("180 s after its node departed").containsExactly("lose old");
        pass(Duration.ofSeconds(5));
        young.expire(false);
        assertThat(registry.takeCalls()).containsExactly("lose young");
        assertThat(young.isOver()).isTrue();
    }

    @Test
    void returningOwnerContinuesFromItsOrphans() {
        copy.delta(delta(7, 0, 1, published(1, "a", 1)));
        copy.departed();
        registry.takeCalls();
        copy.arrived();
        assertThat(copy.opened(hello(A, 9, 1, 1))).isEqualTo(new ClusterMessage.StreamPosition(9, A.incarnation(), 1));
        assertThat(registry.takeCalls()).containsExactly("set a");
    }

    @Test
    void ownerWhoseOrphansHaveEndedSendsSnapshot() {
        copy.delta(delta(7, 0, 2, published(1, "java", 1), published(2, "python", 1)));
        copy.departed();
        copy.expire(false);
        pass(Duration.ofSeconds(15));
        copy.expire(false);
        registry.takeCalls();
        copy.arrived();
        assertThat(copy.opened(hello(A, 9, 2, 1)))
                .isEqualTo(new ClusterMessage.StreamPosition(9, A.incarnation(), ClusterMessage.StreamPosition.NONE));
        copy.snapshot(snapshot(9, 0, true, 2, 0, published(1, "java", 1), published(2, "python", 1)));
        assertThat(registry.takeCalls()).containsExactlyInAnyOrder("set java", "set python");
    }

    /** The client may be at a third node, whose stream says so a moment later. */
    @Test
    void connectionThatEndedWhileItsOwnerWasAwayIsHeld() {
        copy.delta(delta(7, 0, 3, published(1, "a", 1), published(2, "b", 1), published(3, "10.1.0.2:1#true", 1)));
        copy.departed();
        copy.arrived();
        copy.opened(hello(A, 9, 5, 1));
        registry.takeCalls();

        pass(PeerCopy.PATIENCE);
        copy.delta(delta(9, 3, 5, gone(4, "a"), gone(5, "10.1.0.2:1#true")));
        assertThat(registry.takeCalls()).containsExactly("hold a", "remove 10.1.0.2:1#true");
        copy.delta(delta(9, 5, 6, gone(6, "b")));
        assertThat(registry.takeCalls()).containsExactly("remove b");
        pass(PeerCopy.MOVED_HOLD);
        copy.expire(false);
        assertThat(registry.takeCalls()).containsExactly("release a");
    }

    /** A heartbeat from before the return opens the stream, and changes follow that were made after it. */
    @Test
    void connectionThatEndsRightAfterTheReturnIsHeld() {
        copy.delta(delta(7, 0, 2, published(1, "a", 1), published(2, "b", 1)));
        copy.departed();
        copy.arrived();
        copy.heartbeat(heartbeat(7, copy.summary(), 0));
        registry.takeCalls();

        copy.delta(delta(7, 2, 3, gone(3, "a")));
        pass(PeerCopy.PATIENCE);
        copy.delta(delta(7, 3, 4, gone(4, "b")));

        assertThat(registry.takeCalls()).containsExactly("hold a", "remove b");
    }

    /** The view of this node named the owner all the time. */
    @Test
    void connectionThatEndedWhileItsOwnerDidNotSeeThisNodeIsHeld() {
        copy.delta(delta(7, 0, 2, published(1, "a", 1), published(2, "b", 1)));
        copy.opened(hello(A, 8, 3, 1));
        registry.takeCalls();

        pass(PeerCopy.PATIENCE);
        copy.delta(delta(8, 2, 3, gone(3, "a")));
        copy.delta(delta(8, 3, 4, gone(4, "b")));

        assertThat(registry.takeCalls()).containsExactly("hold a", "remove b");
    }

    @Test
    void snapshotOfReturnedOwnerHoldsWhatItNoLongerHas() {
        copy.delta(delta(7, 0, 3, published(1, "java", 1), published(2, "python", 1), published(3, "python2", 1)));
        copy.departed();
        copy.expire(false);
        pass(Duration.ofSeconds(15));
        copy.expire(false);
        copy.arrived();
        copy.opened(hello(A, 9, 4, 1));
        registry.takeCalls();

        copy.snapshot(snapshot(9, 0, true, 4, 0, published(3, "python2", 1)));
        assertThat(registry.takeCalls()).containsExactly("set python2", "hold python");
        pass(PeerCopy.PATIENCE);
        copy.snapshot(snapshot(9, 0, true, 5, 0));
        assertThat(registry.takeCalls()).containsExactly("remove python2");
    }

    @Test
    void messagesOfDepartedOwnerDoNothing() {
        copy.departed();
        assertThat(copy.delta(delta(7, 0, 1, published(1, "a", 1)))).isNull();
        assertThat(copy.snapshot(snapshot(7, 0, true, 1, 0, published(1, "a", 1))))
                .isNull();
        assertThat(copy.opened(hello(A, 8, 1, 1))).isNull();
        assertThat(copy.heartbeat(heartbeat(8, new OwnLog.Summary(1, 1, 1), 0))).isNull();
        assertThat(registry.takeCalls()).isEmpty();
    }

    @Test
    void deregistrationEndsOrphanThatComesLater() {
        copy.delta(delta(7, 0, 1, published(1, "a", 1)));
        deregistrations.add(SERVICE, INSTANCE, 5);
        registry.takeCalls();
        copy.departed();
        assertThat(registry.takeCalls()).containsExactly("hold a", "forget 10.1.0.1");
    }

    @Test
    void passesDeregistrationsAndChecksOn() {
        copy.delta(delta(
                7,
                0,
                3,
                new RegistryEntry.Forgotten(1, SERVICE, INSTANCE, 1L << 20),
                new RegistryEntry.Checked(2, SERVICE, INSTANCE, false)));
        copy.delta(delta(7, 3, 4, new RegistryEntry.Checked(4, SERVICE, INSTANCE, false)));
        assertThat(registry.takeCalls()).containsExactly("forget 10.1.0.1", "check 10.1.0.1 false");
        assertThat(copy.summary().count()).isEqualTo(1);
        copy.delta(delta(7, 4, 5, new RegistryEntry.Unchecked(5, SERVICE, INSTANCE)));
        assertThat(copy.summary()).isEqualTo(new OwnLog.Summary(5, 0, 0));
    }

    @Test
    void takesOverInstancesOfADepartedNodeFromAnotherNode() {
        copy.departed();
        assertThat(copy.isWanted()).isFalse();
        copy.orphans(B, new ClusterMessage.Orphans(A, 5_000, 0, false, List.of(published(1, "a", 1))));
        assertThat(registry.takeCalls()).isEmpty();
        assertThat(copy.isOver()).isFalse();
        copy.orphans(B, new ClusterMessage.Orphans(A, 5_000, 1, true, List.of(published(9, "b", 1))));
        assertThat(registry.takeCalls()).containsExactlyInAnyOrder("hold a", "hold b");
        assertThat(copy.kept(0).entries()).hasSize(2);
        assertThat(copy.kept(1).entries()).containsExactly(published(9, "b", 1));
    }

    @Test
    void nodeThatDepartsBeforeItsCopyIsCompleteIsWantedForFiveSeconds() {
        PeerCopy joining = new PeerCopy(
                A,
                registry,
                new ClusterClock(new SettableClock()),
                deregistrations,
                sdk -> Duration.ofSeconds(15),
                nanos::get,
                owner -> diverged.incrementAndGet());
        joining.arrived();
        assertThat(joining.isComplete()).isFalse();
        joining.departed();
        assertThat(joining.isWanted()).isTrue();
        pass(PeerCopy.WANTED);
        joining.expire(false);
        assertThat(joining.isWanted()).isFalse();
        assertThat(joining.isOver()).isTrue();
    }
}
