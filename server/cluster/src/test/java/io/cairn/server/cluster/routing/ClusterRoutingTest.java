package io.cairn.server.cluster.routing;

import static io.cairn.server.cluster.routing.RoutingGroup.SERVICE;
import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.cairn.api.naming.Instance;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.auth.Caller;
import io.cairn.server.cluster.wire.ClusterMessage;
import io.cairn.server.cluster.wire.ClusterMessage.Beats;
import io.cairn.server.cluster.wire.ClusterMessage.Forward;
import io.cairn.server.cluster.wire.ClusterMessage.Forwarded;
import io.cairn.server.cluster.wire.ClusterMessage.UnknownBeats;
import io.cairn.server.naming.BeatResult;
import io.cairn.server.naming.LossCause;
import io.cairn.server.naming.NamingException;
import io.cairn.server.naming.registry.ClientOwnership;
import io.cairn.server.naming.stored.NamingChange;
import io.cairn.server.naming.stored.NamingStore;
import io.cairn.server.naming.stored.NamingWrite;
import io.cairn.server.naming.stored.StoredNaming;
import io.cairn.server.node.NodeId;
import io.cairn.server.node.NodeState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class ClusterRoutingTest {

    private static final Duration ROUND_TRIP = Duration.ofMillis(3);

    private final RoutingGroup group = new RoutingGroup(3);
    private final RoutingGroup.Node a = group.node(1);
    private final RoutingGroup.Node b = group.node(2);
    private final RoutingGroup.Node c = group.node(3);

    private static boolean isDone(CompletionStage<?> stage) {
        CompletableFuture<?> future = stage.toCompletableFuture();
        return future.isDone() && !future.isCompletedExceptionally();
    }

    /** The network loses messages of these kinds. */
    private void lose(Class<?>... kinds) {
        group.network = message -> List.of(kinds).contains(message.getClass()) ? null : Duration.ofMillis(1);
    }

    @Test
    void ownClientIsRegisteredAtOnce() {
        Instance instance = group.ownedBy(a);
        assertThat(isDone(a.routing.register(SERVICE, instance))).isTrue();
        assertThat(a.publishes(instance)).isTrue();
        assertThat(group.sent).isEmpty();
    }

    @Test
    void clientOfOtherNodeIsRegisteredThere() throws Exception {
        Instance instance = group.ownedBy(b);
        CompletionStage<Void> result = a.routing.register(SERVICE, instance);
        assertThat(isDone(result)).isFalse();
        group.loop.pass(ROUND_TRIP);

        assertThat(isDone(result)).isTrue();
        assertThat(b.publishes(instance)).isTrue();
        assertThat(a.publishes(instance)).isFalse();
        assertThat(a.routing.outstanding()).isZero();
    }

    @Test
    void refusalOfOwnerIsTheAnswer() throws Exception {
        Instance persistent = new Instance(Instance.of("10.2.0.1", 1).key(), 1, true, true, false, Map.of(), null);
        new StoredNaming(b.naming, new CommittingStore(), new StoredNaming.PersistentInstances() {})
                .register(Caller.SERVER, SERVICE, persistent)
                .toCompletableFuture()
                .join();
        Instance instance = group.ownedBy(b);
        Throwable local = catchThrowable(() -> b.naming.leases().register(SERVICE, instance));
        assertThat(local).isInstanceOf(NamingException.class);

        CompletionStage<Void> result = a.routing.register(SERVICE, instance);
        CompletionStage<BeatResult> beat = a.routing.beat(SERVICE, instance.key(), instance);
        group.loop.pass(ROUND_TRIP);

        for (CompletionStage<?> each : List.of(result, beat)) {
            assertThatThrownBy(() -> each.toCompletableFuture().join())
                    .isInstanceOf(CompletionException.class)
                    .cause()
                    .isInstanceOfSatisfying(NamingException.class, refusal -> {
                        assertThat(refusal.fault()).isEqualTo(NamingException.Fault.OTHER_KIND);
                        assertThat(refusal).hasMessage(local.getMessage());
                    });
        }
        assertThat(a.publishes(instance)).isFalse();
    }

    /** Commits each write at once, and keeps nothing. */
    private static final class CommittingStore implements NamingStore {

        @Override
        public CompletionStage<Void> write(List<NamingWrite> writes, Caller by, Runnable committed) {
            committed.run();
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public CompletionStage<Void> change(
                List<NamingChange> changes, Caller by, Consumer<List<NamingWrite>> committed) {
            throw new AssertionError("no test changes what is stored: " + changes);
        }

        @Override
        public void forEach(Consumer<NamingWrite> consumer) {}

        @Override
        public void forEach(Set<ServiceKey> services, Consumer<NamingWrite> consumer) {}

        @Override
        public void forEachSwitch(Set<String> names, Consumer<NamingWrite> consumer) {}
    }

    @Test
    void keepsAnUnansweredRegistrationAfterTwoSecondsAndTransfersItLater() throws Exception {
        lose(Forward.class);
        Instance instance = group.ownedBy(b);
        CompletionStage<Void> result = a.routing.register(SERVICE, instance);
        group.loop.pass(Duration.ofMillis(1_999));
        assertThat(isDone(result)).isFalse();
        group.loop.pass(Duration.ofMillis(1));
        assertThat(isDone(result)).isTrue();
        assertThat(a.publishes(instance)).isTrue();

        // The owner has it from a heartbeat that another node has received, and the others are notified.
        b.mirrors(a, instance, 7);
        c.mirrors(a, instance, 7);
        assertThat(c.routing
                        .beat(SERVICE, instance.key(), null)
                        .toCompletableFuture()
                        .join())
                .isEqualTo(BeatResult.of(instance));
        group.loop.pass(Duration.ofMillis(20));
        assertThat(b.publishes(instance)).isTrue();
        assertThat(b.adoption.adopted).containsValue(7L);
        // It is handed over though the usual walks are long over.
        group.loop.pass(Duration.ofSeconds(20));
        assertThat(a.publishes(instance)).isTrue();
        a.mirrors(b, instance, 7);
        group.loop.pass(Duration.ofSeconds(1));
        assertThat(a.publishes(instance)).isFalse();
    }

    @Test
    void lateAnswerIsDropped() throws Exception {
        group.network = message -> message instanceof Forwarded ? Duration.ofSeconds(5) : Duration.ofMillis(1);
        Instance instance = group.ownedBy(b);
        CompletionStage<Void> result = a.routing.register(SERVICE, instance);
        group.loop.pass(Duration.ofSeconds(2));
        assertThat(isDone(result)).isTrue();
        group.loop.pass(Duration.ofSeconds(5));
        assertThat(a.publishes(instance)).isTrue();
        assertThat(a.routing.outstanding()).isZero();
    }

    @Test
    void answerOfAnotherNodeIsDropped() throws Exception {
        lose(Forward.class);
        Instance instance = group.ownedBy(b);
        CompletionStage<Void> result = a.routing.register(SERVICE, instance);
        long id = group.sent(Forward.class).get(0).id();
        a.routing.message(c.id, new Forwarded(id, List.of(Forwarded.Result.DONE)));
        assertThat(isDone(result)).isFalse();
        a.routing.message(b.id, new Forwarded(id, List.of(Forwarded.Result.DONE)));
        assertThat(isDone(result)).isTrue();
    }

    @Test
    void stoppingOwnerDoesNotFailRegistration() throws Exception {
        b.naming.registry().freeze();
        Instance instance = group.ownedBy(b);
        CompletionStage<Void> result = a.routing.register(SERVICE, instance);
        group.loop.pass(ROUND_TRIP);
        assertThat(isDone(result)).isTrue();
        assertThat(a.publishes(instance)).isTrue();
    }

    @Test
    void outstandingRequestsFailOverWhenTheirOwnerLeaves() throws Exception {
        lose(Forwarded.class);
        Instance instance = group.ownedBy(b);
        Instance other = group.ownedBy(c);
        CompletionStage<Void> result = a.routing.register(SERVICE, instance);
        CompletionStage<BeatResult> beat =
                a.routing.beat(SERVICE, group.ownedBy(b, 1).key(), null);
        CompletionStage<Void> unaffected = a.routing.register(SERVICE, other);
        a.viewWithout(b);
        group.loop.run();

        assertThat(isDone(result)).isTrue();
        assertThat(a.publishes(instance)).isTrue();
        assertThat(beat.toCompletableFuture().join()).isEqualTo(BeatResult.UNKNOWN);
        assertThat(isDone(unaffected)).isFalse();
        assertThat(a.routing.outstanding()).isEqualTo(1);
    }

    @Test
    void nodeThatIsNotReadyOwnsNothing() {
        Instance instance = group.ownedBy(b);
        a.sees(b, NodeState.DRAINING);
        a.sees(c, NodeState.JOINING);
        assertThat(isDone(a.routing.register(SERVICE, instance))).isTrue();
        assertThat(a.publishes(instance)).isTrue();
    }

    @Test
    void restartedOwnerIsAnotherMember() throws Exception {
        lose(Forward.class);
        Instance instance = group.ownedBy(b);
        Instance second = group.ownedBy(b, 1);
        CompletionStage<Void> result = a.routing.register(SERVICE, instance);
        NodeId again = new NodeId(b.id.address(), 2);
        a.view(Map.of(a.id, NodeState.READY, again, NodeState.READY, c.id, NodeState.READY));
        group.loop.run();
        assertThat(isDone(result)).isTrue();

        a.routing.register(SERVICE, second);
        assertThat(group.sent.get(group.sent.size() - 1).to()).isEqualTo(again);
    }

    @Test
    void outstandingRequestsToANodeAreBounded() throws Exception {
        lose(Forward.class);
        // Deregistrations leave nothing behind here, whichever way they end.
        Instance instance = group.ownedBy(b);
        for (int i = 0; i < OutstandingForwards.MAX_FOR_A_NODE; i++) {
            assertThat(isDone(a.routing.deregister(SERVICE, instance.key(), LossCause.DEREGISTERED)))
                    .isFalse();
        }
        CompletionStage<Void> oneMore = a.routing.register(SERVICE, instance);
        assertThat(isDone(oneMore)).isTrue();
        assertThat(a.publishes(instance)).isTrue();
        assertThat(isDone(a.routing.register(SERVICE, group.ownedBy(c)))).isFalse();

        group.loop.pass(Duration.ofSeconds(2));
        assertThat(a.routing.outstanding()).isZero();
        assertThat(isDone(a.routing.register(SERVICE, group.ownedBy(b, 1)))).isFalse();
    }

    @Test
    void deregistrationReachesOwner() throws Exception {
        Instance instance = group.ownedBy(b);
        b.naming.leases().register(SERVICE, instance);
        CompletionStage<Void> result = a.routing.deregister(SERVICE, instance.key(), LossCause.REMOVED);
        group.loop.pass(ROUND_TRIP);
        assertThat(isDone(result)).isTrue();
        assertThat(b.publishes(instance)).isFalse();
        assertThat(b.naming.reads().losses().count(LossCause.REMOVED)).isEqualTo(1);
    }

    @Test
    void deregistrationReachesNodeThatPublishesWithoutOwning() throws Exception {
        Instance instance = group.ownedBy(b);
        a.naming.leases().register(SERVICE, instance);
        c.naming.leases().register(SERVICE, instance);
        b.mirrors(c, instance, 5);
        CompletionStage<Void> ofOwner = b.routing.deregister(SERVICE, instance.key(), LossCause.DEREGISTERED);
        CompletionStage<Void> ofOther = a.routing.deregister(SERVICE, instance.key(), LossCause.DEREGISTERED);
        assertThat(a.publishes(instance)).isFalse();
        group.loop.pass(ROUND_TRIP);
        assertThat(isDone(ofOwner)).isTrue();
        assertThat(isDone(ofOther)).isTrue();
        assertThat(c.publishes(instance)).isFalse();
    }

    @Test
    void deregistrationReachesNodeThatHasTakenTheClientUnseen() throws Exception {
        Instance instance = group.ownedBy(b);
        c.naming.leases().register(SERVICE, instance);
        a.routing.deregister(SERVICE, instance.key(), LossCause.DEREGISTERED);
        group.loop.pass(ROUND_TRIP);
        assertThat(c.publishes(instance)).isFalse();
    }

    @Test
    void deregistrationWithoutAnswerSucceeds() throws Exception {
        lose(Forward.class);
        CompletionStage<Void> result =
                a.routing.deregister(SERVICE, group.ownedBy(b).key(), LossCause.DEREGISTERED);
        group.loop.pass(Duration.ofSeconds(2));
        assertThat(isDone(result)).isTrue();
    }

    @Test
    void requestThatWasPassedOnIsTakenAndNotPassedOnAgain() throws Exception {
        Instance instance = group.ownedBy(b);
        b.sees(b, NodeState.DRAINING);
        assertThat(b.owners.ownerOf(instance.key())).isNotEqualTo(b.id);
        int before = group.sent.size();
        CompletionStage<Void> result = a.routing.register(SERVICE, instance);
        group.loop.pass(ROUND_TRIP);

        assertThat(isDone(result)).isTrue();
        assertThat(b.publishes(instance)).isTrue();
        assertThat(group.sent.subList(before, group.sent.size()))
                .extracting(RoutingGroup.Sent::message)
                .hasOnlyElementsOfTypes(Forward.class, Forwarded.class)
                .hasSize(2);
        // It is handed over as soon as its owner publishes it.
        b.mirrors(group.nodes.get(b.owners.ownerOf(instance.key())), instance, 9);
        group.loop.pass(Duration.ofSeconds(1));
        assertThat(b.publishes(instance)).isFalse();
    }

    @Test
    void heartbeatOfMirroredInstanceIsAnsweredAtOnceAndOwnerIsNotified() throws Exception {
        Instance instance = group.ownedBy(b).withMetadata(Map.of(Instance.BEAT_INTERVAL, "3000"));
        b.naming.leases().register(SERVICE, instance);
        b.naming.health().setHealthy(SERVICE, instance.key(), false);
        a.mirrors(b, instance, 5);
        Instance second = group.ownedBy(b, 1);
        a.mirrors(b, second, 6);
        b.naming.leases().register(SERVICE, second);

        for (int i = 0; i < 3; i++) {
            CompletionStage<BeatResult> beat = a.routing.beat(SERVICE, instance.key(), null);
            assertThat(beat.toCompletableFuture().getNow(null)).isEqualTo(new BeatResult(true, 3_000));
        }
        a.routing.beat(SERVICE, second.key(), second);
        group.loop.pass(Duration.ofMillis(9));
        assertThat(group.sent).isEmpty();
        group.loop.pass(Duration.ofMillis(3));

        assertThat(group.sent(Beats.class)).singleElement().satisfies(beats -> assertThat(beats.instances())
                .extracting(each -> each.instance())
                .containsExactly(instance.key(), second.key()));
        assertThat(b.naming.reads().instances(SERVICE)).allMatch(Instance::healthy);
        assertThat(b.naming.leases().beatCount()).isEqualTo(2);
    }

    @Test
    void ownerThatLacksInstanceAdoptsItFromItsOwnCopy() throws Exception {
        Instance instance = group.ownedBy(b);
        a.mirrors(c, instance, 5);
        b.mirrors(c, instance, 5);
        a.routing.beat(SERVICE, instance.key(), null);
        group.loop.pass(Duration.ofMillis(12));

        assertThat(b.adoption.adopted).containsExactly(Map.entry(ClientOwnership.clientId(instance.key()), 5L));
        assertThat(group.sent(UnknownBeats.class)).isEmpty();
    }

    @Test
    void ownerThatDoesNotKnowInstanceGetsTheMirroredOne() throws Exception {
        Instance instance = group.ownedBy(b).withWeight(3).withHealthy(false);
        a.mirrors(c, instance, 5);
        a.routing.beat(SERVICE, instance.key(), null);
        group.loop.pass(Duration.ofMillis(20));

        assertThat(b.adoption.adopted).containsExactly(Map.entry(ClientOwnership.clientId(instance.key()), 5L));
        assertThat(b.naming.reads().instances(SERVICE)).containsExactly(instance.withHealthy(true));
    }

    @Test
    void doesNotSendAnInstanceThatItsOwnerHasTakenBack() throws Exception {
        Instance instance = group.ownedBy(b);
        a.mirrors(b, instance, 5);
        a.routing.beat(SERVICE, instance.key(), null);
        group.loop.pass(Duration.ofMillis(20));

        assertThat(group.sent(UnknownBeats.class)).hasSize(1);
        assertThat(group.sent(Forward.class)).isEmpty();
        assertThat(b.publishes(instance)).isFalse();
    }

    @Test
    void heartbeatsToNodeThatOwnsThemNoMoreAreDropped() throws Exception {
        Instance instance = group.ownedBy(b);
        a.mirrors(c, instance, 5);
        b.sees(b, NodeState.DRAINING);
        a.routing.beat(SERVICE, instance.key(), null);
        group.loop.pass(Duration.ofMillis(20));
        assertThat(b.publishes(instance)).isFalse();
        assertThat(group.sent(UnknownBeats.class)).isEmpty();
    }

    @Test
    void heartbeatOfOwnClientAdoptsTheMirroredInstance() {
        Instance instance = group.ownedBy(a).withWeight(4);
        a.mirrors(c, instance, 5);
        assertThat(a.routing
                        .beat(SERVICE, instance.key(), instance.withWeight(1))
                        .toCompletableFuture()
                        .join()
                        .known())
                .isTrue();
        assertThat(a.adoption.adopted).containsValue(5L);
        assertThat(a.naming.reads().instances(SERVICE)).containsExactly(instance);
    }

    @Test
    void heartbeatOfUnknownInstanceRegistersItAtOwner() throws Exception {
        Instance instance = group.ownedBy(b);
        CompletionStage<BeatResult> light = a.routing.beat(SERVICE, instance.key(), null);
        CompletionStage<BeatResult> described = a.routing.beat(SERVICE, instance.key(), instance);
        CompletionStage<BeatResult> again = a.routing.beat(SERVICE, instance.key(), null);
        group.loop.pass(ROUND_TRIP);

        assertThat(light.toCompletableFuture().join()).isEqualTo(BeatResult.UNKNOWN);
        assertThat(described.toCompletableFuture().join()).isEqualTo(new BeatResult(true, 0));
        assertThat(again.toCompletableFuture().join()).isEqualTo(new BeatResult(true, 0));
        assertThat(b.publishes(instance)).isTrue();
        assertThat(a.publishes(instance)).isFalse();
    }

    @Test
    void clientOfUnknownInstanceIsAskedToRegisterWhenOwnerIsSilentForOneSecond() throws Exception {
        lose(Forwarded.class);
        Instance instance = group.ownedBy(b);
        CompletionStage<BeatResult> beat = a.routing.beat(SERVICE, instance.key(), instance);
        group.loop.pass(Duration.ofMillis(999));
        assertThat(isDone(beat)).isFalse();
        group.loop.pass(Duration.ofMillis(1));
        assertThat(beat.toCompletableFuture().join()).isEqualTo(BeatResult.UNKNOWN);
    }

    @Test
    void manyHeartbeatsTravelInSeveralMessages() throws Exception {
        int many = BeatNotices.IN_A_MESSAGE * 2 + 1;
        for (int i = 0; i < many; i++) {
            Instance instance = group.ownedBy(b, i);
            a.mirrors(b, instance, i);
            a.routing.beat(SERVICE, instance.key(), null);
        }
        group.loop.pass(Duration.ofMillis(10));
        assertThat(group.sent(Beats.class))
                .extracting(beats -> beats.instances().size())
                .containsExactly(BeatNotices.IN_A_MESSAGE, BeatNotices.IN_A_MESSAGE, 1);
    }

    @Test
    void heartbeatsForNodeThatHasLeftAreDropped() throws Exception {
        Instance instance = group.ownedBy(b);
        a.mirrors(b, instance, 5);
        a.routing.beat(SERVICE, instance.key(), null);
        a.viewWithout(b);
        group.loop.pass(Duration.ofMillis(50));
        assertThat(group.sent(Beats.class)).isEmpty();
    }

    @Test
    void nodeAdoptsClientsOfMemberThatHasLeft() throws Exception {
        List<Instance> instances = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            Instance instance = group.ownedBy(b, i);
            instances.add(instance);
            a.mirrors(b, instance, i + 1L);
            c.mirrors(b, instance, i + 1L);
        }
        a.viewWithout(b);
        c.viewWithout(b);
        group.loop.pass(RebalancePasses.TOGETHER);

        assertThat(instances).allMatch(each -> a.publishes(each) != c.publishes(each));
        assertThat(instances).anyMatch(a::publishes).anyMatch(c::publishes);
    }

    @Test
    void adoptsAndHandsOverAsSoonAsOtherNodesPublish() {
        Instance own = group.ownedBy(a);
        a.mirrors(b, own, 5);
        a.routing.clientMirrored(ClientOwnership.clientId(own.key()));
        assertThat(a.publishes(own)).isTrue();

        Instance other = group.ownedBy(b);
        a.naming.leases().register(SERVICE, other);
        a.routing.clientMirrored(ClientOwnership.clientId(other.key()));
        assertThat(a.publishes(other)).isTrue();
        a.mirrors(b, other, 5);
        a.routing.clientMirrored(ClientOwnership.clientId(other.key()));
        assertThat(a.publishes(other)).isFalse();
    }

    @Test
    void changesThatFollowEachOtherCauseOneWalk() throws Exception {
        group.loop.pass(Duration.ofMinutes(1));
        int before = a.adoption.walks;
        assertThat(before).isEqualTo(RebalancePasses.AFTER_A_CHANGE);
        List<String> heard = new ArrayList<>();
        a.routing.onOwnersChanged(() -> heard.add("owners"));

        a.viewWithout(b);
        group.loop.pass(Duration.ofMillis(40));
        a.sees(b, NodeState.JOINING);
        group.loop.pass(Duration.ofMillis(40));
        a.sees(b, NodeState.READY);
        assertThat(a.adoption.walks).isEqualTo(before);
        group.loop.pass(Duration.ofMillis(20));
        assertThat(a.adoption.walks).isEqualTo(before + 1);
        assertThat(heard).hasSize(1);

        // A change between two of the repeated walks does not wait for the next one.
        a.sees(b, NodeState.DRAINING);
        group.loop.pass(RebalancePasses.TOGETHER);
        assertThat(a.adoption.walks).isEqualTo(before + 2);
        assertThat(heard).hasSize(2);
        // The same owners again are no change.
        a.sees(b, NodeState.ISOLATED);
        group.loop.pass(Duration.ofMinutes(1));
        assertThat(heard).hasSize(2);
        assertThat(a.adoption.walks).isEqualTo(before + 1 + RebalancePasses.AFTER_A_CHANGE);
    }

    @Test
    void walksOnItsOwnThread() throws Exception {
        CompletableFuture<String> thread = new CompletableFuture<>();
        try (ClusterRouting routing = new ClusterRouting(
                a.owners,
                a.naming.leases(),
                a.naming.recovery(),
                a.adoption,
                (service, instance, healthy) -> {},
                (to, message) -> false,
                group.loop)) {
            routing.onOwnersChanged(() -> thread.complete(Thread.currentThread().getName()));
            routing.membersAre(Map.of(a.id, NodeState.READY));
            group.loop.pass(RebalancePasses.TOGETHER);
            assertThat(thread.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).startsWith("cairn-cluster-routing");
        }
    }

    @Test
    void closeFailsOutstandingRequestsOver() {
        lose(Forward.class);
        Instance instance = group.ownedBy(b);
        CompletionStage<Void> result = a.routing.register(SERVICE, instance);
        a.routing.close();
        assertThat(isDone(result)).isTrue();
        assertThat(a.publishes(instance)).isTrue();
        assertThat(isDone(a.routing.register(SERVICE, group.ownedBy(c)))).isTrue();
    }

    @Test
    void leavesMessagesOfOtherKindsToOthers() {
        assertThat(a.routing.message(b.id, new ClusterMessage.RevisionNotice(1)))
                .isFalse();
        assertThat(a.routing.message(b.id, new Beats(List.of()))).isTrue();
    }

    @Test
    void healthThatOperatorSetsReachesAllOtherNodes() throws Exception {
        CompletionStage<Void> result =
                a.routing.healthSet(SERVICE, group.ownedBy(b).key(), false);
        assertThat(isDone(result)).isFalse();
        group.loop.pass(ROUND_TRIP);
        assertThat(isDone(result)).isTrue();
        assertThat(a.healthSet).isEmpty();
        assertThat(b.healthSet).containsExactly("10.1.0.1 false");
        assertThat(c.healthSet).containsExactly("10.1.0.1 false");

        lose(Forwarded.class);
        CompletionStage<Void> unanswered =
                a.routing.healthSet(SERVICE, group.ownedBy(b).key(), true);
        group.loop.pass(Duration.ofSeconds(2));
        assertThat(isDone(unanswered)).isTrue();
    }

    /** Messages are lost and late, and nodes leave: each registration ends within 2 s, and a node publishes the instance. */
    @Test
    void noRegistrationIsLostOrLate() throws Exception {
        for (int seed = 0; seed < 300; seed++) {
            Random random = new Random(seed);
            RoutingGroup any = new RoutingGroup(3);
            any.network = message -> random.nextInt(4) == 0 ? null : Duration.ofMillis(random.nextInt(3_000));
            Map<Instance, CompletionStage<Void>> results = new HashMap<>();
            Map<Instance, RoutingGroup.Node> at = new HashMap<>();
            for (int i = 0; i < 30; i++) {
                Instance instance = Instance.of("10.3.0.1", i + 1);
                RoutingGroup.Node node = any.node(1 + random.nextInt(3));
                results.put(instance, node.routing.register(SERVICE, instance));
                at.put(instance, node);
                RoutingGroup.Node viewer = any.node(1 + random.nextInt(3));
                RoutingGroup.Node seen = any.node(1 + random.nextInt(3));
                NodeState[] states = NodeState.values();
                if (random.nextInt(5) == 0) {
                    viewer.sees(seen, states[random.nextInt(states.length)]);
                } else if (random.nextInt(10) == 0 && viewer != seen) {
                    viewer.viewWithout(seen);
                }
                any.loop.pass(Duration.ofMillis(random.nextInt(50)));
            }
            any.loop.pass(ClusterRouting.WRITE_ANSWER);
            any.loop.run();
            for (Map.Entry<Instance, CompletionStage<Void>> each : results.entrySet()) {
                assertThat(isDone(each.getValue())).as("seed %s", seed).isTrue();
                assertThat(any.nodes.values())
                        .as("seed %s: %s, registered at %s", seed, each.getKey(), at.get(each.getKey()).id)
                        .anyMatch(node -> node.publishes(each.getKey()));
            }
            assertThat(any.nodes.values()).allMatch(node -> node.routing.outstanding() == 0);
        }
    }
}
