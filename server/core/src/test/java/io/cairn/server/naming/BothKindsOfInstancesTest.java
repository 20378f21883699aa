package io.cairn.server.naming;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cairn.api.config.Namespace;
import io.cairn.api.error.CairnException;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.auth.Caller;
import io.cairn.server.naming.registry.MirroredPublication;
import io.cairn.server.naming.registry.OwnChanges;
import io.cairn.server.naming.registry.PublishedInstances;
import io.cairn.server.naming.registry.Publisher;
import io.cairn.server.naming.registry.PublisherDescription;
import io.cairn.server.naming.stored.NamingWrite;
import io.cairn.server.naming.stored.RegistryParts;
import io.cairn.server.naming.stored.StoredNaming;
import io.cairn.server.naming.switches.Switches;
import io.cairn.server.node.NodeId;
import io.cairn.server.testing.HandDrivenLoop;
import io.cairn.server.testing.SettableClock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Two nodes have taken a persistent and an ephemeral instance of one new service at the same time. Whichever a node learns of first, all
 * list both, and the service is persistent from then on.
 */
class BothKindsOfInstancesTest {

    private static final ServiceKey SERVICE = new ServiceKey(Namespace.DEFAULT, "DEFAULT_GROUP", "orders");
    private static final NodeId OTHER = new NodeId("10.9.0.2:8848", 1_000);
    private static final Instance EPHEMERAL = Instance.of("10.0.0.1", 80);
    private static final Instance LATER = Instance.of("10.0.0.2", 80);
    private static final Instance PERSISTENT =
            new Instance(new InstanceKey("10.0.0.3", 80, "DEFAULT"), 1, true, true, false, Map.of(), null);

    private final HandDrivenLoop loop = new HandDrivenLoop();
    private final AtomicLong stamps = new AtomicLong(100);
    private final MapStore store = new MapStore();
    private final RegistryParts naming = RegistryParts.of(
            new NamingSettings(Duration.ofSeconds(60), Duration.ofSeconds(60), Duration.ofSeconds(15), true),
            new Switches(),
            loop,
            new SettableClock(),
            loop::nanoTime);
    private final StoredNaming stored = new StoredNaming(naming, store, new StoredNaming.PersistentInstances() {});

    @BeforeEach
    void joinGroup() {
        naming.registry().joinGroup("10.9.0.1:8848", stamps::incrementAndGet, OwnChanges.NONE);
    }

    private void registerEphemeral(String connection, Instance instance) {
        naming.registrations()
                .register(
                        naming.registry().connection(connection, new Publisher.Client("10.0.0.1", 0, "", "")),
                        SERVICE,
                        List.of(instance));
    }

    private void anotherNodeHasEphemeral() {
        naming.mirrored()
                .set(
                        OTHER,
                        new MirroredPublication(
                                new PublisherDescription(
                                        "theirs",
                                        Publisher.Kind.CONNECTION,
                                        new Publisher.Client("10.0.0.1", 0, "", "")),
                                SERVICE,
                                50,
                                new PublishedInstances() {
                                    @Override
                                    public int size() {
                                        return 1;
                                    }

                                    @Override
                                    public List<Instance> decode() {
                                        return List.of(EPHEMERAL);
                                    }
                                }));
    }

    private void anotherNodeHasStored() {
        store.write(List.of(new NamingWrite.SaveInstance(SERVICE, PERSISTENT)), Caller.SERVER, () -> {});
        stored.reload(Set.of(SERVICE));
    }

    private void assertBothAreListedAndTheServiceIsPersistent() {
        assertThat(naming.reads().snapshot(SERVICE).instances()).containsExactlyInAnyOrder(EPHEMERAL, PERSISTENT);
        assertThatThrownBy(() -> registerEphemeral("later", LATER))
                .isInstanceOf(CairnException.class)
                .hasMessageContaining(
                        "Current service DEFAULT_GROUP@@orders is persistent service, can't register ephemeral instance");
        assertThat(stored.register(Caller.SERVER, SERVICE, PERSISTENT.withWeight(2))
                        .toCompletableFuture())
                .isCompleted();
    }

    @Test
    void atTheNodeThatHasTakenTheEphemeralOne() {
        registerEphemeral("own", EPHEMERAL);

        anotherNodeHasStored();

        assertBothAreListedAndTheServiceIsPersistent();
        naming.recovery().connectionClosed("own", false);
        assertThat(naming.reads().snapshot(SERVICE).instances()).containsExactly(PERSISTENT.withWeight(2));
    }

    @Test
    void atTheNodeThatHasTakenThePersistentOne() {
        assertThat(stored.register(Caller.SERVER, SERVICE, PERSISTENT).toCompletableFuture())
                .isCompleted();

        anotherNodeHasEphemeral();

        assertBothAreListedAndTheServiceIsPersistent();
    }

    @Test
    void atNodeThatLearnsOfTheEphemeralOneFirst() {
        anotherNodeHasEphemeral();
        anotherNodeHasStored();

        assertBothAreListedAndTheServiceIsPersistent();
    }

    @Test
    void atNodeThatLearnsOfThePersistentOneFirst() {
        anotherNodeHasStored();
        anotherNodeHasEphemeral();

        assertBothAreListedAndTheServiceIsPersistent();
    }

    /** On one node the second is refused, as before. */
    @Test
    void nodeThatKnowsOfTheEphemeralOneRefusesThePersistentOne() {
        registerEphemeral("own", EPHEMERAL);

        assertThat(stored.register(Caller.SERVER, SERVICE, PERSISTENT).toCompletableFuture())
                .isCompletedExceptionally();

        assertThat(store.rows()).isEmpty();
        assertThat(naming.reads().snapshot(SERVICE).instances()).containsExactly(EPHEMERAL);
    }
}
