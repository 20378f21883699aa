package io.cairn.server.naming;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.api.config.Namespace;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.naming.group.MirroredRegistry;
import io.cairn.server.naming.lease.KnownService;
import io.cairn.server.naming.registry.MirroredPublication;
import io.cairn.server.naming.registry.PublishedInstances;
import io.cairn.server.naming.registry.Publisher;
import io.cairn.server.naming.registry.PublisherDescription;
import io.cairn.server.naming.stored.RegistryParts;
import io.cairn.server.naming.switches.Switches;
import io.cairn.server.node.NodeId;
import io.cairn.server.testing.HandDrivenLoop;
import io.cairn.server.testing.SettableClock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** HTTP clients that are known from before a restart, and deregister before they have sent a heartbeat. */
class RecoveredHttpClientTest {

    private static final ServiceKey SERVICE = new ServiceKey(Namespace.DEFAULT, "DEFAULT_GROUP", "orders");
    private static final NodeId B = new NodeId("10.9.0.2:8848", 1);
    private static final Instance ONE = Instance.of("10.0.0.1", 80);
    private static final Instance TWO = Instance.of("10.0.0.2", 80);
    private static final String ID_ONE = "10.0.0.1:80#true";
    /** The time of instances from before a restart. */
    private static final long BEFORE_ALL = 0;

    private final HandDrivenLoop loop = new HandDrivenLoop();
    private final AtomicLong stamps = new AtomicLong(100);
    private final RecordedChanges recorded = new RecordedChanges();
    private final RegistryParts naming = RegistryParts.of(
            new NamingSettings(Duration.ofSeconds(60), Duration.ofSeconds(60), Duration.ofSeconds(15), true),
            new Switches(),
            loop,
            new SettableClock(),
            loop::nanoTime);
    private final MirroredRegistry mirrored = naming.mirrored();

    private void join() {
        naming.registry().joinGroup("10.9.0.1:8848", stamps::incrementAndGet, recorded);
    }

    private void recover() {
        naming.recovery().recover(new KnownService(SERVICE, List.of(), List.of(ONE, TWO), List.of()));
    }

    private List<Instance> listed() {
        return naming.reads().snapshot(SERVICE).instances();
    }

    @Test
    void isNotListedAnyMoreAfterItHasDeregisteredAtItsOnlyServer() throws Exception {
        recover();

        naming.recovery().deregisterOverHttp(SERVICE, ONE.key(), LossCause.DEREGISTERED);

        assertThat(listed()).containsExactly(TWO);
        assertThat(naming.recovery().known(SERVICE).beating()).containsExactly(TWO);
        loop.pass(Duration.ofSeconds(60));
        assertThat(listed()).isEmpty();
        assertThat(naming.reads().losses().count(LossCause.DEREGISTERED)).isEqualTo(1);
        assertThat(naming.reads().losses().count(LossCause.NOT_BACK)).isEqualTo(1);
    }

    @Test
    void isNotListedWhenItHasDeregisteredAtAnotherNodeBeforeTheRecovery() {
        join();
        recorded.deregister(ONE, 50);

        recover();

        assertThat(listed()).containsExactly(TWO);
        assertThat(naming.registrations().publication(ID_ONE, SERVICE)).isNull();
        assertThat(naming.recovery().known(SERVICE).beating()).containsExactly(TWO);
        assertThat(recorded.take()).endsWith("withdrawn " + ID_ONE);
    }

    @Test
    void isNotListedAnyMoreAfterItHasDeregisteredAtAnotherNode() {
        join();
        recover();
        recorded.take();

        mirrored.forget(SERVICE, ONE.key(), 50);

        assertThat(listed()).containsExactly(TWO);
        assertThat(recorded.take()).containsExactly("withdrawn " + ID_ONE);
        assertThat(naming.reads().losses().count(LossCause.DEREGISTERED)).isEqualTo(1);
    }

    @Test
    void staysListedAfterAHeartbeat() {
        join();
        recover();
        naming.leases().beat(SERVICE, ONE.key(), null);

        mirrored.forget(SERVICE, ONE.key(), 50);

        assertThat(listed()).containsExactly(ONE, TWO);
    }

    @Test
    void registrationAtThisNodeIsNotEndedByAnOlderDeregistration() {
        join();
        recover();
        naming.leases().register(SERVICE, ONE);

        mirrored.forget(SERVICE, ONE.key(), 50);

        assertThat(listed()).containsExactly(ONE, TWO);
    }

    @Test
    void recoveredServiceOfConnectionsIsNotListedWhenItHasBeenDeregisteredBeforeTheRecovery() {
        join();
        recorded.deregister(ONE, 50);

        naming.recovery()
                .recover(new KnownService(
                        SERVICE,
                        List.of(
                                new KnownService.Connected(ONE, "Nacos-Java-Client:v3.0.3"),
                                new KnownService.Connected(TWO, "Nacos-Java-Client:v3.0.3")),
                        List.of(),
                        List.of()));

        assertThat(listed()).containsExactly(TWO);
    }

    @Test
    void isNotAdoptedAfterItsDeregistration() {
        join();
        recorded.deregister(ONE, 50);
        mirrored.set(B, theirs(ONE));

        naming.handover().adopt(ID_ONE);

        assertThat(naming.registrations().publication(ID_ONE, SERVICE)).isNull();
        mirrored.remove(B, theirs(ONE));
        assertThat(listed()).isEmpty();
    }

    @Test
    void endsAfterItsAdoptionWhenItsDeregistrationArrives() {
        join();
        mirrored.set(B, theirs(ONE));
        naming.handover().adopt(ID_ONE);
        mirrored.remove(B, theirs(ONE));
        assertThat(listed()).containsExactly(ONE);

        mirrored.forget(SERVICE, ONE.key(), 50);

        assertThat(listed()).isEmpty();
    }

    @Test
    void silenceAfterAnAdoptionCountsAsNotBackForARecoveredClientOnly() throws Exception {
        join();
        mirrored.set(B, theirs(ONE));
        naming.handover().adopt(ID_ONE);
        mirrored.remove(B, theirs(ONE));
        MirroredPublication registered = publication("10.0.0.2:80#true", TWO, 10);
        mirrored.set(B, registered);
        naming.handover().adopt("10.0.0.2:80#true");
        mirrored.remove(B, registered);

        loop.pass(Duration.ofSeconds(60));

        assertThat(listed()).isEmpty();
        assertThat(naming.reads().losses().count(LossCause.NOT_BACK)).isEqualTo(1);
        assertThat(naming.reads().losses().count(LossCause.EXPIRED)).isEqualTo(1);
    }

    private static MirroredPublication theirs(Instance instance) {
        return publication(ID_ONE, instance, BEFORE_ALL);
    }

    private static MirroredPublication publication(String id, Instance instance, long publishedAt) {
        return new MirroredPublication(
                new PublisherDescription(id, Publisher.Kind.HTTP, new Publisher.Client("10.0.0.1", 0, "", "")),
                SERVICE,
                publishedAt,
                new Decoded(List.of(instance)));
    }

    private record Decoded(List<Instance> instances) implements PublishedInstances {

        @Override
        public int size() {
            return instances.size();
        }

        @Override
        public List<Instance> decode() {
            return instances;
        }
    }
}
