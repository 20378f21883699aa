package io.cairn.server.naming;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.api.config.Namespace;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.auth.Caller;
import io.cairn.server.naming.label.LabelSelector;
import io.cairn.server.naming.registry.Publisher;
import io.cairn.server.naming.stored.NamingWrite;
import io.cairn.server.naming.stored.RegistryParts;
import io.cairn.server.naming.stored.StoredNaming;
import io.cairn.server.naming.switches.Switches;
import io.cairn.server.testing.HandDrivenLoop;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The node whose duty it is removes what was stored for services and instances that are long gone. Another node writes to the same
 * store, and this one has not followed that yet.
 */
class ExpiredSettingsTest {

    private static final ServiceKey SERVICE = new ServiceKey(Namespace.DEFAULT, "DEFAULT_GROUP", "orders");
    private static final InstanceKey ABSENT = new InstanceKey("10.0.0.2", 80, "DEFAULT");
    private static final ServiceSettings SETTINGS =
            new ServiceSettings(true, 0.5, Map.of(), LabelSelector.NONE, Map.of());
    private static final Duration PAST_ALL_TIMES = Duration.ofMinutes(5);

    private final HandDrivenLoop loop = new HandDrivenLoop();
    private final MapStore store = new MapStore();
    private final RegistryParts naming = RegistryParts.of(
            new NamingSettings(Duration.ofSeconds(60), Duration.ofSeconds(60), Duration.ofSeconds(15), true),
            new Switches(),
            loop,
            Clock.fixed(Instant.ofEpochMilli(1_000), ZoneOffset.UTC),
            loop::nanoTime);
    private final StoredNaming stored = new StoredNaming(naming, store, new StoredNaming.PersistentInstances() {});

    /** A service that nothing publishes, and an override of an instance that is not there. */
    @BeforeEach
    void isStored() {
        stored.createService(Caller.SERVER, SERVICE, SETTINGS)
                .toCompletableFuture()
                .join();
        stored.override(Caller.SERVER, SERVICE, ABSENT, before -> override(5))
                .toCompletableFuture()
                .join();
    }

    private static InstanceOverride override(double weight) {
        return new InstanceOverride(weight, null, Map.of());
    }

    private void anotherNodeWrites(NamingWrite write) {
        store.write(List.of(write), Caller.SERVER, () -> {});
    }

    @Test
    void removesWhatIsLongGone() throws Exception {
        loop.pass(PAST_ALL_TIMES);

        assertThat(store.rows()).isEmpty();
        assertThat(naming.reads().find(SERVICE)).isNull();
    }

    @Test
    void keepsSettingsThatAnotherNodeHasChanged() throws Exception {
        NamingWrite changed = new NamingWrite.SaveService(
                SERVICE, new ServiceSettings(true, 0.9, Map.of(), LabelSelector.NONE, Map.of()));
        anotherNodeWrites(changed);

        loop.pass(PAST_ALL_TIMES);

        assertThat(store.rows()).containsExactly(changed);
    }

    @Test
    void keepsServiceOfWhichAnotherNodeHasStoredAnInstance() throws Exception {
        NamingWrite instance =
                new NamingWrite.SaveInstance(SERVICE, new Instance(ABSENT, 1, true, true, false, Map.of(), null));
        anotherNodeWrites(instance);

        loop.pass(PAST_ALL_TIMES);

        assertThat(store.rows()).containsExactly(new NamingWrite.SaveService(SERVICE, SETTINGS), instance);
    }

    @Test
    void keepsOverrideThatAnotherNodeHasChangedAndItsService() throws Exception {
        NamingWrite changed = new NamingWrite.SaveOverride(SERVICE, ABSENT, override(7));
        anotherNodeWrites(changed);

        loop.pass(PAST_ALL_TIMES);

        assertThat(store.rows()).containsExactly(new NamingWrite.SaveService(SERVICE, SETTINGS), changed);
    }

    @Test
    void keepsOverrideThatAnotherNodeHasChangedWhileTheServiceGoesOn() throws Exception {
        naming.registrations()
                .register(
                        naming.registry().connection("a", new Publisher.Client("10.0.0.1", 0, "", "")),
                        SERVICE,
                        List.of(Instance.of("10.0.0.1", 80)));
        NamingWrite changed = new NamingWrite.SaveOverride(SERVICE, ABSENT, override(7));
        anotherNodeWrites(changed);

        loop.pass(PAST_ALL_TIMES);
        assertThat(store.rows()).contains(changed);

        // Once this node knows it, it goes as well.
        stored.reload();
        loop.pass(PAST_ALL_TIMES);
        assertThat(store.rows()).containsExactly(new NamingWrite.SaveService(SERVICE, SETTINGS));
    }
}
