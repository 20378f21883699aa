package io.cairn.server.naming;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cairn.api.config.Namespace;
import io.cairn.api.error.CairnException;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.naming.group.ClientHandover;
import io.cairn.server.naming.group.MirroredRegistry;
import io.cairn.server.naming.lease.KnownService;
import io.cairn.server.naming.registry.MirroredPublication;
import io.cairn.server.naming.registry.OwnPublication;
import io.cairn.server.naming.registry.PublishedInstances;
import io.cairn.server.naming.registry.Publisher;
import io.cairn.server.naming.registry.PublisherDescription;
import io.cairn.server.naming.registry.ServiceListener;
import io.cairn.server.naming.stored.RegistryParts;
import io.cairn.server.naming.switches.Switches;
import io.cairn.server.node.NodeId;
import io.cairn.server.testing.HandDrivenLoop;
import io.cairn.server.testing.SettableClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** The rules by which a registry shows what other nodes own, and records what it owns itself. */
class RegistryInGroupTest {

    private static final ServiceKey SERVICE = new ServiceKey(Namespace.DEFAULT, "DEFAULT_GROUP", "orders");
    private static final NodeId B = new NodeId("10.9.0.2:8848", 1);
    private static final NodeId C = new NodeId("10.9.0.3:8848", 1);
    private static final Instance ONE = Instance.of("10.0.0.1", 80);
    private static final Instance TWO = Instance.of("10.0.0.2", 80);
    private static final Instance OTHER_ONE = ONE.withWeight(2);
    private static final Instance PERSISTENT =
            new Instance(new InstanceKey("10.0.0.3", 80, "DEFAULT"), 1, true, true, false, Map.of(), null);
    private static final String HTTP_ONE = "10.0.0.1:80#true";
    private static final String SDK = "Nacos-Java-Client:v3.0.3";

    private final HandDrivenLoop loop = new HandDrivenLoop();
    private final SettableClock clock = new SettableClock();
    private final AtomicLong stamps = new AtomicLong(100);
    private final RecordedChanges recorded = new RecordedChanges();
    private final RegistryParts naming = registry();
    private final MirroredRegistry mirrored = naming.mirrored();
    private final ClientHandover handover = naming.handover();

    RegistryInGroupTest() {
        naming.registry().joinGroup("10.9.0.1:8848", stamps::incrementAndGet, recorded);
    }

    private RegistryParts registry() {
        return RegistryParts.of(
                new NamingSettings(Duration.ofSeconds(60), Duration.ofSeconds(60), Duration.ofSeconds(15), true),
                new Switches(),
                loop,
                clock,
                loop::nanoTime);
    }

    /** Counts how often it is decoded. */
    private record Encoded(List<Instance> instances, AtomicInteger decoded) implements PublishedInstances {

        @Override
        public int size() {
            return instances.size();
        }

        @Override
        public List<Instance> decode() {
            decoded.incrementAndGet();
            return instances;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Encoded that && instances.equals(that.instances);
        }

        @Override
        public int hashCode() {
            return instances.hashCode();
        }
    }

    private static MirroredPublication publication(
            String id, Publisher.Kind kind, long publishedAt, Instance... instances) {
        return new MirroredPublication(
                new PublisherDescription(id, kind, new Publisher.Client("10.0.0.1", 0, "shop", SDK)),
                SERVICE,
                publishedAt,
                new Encoded(List.of(instances), new AtomicInteger()));
    }

    private static MirroredPublication ofConnection(String id, long publishedAt, Instance... instances) {
        return publication(id, Publisher.Kind.CONNECTION, publishedAt, instances);
    }

    private static MirroredPublication ofHttp(long publishedAt, Instance instance) {
        return publication(HTTP_ONE, Publisher.Kind.HTTP, publishedAt, instance);
    }

    private Publisher connection(String id) {
        return naming.registry().connection(id, new Publisher.Client("10.0.0.1", 0, "", SDK));
    }

    private void register(String id, Instance... instances) {
        naming.registrations().register(connection(id), SERVICE, List.of(instances));
    }

    private List<Instance> listed() {
        return naming.reads().snapshot(SERVICE).instances();
    }

    @Test
    void instanceOfAnotherNodeIsListedUntilItsOwnerWithdrawsIt() throws Exception {
        MirroredPublication theirs = ofConnection("b1", 10, ONE, TWO);
        mirrored.set(B, theirs);
        assertThat(listed()).containsExactly(ONE, TWO);
        assertThat(naming.reads().instanceCount()).isEqualTo(2);

        mirrored.set(B, ofConnection("b1", 11, TWO));
        assertThat(listed()).containsExactly(TWO);

        mirrored.remove(B, theirs);
        assertThat(listed()).isEmpty();
        loop.pass(Duration.ofMinutes(2));
        assertThat(naming.reads().serviceCount()).isZero();
        assertThat(recorded.take()).isEmpty();
    }

    @Test
    void ofTwoPublicationsOfOneInstanceTheLaterOneIsShown() {
        register("a1", ONE);
        mirrored.set(B, ofConnection("b1", 10, OTHER_ONE));
        assertThat(listed()).containsExactly(ONE);

        mirrored.set(B, ofConnection("b1", 1_000, OTHER_ONE));
        assertThat(listed()).containsExactly(OTHER_ONE);

        stamps.set(2_000);
        register("a1", ONE);
        assertThat(listed()).containsExactly(ONE);
    }

    @Test
    void equalIdsOfTwoNodesAreTwoPublishers() {
        mirrored.set(B, ofConnection("same", 10, ONE));
        mirrored.set(C, ofConnection("same", 10, TWO));
        register("same", Instance.of("10.0.0.4", 80));
        assertThat(listed()).hasSize(3);

        mirrored.remove(B, ofConnection("same", 10, ONE));
        assertThat(listed()).hasSize(2).contains(TWO);
        naming.recovery().connectionClosed("same", false);
        assertThat(listed()).containsExactly(TWO);
    }

    @Test
    void ownLimitsListsOfClientsAndMemoryHaveOwnPublishersOnly() {
        mirrored.set(B, ofConnection("b1", 10, ONE, TWO));

        assertThat(naming.reads().publishers()).isEmpty();
        assertThat(naming.reads().publisher("b1")).isNull();
        assertThat(naming.reads().mostInstancesOfOneClient()).isZero();
        assertThat(naming.recovery().known(SERVICE).isEmpty()).isTrue();
        assertThat(naming.reads().publishersOf(SERVICE).keySet())
                .as("all that publish a service are listed with it")
                .extracting(Publisher::id)
                .containsExactly("b1");

        mirrored.hold(B, ofConnection("b1", 10, ONE, TWO));
        assertThat(naming.reads().publishersOf(SERVICE))
                .as("nobody publishes what is held")
                .isEmpty();
        mirrored.release(B, ofConnection("b1", 10, ONE, TWO));
        for (LossCause cause : LossCause.values()) {
            assertThat(naming.reads().losses().count(cause)).as(cause.tag()).isZero();
        }
    }

    @Test
    void staysEncodedUntilConsumerReadsTheService() {
        AtomicInteger decoded = new AtomicInteger();
        MirroredPublication theirs = new MirroredPublication(
                new PublisherDescription("b1", Publisher.Kind.CONNECTION, new Publisher.Client("", 0, "", SDK)),
                SERVICE,
                10,
                new Encoded(List.of(ONE), decoded));
        naming.registry()
                .follow((service, presence) ->
                        assertThat(naming.reads().hasInstances(service)).isTrue());
        mirrored.set(B, theirs);
        register("a1", TWO);
        naming.recovery().known(SERVICE);
        assertThat(decoded).hasValue(0);

        listed();
        register("a2", Instance.of("10.0.0.4", 80));
        assertThat(listed()).hasSize(3);
        assertThat(decoded).hasValue(1);
    }

    @Test
    void notifiesListenersOfChangesByOtherNodesOnly() {
        List<ServiceListener.Presence> all = new ArrayList<>();
        List<ServiceListener.Presence> own = new ArrayList<>();
        naming.registry().follow((service, presence) -> all.add(presence));
        naming.registry().follow(new ServiceListener() {
            @Override
            public void changed(ServiceKey service, Presence presence) {
                own.add(presence);
            }

            @Override
            public boolean followsOwnOnly() {
                return true;
            }
        });
        mirrored.set(B, ofConnection("b1", 10, ONE));
        mirrored.set(B, ofConnection("b1", 11, ONE));
        register("a1", TWO);
        mirrored.remove(B, ofConnection("b1", 11, ONE));

        assertThat(all)
                .as("the registration at another time shows nothing else")
                .containsExactly(
                        ServiceListener.Presence.APPEARED,
                        ServiceListener.Presence.SAME,
                        ServiceListener.Presence.SAME);
        assertThat(own).containsExactly(ServiceListener.Presence.SAME);
    }

    @Test
    void refusesPersistentPublicationOfAnotherNode() {
        assertThatThrownBy(() -> mirrored.set(B, publication("p", Publisher.Kind.PERSISTENT, 1, PERSISTENT)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("expected: ephemeral");
        assertThat(naming.reads().serviceCount()).isZero();
    }

    @Test
    void heldInstanceIsListedUntilItIsReleased() {
        MirroredPublication theirs = ofConnection("b1", 10, ONE);
        mirrored.set(B, theirs);
        mirrored.release(B, theirs);
        assertThat(listed()).as("it is not held yet").containsExactly(ONE);

        mirrored.hold(B, theirs);
        assertThat(listed()).containsExactly(ONE);
        assertThat(mirrored.isHeld(B, theirs)).isTrue();
        assertThat(naming.mirrored().heldInstances()).isOne();

        mirrored.release(B, theirs);
        assertThat(listed()).isEmpty();
        assertThat(mirrored.isHeld(B, theirs)).isFalse();
    }

    @Test
    void heldInstancesEndOneByOneAsOwnersPublishThem() {
        MirroredPublication theirs = ofConnection("b1", 10, ONE, TWO);
        mirrored.hold(B, theirs);
        register("a1", OTHER_ONE);
        assertThat(listed()).containsExactlyInAnyOrder(OTHER_ONE, TWO);
        assertThat(naming.reads().instanceCount()).isEqualTo(2);

        mirrored.set(C, ofConnection("c1", 10, TWO));
        assertThat(mirrored.isHeld(B, theirs)).isFalse();
        mirrored.remove(C, ofConnection("c1", 10, TWO));
        assertThat(listed()).as("what has ended is not back").containsExactly(OTHER_ONE);
    }

    @Test
    void ownerWithAnOlderRegistrationDoesNotEndWhatIsHeldOfTheNextOne() {
        MirroredPublication theirs = ofConnection("b1", 10, ONE);
        mirrored.hold(B, theirs);
        mirrored.set(C, ofConnection("c1", 9, OTHER_ONE));
        assertThat(mirrored.isHeld(B, theirs)).isTrue();
        assertThat(listed()).containsExactly(ONE);

        mirrored.remove(C, ofConnection("c1", 9, OTHER_ONE));
        assertThat(listed()).containsExactly(ONE);
    }

    @Test
    void recoveredInstanceOfAnotherNodeEndsNothingThatIsHeld() {
        mirrored.hold(B, ofConnection("b1", 10, ONE));
        mirrored.set(C, publication("c1", Publisher.Kind.RECOVERED, 11, ONE));
        mirrored.remove(C, publication("c1", Publisher.Kind.RECOVERED, 11, ONE));

        assertThat(listed()).containsExactly(ONE);
    }

    @Test
    void doesNotHoldInstancesThatHaveAnOwner() {
        register("a1", OTHER_ONE);
        mirrored.hold(B, ofConnection("b1", 10, ONE));
        mirrored.set(C, publication("c1", Publisher.Kind.RECOVERED, 10, ONE));
        naming.recovery().connectionClosed("a1", false);

        assertThat(listed()).isEmpty();
        assertThat(naming.mirrored().heldInstances()).isZero();
    }

    @Test
    void endedInstanceIsNotListedAgainWhenItsNodeDeparts() throws Exception {
        MirroredPublication theirs = publication("b1", Publisher.Kind.RECOVERED, 10, ONE);
        mirrored.set(B, theirs);
        register("a1", ONE);
        loop.pass(Duration.ofSeconds(15));
        naming.recovery().connectionClosed("a1", false);
        assertThat(listed()).isEmpty();

        mirrored.hold(B, theirs);
        assertThat(listed()).isEmpty();
        mirrored.set(B, ofConnection("b1", 10, ONE));
        assertThat(listed()).as("its owner is back and says so").containsExactly(ONE);
    }

    @Test
    void ownerThatIsBackReplacesWhatIsHeldOfIt() {
        MirroredPublication theirs = ofConnection("b1", 10, ONE);
        mirrored.set(B, theirs);
        mirrored.hold(B, theirs);
        mirrored.set(B, theirs);

        assertThat(mirrored.isHeld(B, theirs)).isFalse();
        mirrored.set(C, ofConnection("c1", 20, ONE));
        mirrored.remove(C, ofConnection("c1", 20, ONE));
        assertThat(listed()).as("an owner does not end that of another one").containsExactly(ONE);
    }

    @Test
    void deregistrationEndsOlderOwnerlessInstancesOfAnyCluster() {
        Instance elsewhere =
                new Instance(new InstanceKey("10.0.0.1", 80, "elsewhere"), 1, true, true, true, Map.of(), null);
        mirrored.hold(B, ofConnection("b1", 10, ONE));
        mirrored.hold(C, ofConnection("c1", 10, elsewhere));
        mirrored.set(C, ofConnection("c2", 10, TWO));

        mirrored.forget(SERVICE, ONE.key(), 10);
        assertThat(listed()).as("not those from then or later").hasSize(3);
        mirrored.forget(SERVICE, ONE.key(), 11);
        mirrored.forget(SERVICE, TWO.key(), 11);
        assertThat(listed()).as("not those with an owner").containsExactly(TWO);
    }

    @Test
    void recordsWhatConnectionsDo() {
        register("a1", ONE, TWO);
        assertThat(recorded.take()).containsExactly("published a1");
        register("a1", ONE, TWO);
        assertThat(recorded.take()).as("at a later time").containsExactly("published a1");
        register("a1", new Instance(new InstanceKey("10.0.0.1", 80, "c"), 1, true, true, true, Map.of(), null));
        assertThat(recorded.take())
                .as("the cluster plays no part")
                .containsExactly("published a1", "forgotten 10.0.0.2:80/DEFAULT");

        naming.registrations().deregister(connection("a1"), SERVICE);
        assertThat(recorded.take()).containsExactly("withdrawn a1", "forgotten 10.0.0.1:80/c");
        register("a1", ONE);
        naming.recovery().connectionClosed("a1", false);
        assertThat(recorded.take()).containsExactly("published a1", "withdrawn a1");
    }

    @Test
    void recordsWhatHttpClientsDo() throws Exception {
        naming.leases().register(SERVICE, ONE);
        loop.pass(Duration.ofSeconds(10));
        assertThat(recorded.take()).containsExactly("published " + HTTP_ONE);
        loop.pass(Duration.ofSeconds(5));
        assertThat(recorded.take()).as("it is unhealthy").containsExactly("published " + HTTP_ONE);
        naming.leases().beat(SERVICE, ONE.key(), null);
        assertThat(recorded.take()).as("it is healthy").containsExactly("published " + HTTP_ONE);
        naming.leases().beat(SERVICE, ONE.key(), null);
        assertThat(recorded.take()).isEmpty();
        naming.health().setHealthy(SERVICE, ONE.key(), false);
        assertThat(recorded.take()).as("an operator says so").containsExactly("published " + HTTP_ONE);
        loop.pass(Duration.ofSeconds(30));
        assertThat(recorded.take()).as("it has expired").containsExactly("withdrawn " + HTTP_ONE);

        naming.leases().register(SERVICE, ONE);
        recorded.take();
        naming.recovery().deregisterOverHttp(SERVICE, ONE.key(), LossCause.DEREGISTERED);
        assertThat(recorded.take()).containsExactly("withdrawn " + HTTP_ONE, "forgotten 10.0.0.1:80/DEFAULT");
        naming.recovery().deregisterOverHttp(SERVICE, TWO.key(), LossCause.DEREGISTERED);
        assertThat(recorded.take()).as("another node may hold it").containsExactly("forgotten 10.0.0.2:80/DEFAULT");
    }

    @Test
    void recordsNoPersistentPublication() {
        naming.stored().applyPersistent(SERVICE, PERSISTENT);
        assertThat(naming.registrations().publication("10.0.0.3:80#false", SERVICE))
                .isNull();
        naming.stored().removePersistent(SERVICE, PERSISTENT.key());
        assertThat(recorded.take()).isEmpty();
    }

    @Test
    void sendsTheCurrentStateToOtherNodes() {
        register("a1", ONE);
        OwnPublication first = naming.registrations().publication("a1", SERVICE);
        assertThat(first)
                .isEqualTo(new OwnPublication(
                        new PublisherDescription(
                                "a1", Publisher.Kind.CONNECTION, new Publisher.Client("10.0.0.1", 0, "", SDK)),
                        101,
                        List.of(ONE)));
        register("a1", ONE);
        assertThat(naming.registrations().publication("a1", SERVICE).publishedAt())
                .isEqualTo(102);
        naming.health().setHealthy(SERVICE, ONE.key(), false);
        OwnPublication unhealthy = naming.registrations().publication("a1", SERVICE);
        assertThat(unhealthy.publishedAt()).as("health is no registration").isEqualTo(102);
        assertThat(unhealthy.instances()).containsExactly(ONE.withHealthy(false));
        naming.registrations().deregister(connection("a1"), SERVICE);

        assertThat(naming.registrations().publication("a1", SERVICE)).isNull();
        assertThat(naming.registrations().publication("a2", SERVICE)).isNull();
    }

    @Test
    void checkOfAnotherNodeIsShownAlsoWhereTheInstanceComesLater() {
        mirrored.check(SERVICE, PERSISTENT.key(), false);
        naming.stored().applyPersistent(SERVICE, PERSISTENT);
        assertThat(listed()).containsExactly(PERSISTENT.withHealthy(false));

        mirrored.check(SERVICE, PERSISTENT.key(), true);
        assertThat(listed()).containsExactly(PERSISTENT);
        assertThat(recorded.take()).isEmpty();
    }

    @Test
    void recoveredInstanceIsOlderThanAnyRegistration() {
        mirrored.set(B, ofConnection("b1", 10, OTHER_ONE));
        naming.recovery()
                .recover(new KnownService(
                        SERVICE,
                        List.of(new KnownService.Connected(ONE, SDK), new KnownService.Connected(TWO, SDK)),
                        List.of(),
                        List.of()));
        assertThat(recorded.take()).containsExactly("published recovered " + SDK);
        assertThat(listed()).containsExactly(OTHER_ONE, TWO);

        mirrored.set(C, ofConnection("c1", 12, TWO));
        assertThat(recorded.take()).containsExactly("moved recovered " + SDK + " to " + C.address());
    }

    @Test
    void recoveredInstanceThatAnotherNodeHasIsNotListedAgainWhenItEndsThere() {
        MirroredPublication theirs = ofConnection("b1", 10, OTHER_ONE);
        mirrored.set(B, theirs);
        naming.recovery()
                .recover(new KnownService(
                        SERVICE,
                        List.of(new KnownService.Connected(ONE, SDK), new KnownService.Connected(TWO, SDK)),
                        List.of(),
                        List.of()));

        mirrored.remove(B, theirs);

        assertThat(listed()).containsExactly(TWO);
        assertThat(naming.reads().instanceCount()).isEqualTo(1);
    }

    @Test
    void nothingIsRecoveredOfAServiceThatOtherNodesHave() {
        MirroredPublication theirs = ofConnection("b1", 10, OTHER_ONE);
        mirrored.set(B, theirs);
        naming.recovery()
                .recover(
                        new KnownService(SERVICE, List.of(new KnownService.Connected(ONE, SDK)), List.of(), List.of()));
        assertThat(listed()).containsExactly(OTHER_ONE);
        assertThat(naming.recovery().known(SERVICE).size()).isZero();

        mirrored.remove(B, theirs);

        assertThat(listed()).isEmpty();
        assertThat(naming.reads().instanceCount()).isZero();
    }

    @Test
    void connectionThatWasAskedToMoveKeepsItsInstancesUntilTheyAreElsewhere() {
        register("a1", ONE);
        recorded.take();
        naming.recovery().connectionClosed("a1", true);
        assertThat(listed()).containsExactly(ONE);
        assertThat(recorded.take()).containsExactly("published a1");
        OwnPublication kept = naming.registrations().publication("a1", SERVICE);
        assertThat(kept.publisher().kind()).isEqualTo(Publisher.Kind.RECOVERED);
        assertThat(kept.publishedAt()).isEqualTo(101);
        assertThatThrownBy(() -> register("a1", TWO)).isInstanceOf(CairnException.class);
        naming.recovery().connectionClosed("a1", false);
        assertThat(listed()).as("a connection ends once").containsExactly(ONE);

        mirrored.set(B, ofConnection("b1", 1_000, OTHER_ONE));
        assertThat(listed()).containsExactly(OTHER_ONE);
        assertThat(recorded.take()).containsExactly("moved a1 to " + B.address());
        assertThat(naming.registrations().publication("a1", SERVICE)).isNull();
        assertThat(naming.reads().publisher("a1")).isNull();
    }

    @Test
    void connectionThatEndsSoonAfterAStartKeepsWhatWasRememberedUntilItIsElsewhere() {
        mirrored.set(B, publication("recovered " + SDK, Publisher.Kind.RECOVERED, 0, ONE));
        naming.recovery().startRecoveryWindow();
        register("a1", ONE);
        recorded.take();

        naming.recovery().connectionClosed("a1", false);
        assertThat(listed()).containsExactly(ONE);
        assertThat(recorded.take()).containsExactly("published a1");
        mirrored.set(C, ofConnection("c1", 1_000, OTHER_ONE));
        assertThat(listed()).containsExactly(OTHER_ONE);
        assertThat(recorded.take()).containsExactly("moved a1 to " + C.address());
    }

    @Test
    void connectionWhoseClientIsElsewhereAlreadyMovesAtOnce() {
        register("a1", ONE);
        register("a2", TWO);
        mirrored.set(B, ofConnection("b1", 1_000, OTHER_ONE));
        register("a3", TWO);
        recorded.take();
        naming.recovery().connectionClosed("a1", true);
        naming.recovery().connectionClosed("a2", true);

        assertThat(listed()).containsExactlyInAnyOrder(OTHER_ONE, TWO);
        assertThat(recorded.take())
                .containsExactly(
                        "published a1", "moved a1 to " + B.address(), "published a2", "moved a2 to 10.9.0.1:8848");
        assertThat(naming.reads().publishers()).extracting(Publisher::id).containsExactly("a3");
    }

    @Test
    void windowEndsWhatIsNotElsewhere() throws Exception {
        register("a1", ONE);
        recorded.take();
        naming.recovery().connectionClosed("a1", true);
        loop.pass(Duration.ofMillis(14_999));
        assertThat(listed()).containsExactly(ONE);
        recorded.take();
        loop.pass(Duration.ofMillis(1));

        assertThat(listed()).isEmpty();
        assertThat(recorded.take()).containsExactly("withdrawn a1");
        assertThat(naming.reads().losses().count(LossCause.CONNECTION_CLOSED)).isOne();
        loop.pass(Duration.ofMinutes(3));
        assertThat(loop.waits()).isEmpty();
    }

    @Test
    void connectionThatEndsByItselfTakesItsInstancesAlong() {
        register("a1", ONE);
        naming.recovery().connectionClosed("a1", false);
        assertThat(listed()).isEmpty();
    }

    @Test
    void serverThatIsAloneKeepsNothingOfConnectionThatMoves() {
        RegistryParts alone = registry();
        alone.registrations()
                .register(
                        alone.registry().connection("a1", new Publisher.Client("", 0, "", SDK)), SERVICE, List.of(ONE));
        alone.recovery().connectionClosed("a1", true);
        assertThat(alone.reads().snapshot(SERVICE).instances()).isEmpty();
    }

    @Test
    void drainKeepsWhatConnectionsHaveUntilItIsElsewhere() {
        register("a1", ONE);
        naming.registry().keepOnDisconnect();
        naming.recovery().connectionClosed("a1", false);
        recorded.take();
        mirrored.set(B, ofConnection("b1", 1_000, ONE));
        assertThat(recorded.take()).containsExactly("moved a1 to " + B.address());
    }

    @Test
    void connectionThatIsFoundClosedAfterAPauseKeepsItsInstances() throws Exception {
        register("a1", ONE);
        register("a2", TWO);
        naming.renewal().everySecond(true, false);
        loop.pass(Duration.ofSeconds(5));
        naming.recovery().connectionClosed("a1", false);
        assertThat(listed()).contains(ONE);
        naming.renewal().everySecond(false, false);
        loop.pass(Duration.ofSeconds(1));

        naming.renewal().everySecond(true, false);
        naming.recovery().connectionClosed("a2", false);
        assertThat(listed()).as("it has caught up, so that one ended by itself").containsExactly(ONE);
    }

    /** Its end waits for another thread than the one that finds the pause. */
    @Test
    void connectionThatIsFoundClosedRightAfterThePauseIsFoundKeepsItsInstances() throws Exception {
        register("a1", ONE);
        naming.renewal().everySecond(true, false);
        loop.pass(Duration.ofSeconds(5));

        naming.renewal().everySecond(true, false);
        naming.recovery().connectionClosed("a1", false);

        assertThat(listed()).containsExactly(ONE);
    }

    @Test
    void leasesBeginAgainAfterAPause() throws Exception {
        naming.leases().register(SERVICE, ONE);
        naming.renewal().everySecond(true, false);
        // Time-outs go off before a thread has found the pause.
        loop.pass(Duration.ofSeconds(29));
        assertThat(listed()).containsExactly(ONE);
        naming.renewal().everySecond(true, false);
        runFor(14);
        assertThat(listed()).containsExactly(ONE);
        runFor(2);
        assertThat(listed()).containsExactly(ONE.withHealthy(false));
        runFor(15);
        assertThat(listed()).isEmpty();
    }

    @Test
    void leasesAndWindowsDoNotEndWhileThisNodeIsCutOff() throws Exception {
        naming.leases().register(SERVICE, ONE);
        register("a1", TWO);
        naming.recovery().connectionClosed("a1", true);
        for (int i = 0; i < 100; i++) {
            loop.pass(Duration.ofSeconds(1));
            naming.renewal().everySecond(false, true);
        }
        assertThat(listed()).containsExactlyInAnyOrder(ONE, TWO);
        runFor(14);
        assertThat(listed()).containsExactlyInAnyOrder(ONE, TWO);
        runFor(1);
        assertThat(listed()).containsExactly(ONE.withHealthy(false));
        runFor(15);
        assertThat(listed()).isEmpty();
    }

    private void runFor(int seconds) throws Exception {
        for (int i = 0; i < seconds; i++) {
            loop.pass(Duration.ofSeconds(1));
            naming.renewal().everySecond(true, false);
        }
    }

    @Test
    void adoptsWhatThisNodeOwnsNowAsItIsWithALeaseThatBeginsNow() throws Exception {
        mirrored.set(B, ofHttp(50, ONE.withHealthy(false)));
        assertThat(handover.adopt(client -> false)).isZero();
        assertThat(handover.adopt(HTTP_ONE::equals)).isOne();

        assertThat(recorded.take()).containsExactly("published " + HTTP_ONE);
        OwnPublication adopted = naming.registrations().publication(HTTP_ONE, SERVICE);
        assertThat(adopted.publishedAt()).isEqualTo(50);
        assertThat(adopted.instances()).containsExactly(ONE.withHealthy(false));
        assertThat(handover.adopt(client -> true)).as("it has it").isZero();
        mirrored.remove(B, ofHttp(50, ONE));
        loop.pass(Duration.ofSeconds(29));
        assertThat(listed()).containsExactly(ONE.withHealthy(false));
        assertThat(naming.leases().beat(SERVICE, ONE.key(), null).known()).isTrue();
        assertThat(listed()).containsExactly(ONE);
        loop.pass(Duration.ofSeconds(30));
        assertThat(listed()).isEmpty();
    }

    @Test
    void adoptsWhatIsHeldAndEndsThatSoThatItIsListedOnce() {
        mirrored.hold(B, ofHttp(50, ONE));
        assertThat(handover.adopt(HTTP_ONE)).isOne();

        assertThat(mirrored.isHeld(B, ofHttp(50, ONE))).isFalse();
        assertThat(listed()).containsExactly(ONE);
        assertThat(naming.reads().instanceCount()).isOne();
    }

    @Test
    void doesNotAdoptWhatIsOlderThanWhatThisNodeHas() {
        naming.leases().register(SERVICE, OTHER_ONE);
        mirrored.set(B, ofHttp(50, ONE));
        assertThat(handover.adopt(client -> true)).isZero();
        assertThat(listed()).containsExactly(OTHER_ONE);

        mirrored.set(B, ofHttp(500, ONE));
        assertThat(handover.adopt(client -> true)).isOne();
        assertThat(listed()).containsExactly(ONE);
        naming.leases().register(SERVICE, OTHER_ONE);
        assertThat(listed())
                .as("a registration is later, also where the clock is behind")
                .containsExactly(OTHER_ONE);
    }

    @Test
    void doesNotAdoptWhatHasEnded() {
        mirrored.hold(B, ofHttp(50, ONE));
        mirrored.forget(SERVICE, ONE.key(), 60);
        mirrored.set(C, publication("c1", Publisher.Kind.CONNECTION, 50, TWO));

        assertThat(handover.adopt(client -> true)).isZero();
        assertThat(listed()).containsExactly(TWO);
        assertThat(naming.reads().publishers()).isEmpty();
    }

    @Test
    void handsOverOnlyWhatAnotherNodeHasFromTheSameTimeOrLater() throws Exception {
        naming.leases().register(SERVICE, ONE);
        recorded.take();
        assertThat(handover.handOver(client -> false)).as("nobody has it").isZero();
        mirrored.set(B, ofHttp(100, OTHER_ONE));
        assertThat(handover.handOver(client -> false)).as("it is older").isZero();
        mirrored.set(B, ofHttp(101, OTHER_ONE));
        assertThat(handover.handOver(client -> true)).as("it is this node's").isZero();
        assertThat(handover.handOver(client -> false)).isOne();

        assertThat(recorded.take()).containsExactly("moved " + HTTP_ONE + " to " + B.address());
        assertThat(listed()).containsExactly(OTHER_ONE);
        assertThat(naming.reads().publishers()).isEmpty();
        for (LossCause cause : LossCause.values()) {
            assertThat(naming.reads().losses().count(cause)).as(cause.tag()).isZero();
        }
        loop.pass(Duration.ofMinutes(2));
        assertThat(listed()).as("its lease has ended with it").containsExactly(OTHER_ONE);
    }

    @Test
    void namesTheNodeOfAClientWithoutConnection() {
        List<String> told = new ArrayList<>();
        naming.mirrored().onClient(told::add);
        assertThat(handover.publishedBy(SERVICE, ONE.key())).isNull();
        mirrored.set(B, ofHttp(50, ONE));
        mirrored.set(B, ofConnection("b1", 50, TWO));

        assertThat(told).containsExactly(HTTP_ONE);
        assertThat(handover.publishedBy(SERVICE, ONE.key())).isEqualTo(B);
        assertThat(handover.publishedBy(SERVICE, TWO.key())).isNull();
        assertThat(handover.isPublishedHere(SERVICE, ONE.key())).isFalse();
        assertThat(naming.reads().originOf(SERVICE, ONE.key())).isEqualTo(B);
        handover.adopt(HTTP_ONE);
        assertThat(handover.isPublishedHere(SERVICE, ONE.key())).isTrue();
        assertThat(naming.reads().originOf(SERVICE, ONE.key())).isNull();
        assertThat(handover.ownClients()).containsExactly(HTTP_ONE);
    }

    @Test
    void listHasThePresentTimeForClientsThatComeFromAnotherNode() {
        register("a1", ONE);
        long first = naming.reads().listed(SERVICE).refMillis();
        clock.advance(Duration.ofMillis(1));
        assertThat(naming.reads().listed(SERVICE).refMillis()).isEqualTo(first + 1);
        assertThat(naming.reads().listed(SERVICE)).isSameAs(naming.reads().listed(SERVICE));
    }
}
