package io.cairn.client.naming;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.api.config.Namespace;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.api.wire.naming.ServiceDelta;
import io.cairn.client.naming.SubscribedService.Taken;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Lists and deltas of one service, over connections that are plain objects here. */
class SubscribedServiceTest {

    private static final ServiceKey SERVICE = new ServiceKey(Namespace.DEFAULT, "g", "large");
    private static final Instance A = Instance.of("10.0.0.1", 80);
    private static final Instance B = Instance.of("10.0.0.2", 80);
    private static final Instance C = Instance.of("10.0.0.3", 80);
    /** When the lists are made, in ms; that of revision 5 is made at 5,000. */
    private static final long APART = 1_000;

    private final Object connection = new Object();
    private final SubscribedService service = new SubscribedService(SERVICE, EmptyLists.BELIEVE);
    private final List<ServiceChange> changes = new ArrayList<>();

    private Taken whole(long revision, Instance... instances) {
        return service.apply(List.of(instances), connection, revision * APART, revision);
    }

    private Taken delta(long since, long revision, List<Instance> changed, Instance... removed) {
        return service.apply(made(since, revision, revision * APART, changed, removed), connection);
    }

    private static ServiceDelta made(
            long since, long revision, long generatedAt, List<Instance> changed, Instance... removed) {
        List<InstanceKey> gone = List.of(removed).stream().map(Instance::key).toList();
        return new ServiceDelta("large", "g", since, revision, changed, gone, generatedAt);
    }

    private List<Instance> shown() {
        return service.view().orElseThrow().instances();
    }

    private void listen() {
        service.add(changes::add, Runnable::run, () -> {}).start();
    }

    private ServiceChange lastChange() {
        return changes.get(changes.size() - 1);
    }

    @Test
    void listenersAreToldWhatADeltaHasChanged() {
        whole(5, A, B);
        listen();
        Instance heavier = B.withWeight(7);

        assertThat(delta(5, 6, List.of(heavier, C), A)).isEqualTo(Taken.NEWS);

        assertThat(shown()).containsExactly(heavier, C);
        assertThat(changes).hasSize(2);
        assertThat(lastChange().added()).containsExactly(C);
        assertThat(lastChange().modified()).containsExactly(heavier);
        assertThat(lastChange().removed()).containsExactly(A);
        assertThat(lastChange().before().instances()).containsExactly(A, B);
        assertThat(lastChange().now().instances()).containsExactly(heavier, C);
        assertThat(service.revision(connection)).isEqualTo(6);
    }

    @Test
    void additionModificationAndRemovalAreAChangeEach() {
        whole(5, A);
        listen();
        Instance labelled = A.withMetadata(Map.of("zone", "east"));

        delta(5, 6, List.of(B));
        assertThat(lastChange().added()).containsExactly(B);
        assertThat(lastChange().modified()).isEmpty();
        assertThat(lastChange().removed()).isEmpty();
        delta(6, 7, List.of(labelled));
        assertThat(lastChange().added()).isEmpty();
        assertThat(lastChange().modified()).containsExactly(labelled);
        assertThat(lastChange().removed()).isEmpty();
        delta(7, 8, List.of(), B);
        assertThat(lastChange().added()).isEmpty();
        assertThat(lastChange().modified()).isEmpty();
        assertThat(lastChange().removed()).containsExactly(B);

        assertThat(changes).as("the first list and three changes").hasSize(4);
        assertThat(shown()).containsExactly(labelled);
    }

    @Test
    void healthFollowsDeltas() {
        whole(5, A, B);
        listen();

        delta(5, 6, List.of(A.withHealthy(false)));

        assertThat(lastChange().modified()).containsExactly(A.withHealthy(false));
        assertThat(shown()).containsExactly(A.withHealthy(false), B);
        assertThat(service.view().orElseThrow().healthy()).containsExactly(B);
        delta(6, 7, List.of(A, B.withWeight(0)));
        assertThat(service.view().orElseThrow().healthy())
                .as("an instance of weight 0 wants no traffic")
                .containsExactly(A);
    }

    /** Under protection the server sends whole lists that show all instances as healthy; deltas follow when it ends. */
    @Test
    void deltasContinueFromAListUnderProtection() {
        whole(5, A.withHealthy(false), B.withHealthy(false));
        whole(6, A, B);
        listen();
        assertThat(service.view().orElseThrow().healthy()).containsExactly(A, B);

        assertThat(whole(7, A.withHealthy(false), B)).isEqualTo(Taken.NEWS);
        assertThat(lastChange().modified()).containsExactly(A.withHealthy(false));
        assertThat(delta(7, 8, List.of(A))).isEqualTo(Taken.NEWS);

        assertThat(service.view().orElseThrow().healthy()).containsExactly(A, B);
    }

    @Test
    void deltaSinceALaterRevisionIsAGapUntilAWholeListComes() {
        whole(5, A);
        listen();

        assertThat(delta(6, 7, List.of(C))).isEqualTo(Taken.GAP);

        assertThat(shown()).containsExactly(A);
        assertThat(changes).as("the first list").hasSize(1);
        assertThat(service.revision(connection)).as("asked for again since").isEqualTo(5);
        assertThat(whole(7, A, B, C)).isEqualTo(Taken.NEWS);
        assertThat(lastChange().added()).containsExactly(B, C);
        assertThat(delta(7, 8, List.of(), A)).isEqualTo(Taken.NEWS);
        assertThat(shown()).containsExactly(B, C);
    }

    @Test
    void deltaSinceAnEarlierRevisionClosesTheGap() {
        whole(5, A);
        delta(6, 7, List.of(C));

        assertThat(delta(5, 7, List.of(B, C))).isEqualTo(Taken.NEWS);

        assertThat(shown()).containsExactly(A, B, C);
        assertThat(delta(3, 8, List.of(A.withWeight(2), B), C))
                .as("it can be applied to every list from revision 3 on")
                .isEqualTo(Taken.NEWS);
        assertThat(shown()).containsExactly(A.withWeight(2), B);
    }

    @Test
    void deltaThatIsOlderThanTheListIsIgnored() {
        whole(5, A);
        delta(5, 7, List.of(B));
        listen();

        assertThat(delta(5, 6, List.of(C), A)).isEqualTo(Taken.OLD);
        assertThat(delta(6, 7, List.of(C), A)).as("the same revision").isEqualTo(Taken.OLD);

        assertThat(shown()).containsExactly(A, B);
        assertThat(service.revision(connection)).isEqualTo(7);
        assertThat(changes).hasSize(1);
    }

    @Test
    void answerThatNothingHasChangedIsNoNews() {
        whole(5, A);
        listen();

        assertThat(delta(5, 5, List.of())).isEqualTo(Taken.OLD);

        assertThat(shown()).containsExactly(A);
        assertThat(changes).hasSize(1);
    }

    @Test
    void newConnectionBeginsWithAWholeList() {
        whole(5, A);
        listen();
        Object next = new Object();
        assertThat(service.revision(next)).isZero();

        assertThat(service.apply(made(5, 6, 6 * APART, List.of(B)), next)).isEqualTo(Taken.GAP);
        assertThat(shown()).containsExactly(A);
        assertThat(service.apply(List.of(A, C), next, 2 * APART, 2))
                .as("the revisions of another server are others")
                .isEqualTo(Taken.NEWS);
        assertThat(service.revision(next)).isEqualTo(2);
        assertThat(service.revision(connection)).isZero();
        assertThat(service.apply(made(2, 3, 3 * APART, List.of(), C), next)).isEqualTo(Taken.NEWS);

        assertThat(shown()).containsExactly(A);
        assertThat(lastChange().removed()).containsExactly(C);
    }

    @Test
    void forgottenRevisionAsksForAWholeList() {
        whole(5, A);

        service.forgetRevision();

        assertThat(service.revision(connection)).isZero();
        assertThat(delta(5, 6, List.of(B))).isEqualTo(Taken.GAP);
        assertThat(whole(4, B)).as("of any revision").isEqualTo(Taken.OLD);
        assertThat(service.revision(connection)).isEqualTo(4);
    }

    @Test
    void listWithoutARevisionTakesNoDeltas() {
        service.apply(List.of(A), connection, APART, 0);

        assertThat(service.revision(connection)).isZero();
        assertThat(delta(0, 6, List.of(B))).isEqualTo(Taken.GAP);
        assertThat(shown()).containsExactly(A);
    }

    /** A service that has not changed for a minute has a list that was made a minute ago. */
    @Test
    void answerThatWasOvertakenByAPushIsIgnoredHoweverOld() {
        service.apply(List.of(A), connection, 0, 5);
        service.apply(List.of(A, B), connection, 60_000, 6);
        listen();

        assertThat(service.apply(List.of(A), connection, 0, 5)).isEqualTo(Taken.OLD);
        assertThat(service.apply(made(4, 5, 0, List.of(A)), connection)).isEqualTo(Taken.OLD);

        assertThat(shown()).containsExactly(A, B);
        assertThat(changes).hasSize(1);
        assertThat(service.revision(connection)).isEqualTo(6);
        assertThat(service.apply(made(6, 7, 60_001, List.of(C)), connection)).isEqualTo(Taken.NEWS);
        assertThat(shown()).containsExactly(A, B, C);
    }

    @Test
    void deltaThatEmptiesTheListIsHeldBackAndLaterDeltasApplyToIt() {
        SubscribedService careful = new SubscribedService(SERVICE, EmptyLists.HOLD);
        careful.apply(List.of(A, B), connection, 5 * APART, 5);

        assertThat(careful.apply(made(5, 6, 6 * APART, List.of(), A, B), connection))
                .isEqualTo(Taken.HELD_BACK);
        assertThat(careful.view().orElseThrow().instances()).containsExactly(A, B);
        assertThat(careful.view().orElseThrow().heldBack()).isTrue();
        assertThat(careful.revision(connection)).isEqualTo(6);
        assertThat(careful.apply(made(6, 6, 6 * APART, List.of()), connection)).isEqualTo(Taken.OLD);

        assertThat(careful.apply(made(6, 7, 7 * APART, List.of(C)), connection)).isEqualTo(Taken.NEWS);
        assertThat(careful.view().orElseThrow().instances()).containsExactly(C);
        assertThat(careful.view().orElseThrow().heldBack()).isFalse();
    }

    @Test
    void emptyListIsBelievedWhenADeltaConfirmsItAfterTheHoldingTime() {
        SubscribedService careful = new SubscribedService(SERVICE, EmptyLists.HOLD);
        careful.apply(List.of(A), connection, 5 * APART, 5);
        careful.apply(made(5, 6, 6 * APART, List.of(), A), connection);
        Object held = careful.holding();
        assertThat(held).isNotNull();

        careful.acceptNext(held);

        assertThat(careful.apply(made(6, 6, 6 * APART, List.of()), connection)).isEqualTo(Taken.NEWS);
        assertThat(careful.view().orElseThrow().instances()).isEmpty();
    }
}
