package io.cairn.server.storage.naming;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.cairn.api.config.Namespace;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.auth.Caller;
import io.cairn.server.naming.ClusterSettings;
import io.cairn.server.naming.InstanceOverride;
import io.cairn.server.naming.NamingException;
import io.cairn.server.naming.NamingSettings;
import io.cairn.server.naming.ServiceSettings;
import io.cairn.server.naming.label.LabelSelector;
import io.cairn.server.naming.stored.NamingChange;
import io.cairn.server.naming.stored.NamingWrite;
import io.cairn.server.naming.stored.RegistryParts;
import io.cairn.server.naming.stored.StoredNaming;
import io.cairn.server.naming.switches.Switches;
import io.cairn.server.storage.TestDatabase;
import io.cairn.server.storage.TestStore;
import io.cairn.server.storage.database.ReadConnections;
import io.cairn.server.storage.writer.FaultyConnections;
import io.cairn.server.storage.writer.StoreMeters;
import io.cairn.server.storage.writer.StoreWriter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.util.HashedWheelTimer;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The behavior of every store of the registry, on every database. */
abstract class NamingStoreContract {

    private static final ServiceKey SERVICE = new ServiceKey(Namespace.DEFAULT, "DEFAULT_GROUP", "orders");
    private static final ServiceKey OTHER = new ServiceKey(Namespace.ofNullable("dev"), "grüppe", "zahlungen 🚀");
    private static final InstanceKey ADDRESS = new InstanceKey("10.0.0.1", 8080, "DEFAULT");

    @TempDir
    Path folder;

    private final HashedWheelTimer timer = new HashedWheelTimer();
    private FaultyConnections connections;
    private Store store;

    /** A database with an up-to-date schema; the same database for the same folder. */
    abstract TestDatabase database(Path folder) throws Exception;

    @BeforeEach
    void open() throws Exception {
        store = new Store();
        store.writer.start();
    }

    @AfterEach
    void close() {
        store.close();
        timer.stop();
    }

    private void reopen() throws Exception {
        store.close();
        open();
    }

    @Test
    void keepsEverythingAfterReopening() throws Exception {
        List<NamingWrite> all = List.of(
                new NamingWrite.SaveSwitch("pushEnabled", "false"),
                new NamingWrite.SaveService(
                        SERVICE,
                        new ServiceSettings(
                                false,
                                0.75,
                                inOrder("z", "1", "a", "ü", "quote", "\"\\\n\t\u0001", "emoji", "👩‍👩‍👧"),
                                LabelSelector.of("CONSUMER.label.a = PROVIDER.label.a"),
                                Map.of(
                                        "DEFAULT",
                                        new ClusterSettings(
                                                "{\"type\":\"HTTP\",\"path\":\"/ü\"}", 8081, false, Map.of("k", "v")),
                                        "east",
                                        ClusterSettings.DEFAULT))),
                new NamingWrite.SaveService(OTHER, ServiceSettings.ofKind(true)),
                new NamingWrite.SaveOverride(
                        SERVICE, ADDRESS, new InstanceOverride(0.5, false, inOrder("b", "", "a", "1"))),
                new NamingWrite.SaveOverride(
                        OTHER, new InstanceKey("host.example", 0, "east"), new InstanceOverride(null, true, Map.of())),
                new NamingWrite.SaveOverride(
                        OTHER, new InstanceKey("::1", 65535, "east"), new InstanceOverride(10_000.0, null, Map.of())),
                new NamingWrite.SaveInstance(
                        SERVICE,
                        new Instance(
                                ADDRESS, 0.01, false, false, false, inOrder("z", "🚀", "a", ""), "an id of its own")),
                new NamingWrite.SaveInstance(OTHER, persistent("host.example", 0, "east")));
        write(all.toArray(NamingWrite[]::new));

        assertThat(store.all()).containsExactlyInAnyOrderElementsOf(all);
        reopen();

        List<NamingWrite> read = store.all();
        assertThat(read).containsExactlyInAnyOrderElementsOf(all);
        assertThat(read.stream()
                        .filter(NamingWrite.SaveInstance.class::isInstance)
                        .map(row -> ((NamingWrite.SaveInstance) row).instance())
                        .filter(instance -> instance.key().equals(ADDRESS))
                        .flatMap(instance -> instance.metadata().keySet().stream()))
                .as("metadata in the publisher's order")
                .containsExactly("z", "a");
        List<Class<?>> types = new ArrayList<>();
        read.forEach(row -> types.add(row.getClass()));
        assertThat(types.lastIndexOf(NamingWrite.SaveService.class))
                .as("services come before what belongs to them")
                .isLessThan(types.indexOf(NamingWrite.SaveOverride.class))
                .isLessThan(types.indexOf(NamingWrite.SaveInstance.class));
    }

    @Test
    void aSecondSaveReplacesTheFirst() {
        Instance first = persistent("10.0.0.1", 8080, "DEFAULT");
        Instance second = persistent("10.0.0.1", 8080, "east").withWeight(3);
        write(
                new NamingWrite.SaveService(SERVICE, ServiceSettings.ofKind(true)),
                new NamingWrite.SaveInstance(SERVICE, first),
                new NamingWrite.SaveOverride(SERVICE, ADDRESS, new InstanceOverride(1.0, null, Map.of())),
                new NamingWrite.SaveSwitch("a", "1"));
        NamingWrite[] again = {
            new NamingWrite.SaveService(SERVICE, ServiceSettings.ofKind(false)),
            new NamingWrite.SaveInstance(SERVICE, second),
            new NamingWrite.SaveOverride(SERVICE, ADDRESS, new InstanceOverride(null, true, Map.of("a", "b"))),
            new NamingWrite.SaveSwitch("a", "2")
        };
        write(again);

        assertThat(store.all()).containsExactlyInAnyOrder(again);
    }

    @Test
    void removesAnOverrideWithoutEffect() {
        InstanceKey east = new InstanceKey("10.0.0.1", 8080, "east");
        InstanceOverride disabled = new InstanceOverride(null, false, Map.of());
        write(
                new NamingWrite.SaveOverride(SERVICE, ADDRESS, disabled),
                new NamingWrite.SaveOverride(SERVICE, east, disabled));

        write(new NamingWrite.SaveOverride(SERVICE, ADDRESS, InstanceOverride.NONE));

        assertThat(store.all()).containsExactly(new NamingWrite.SaveOverride(SERVICE, east, disabled));
    }

    @Test
    void removingAServiceRemovesOnlyItsOwnRows() {
        NamingWrite other = new NamingWrite.SaveService(OTHER, ServiceSettings.ofKind(false));
        NamingWrite otherOverride =
                new NamingWrite.SaveOverride(OTHER, ADDRESS, new InstanceOverride(2.0, null, Map.of()));
        NamingWrite instance = new NamingWrite.SaveInstance(OTHER, persistent("10.0.0.1", 8080, "DEFAULT"));
        write(
                new NamingWrite.SaveService(SERVICE, ServiceSettings.ofKind(false)),
                new NamingWrite.SaveOverride(SERVICE, ADDRESS, new InstanceOverride(2.0, null, Map.of())),
                other,
                otherOverride,
                instance);

        write(new NamingWrite.RemoveService(SERVICE));

        assertThat(store.all()).containsExactlyInAnyOrder(other, otherOverride, instance);
        write(new NamingWrite.RemoveInstance(OTHER, new InstanceKey("10.0.0.1", 8080, "whatever")));
        assertThat(store.all()).containsExactlyInAnyOrder(other, otherOverride);
        write(new NamingWrite.RemoveInstance(OTHER, ADDRESS), new NamingWrite.RemoveService(SERVICE));
        assertThat(store.all()).containsExactlyInAnyOrder(other, otherOverride);
    }

    @Test
    void severalWritesAreStoredTogetherOrNotAtAll() {
        NamingWrite before = new NamingWrite.SaveService(SERVICE, ServiceSettings.ofKind(false));
        write(before);
        List<String> shown = new ArrayList<>();
        connections.fail("INSERT INTO cairn_instance_override", new SQLException("no room for a test"));

        assertThatThrownBy(() -> TestStore.get(store.store.write(
                        List.of(
                                new NamingWrite.SaveInstance(SERVICE, persistent("10.0.0.1", 8080, "DEFAULT")),
                                new NamingWrite.RemoveService(SERVICE),
                                new NamingWrite.SaveOverride(
                                        SERVICE, ADDRESS, new InstanceOverride(2.0, null, Map.of()))),
                        Caller.SERVER,
                        () -> shown.add("shown"))))
                .isInstanceOf(CairnException.class);

        assertThat(store.all()).containsExactly(before);
        assertThat(shown).isEmpty();
    }

    @Test
    void commitsAreShownInOrderBeforeTheyAreAcknowledged() {
        List<Integer> shown = new ArrayList<>();
        List<CompletionStage<Boolean>> answered = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            int number = i;
            answered.add(store.store
                    .write(
                            List.of(new NamingWrite.SaveInstance(
                                    SERVICE,
                                    persistent("10.0.0.1", 8080, "DEFAULT").withWeight(number))),
                            Caller.SERVER,
                            () -> shown.add(number))
                    .thenApply(done -> shown.contains(number)));
        }

        assertThat(answered).allMatch(TestStore::get);
        assertThat(shown)
                .containsExactlyElementsOf(IntStream.range(0, 500).boxed().toList());
        assertThat(store.all())
                .containsExactly(new NamingWrite.SaveInstance(
                        SERVICE, persistent("10.0.0.1", 8080, "DEFAULT").withWeight(499)));
    }

    @Test
    void acknowledgesAndShowsARegistrationWhoseCommitResponseWasLost() {
        connections.loseTheAnswerToCommit();

        TestStore.get(store.naming.register(Caller.SERVER, SERVICE, persistent("10.0.0.1", 8080, "DEFAULT")));

        assertThat(store.shown()).containsExactly(ADDRESS);
        assertThat(store.all()).hasSize(1);
    }

    @Test
    void refusesARegistrationThatWasNotStored() {
        connections.failCommit();

        assertThatThrownBy(() -> TestStore.get(
                        store.naming.register(Caller.SERVER, SERVICE, persistent("10.0.0.1", 8080, "DEFAULT"))))
                .isInstanceOfSatisfying(CairnException.class, failure -> assertThat(failure.code())
                        .isEqualTo(ErrorCode.UNAVAILABLE));

        assertThat(store.shown()).isEmpty();
        assertThat(store.all()).isEmpty();
        TestStore.get(store.naming.register(Caller.SERVER, SERVICE, persistent("10.0.0.1", 8080, "DEFAULT")));
        assertThat(store.shown()).containsExactly(ADDRESS);
    }

    @Test
    void showsAnUncertainWriteOnceTheStoreCanBeReadAgain() {
        Instance first = persistent("10.0.0.1", 8080, "DEFAULT");
        TestStore.get(store.naming.register(Caller.SERVER, SERVICE, first));
        connections.loseTheAnswerToCommit();
        connections.unreachable("no route to host, for a test");

        assertThatThrownBy(() -> TestStore.get(store.naming.register(Caller.SERVER, SERVICE, first.withWeight(5))))
                .isInstanceOf(CairnException.class);
        connections.reachable();

        await().untilAsserted(() ->
                assertThat(store.registry.reads().snapshot(SERVICE).published()).containsExactly(first.withWeight(5)));
        // The registry shows the state shortly before the writer accepts commands again.
        await().untilAsserted(() -> assertThat(store.writer.circuit().cause()).isNull());
        TestStore.get(store.naming.deregister(Caller.SERVER, SERVICE, ADDRESS));
        assertThat(store.shown()).isEmpty();
    }

    @Test
    void aReloadRemovesUnstoredInstancesAndKeepsEphemeralOnes() throws Exception {
        ServiceKey ephemeral = new ServiceKey(Namespace.DEFAULT, "DEFAULT_GROUP", "in-memory");
        store.registry.leases().register(ephemeral, Instance.of("10.0.0.9", 80));
        TestStore.get(store.naming.createService(Caller.SERVER, OTHER, ServiceSettings.ofKind(false)));
        TestStore.get(store.naming.register(Caller.SERVER, SERVICE, persistent("10.0.0.1", 8080, "DEFAULT")));
        TestStore.get(store.naming.register(Caller.SERVER, SERVICE, persistent("10.0.0.2", 8080, "DEFAULT")));
        TestStore.get(store.naming.override(
                Caller.SERVER, SERVICE, ADDRESS, before -> new InstanceOverride(9.0, null, Map.of())));
        TestStore.get(store.naming.override(
                Caller.SERVER,
                ephemeral,
                Instance.of("10.0.0.9", 80).key(),
                before -> new InstanceOverride(8.0, null, Map.of())));
        // Another program deletes the row; the registry must handle this after an uncertain write as well.
        write(
                new NamingWrite.RemoveInstance(SERVICE, ADDRESS),
                new NamingWrite.RemoveService(OTHER),
                new NamingWrite.SaveOverride(SERVICE, ADDRESS, InstanceOverride.NONE),
                new NamingWrite.SaveInstance(SERVICE, persistent("10.0.0.3", 8080, "DEFAULT")));

        store.naming.reload();

        assertThat(store.shown())
                .containsExactlyInAnyOrder(
                        new InstanceKey("10.0.0.2", 8080, "DEFAULT"), new InstanceKey("10.0.0.3", 8080, "DEFAULT"));
        assertThat(store.registry.reads().snapshot(ephemeral).instances())
                .containsExactly(Instance.of("10.0.0.9", 80).withWeight(8));
        assertThat(store.naming.overrides(SERVICE)).isEmpty();
        assertThat(store.registry.reads().snapshot(OTHER).settings()).isEqualTo(ServiceSettings.ofKind(false));
        TestStore.get(store.naming.removeService(Caller.SERVER, OTHER));
        reopen();
        store.naming.load();
        assertThat(store.shown()).hasSize(2);
    }

    @Test
    void keepsChangesOfTwoNodesToDifferentFields() throws Exception {
        int times = 40;
        Instance stored = persistent("10.0.0.1", 8080, "DEFAULT");
        TestStore.get(store.naming.register(Caller.SERVER, SERVICE, stored));
        TestStore.get(store.naming.createService(Caller.SERVER, OTHER, ServiceSettings.ofKind(false)));
        Store other = new Store();
        other.writer.start();
        try {
            other.naming.load();
            List<CompletionStage<Void>> changes = new ArrayList<>();
            for (int i = 0; i < times; i++) {
                int number = i;
                for (Store node : List.of(store, other)) {
                    String key = (node == store ? "a-" : "b-") + number;
                    changes.add(node.naming.override(
                            Caller.SERVER, SERVICE, ADDRESS, before -> before.withMetadata(Map.of(key, "1"))));
                    changes.add(node.naming.updateService(
                            Caller.SERVER, OTHER, before -> before.withCluster(key, ClusterSettings.DEFAULT)));
                }
            }
            changes.forEach(TestStore::get);
            TestStore.get(store.naming.register(Caller.SERVER, SERVICE, stored.withWeight(7)));
            TestStore.get(other.naming.setHealthy(Caller.SERVER, SERVICE, ADDRESS, false));

            for (NamingWrite row : store.all()) {
                if (row instanceof NamingWrite.SaveOverride save) {
                    assertThat(save.override().metadata()).hasSize(2 * times);
                } else if (row instanceof NamingWrite.SaveService save) {
                    assertThat(save.settings().clusters()).hasSize(2 * times);
                } else if (row instanceof NamingWrite.SaveInstance save) {
                    assertThat(save.instance().weight()).isEqualTo(7);
                    assertThat(save.instance().healthy()).isFalse();
                }
            }
            assertThat(store.all()).hasSize(3);
        } finally {
            other.close();
        }
    }

    /** The second node does not show the first node's change yet. */
    @Test
    void theSecondOfTwoNodesAnswersLikeASingleServer() throws Exception {
        Store other = new Store();
        other.writer.start();
        try {
            ServiceSettings first = ServiceSettings.ofKind(false).withCluster("a", ClusterSettings.DEFAULT);
            TestStore.get(store.naming.createService(Caller.SERVER, OTHER, first));
            assertFails(
                    NamingException.Fault.SERVICE_EXISTS,
                    other.naming.createService(Caller.SERVER, OTHER, ServiceSettings.ofKind(false)));
            assertThat(store.all()).containsExactly(new NamingWrite.SaveService(OTHER, first));

            other.naming.reload();
            Instance instance = persistent("10.0.0.1", 8080, "DEFAULT");
            TestStore.get(store.naming.register(Caller.SERVER, OTHER, instance));
            assertFails(NamingException.Fault.SERVICE_NOT_EMPTY, other.naming.removeService(Caller.SERVER, OTHER));
            assertThat(store.all()).hasSize(2);

            TestStore.get(store.naming.deregister(Caller.SERVER, OTHER, instance.key()));
            TestStore.get(store.naming.removeService(Caller.SERVER, OTHER));
            assertFails(NamingException.Fault.SERVICE_ABSENT, other.naming.removeService(Caller.SERVER, OTHER));
            assertFails(
                    NamingException.Fault.SERVICE_ABSENT,
                    other.naming.updateService(
                            Caller.SERVER, OTHER, before -> before.withCluster("b", ClusterSettings.DEFAULT)));
            assertThat(store.all()).isEmpty();
        } finally {
            other.close();
        }
    }

    private static void assertFails(NamingException.Fault fault, CompletionStage<Void> change) {
        assertThat(change.toCompletableFuture())
                .failsWithin(PATIENCE)
                .withThrowableThat()
                .havingCause()
                .isInstanceOfSatisfying(
                        NamingException.class, e -> assertThat(e.fault()).isEqualTo(fault));
    }

    @Test
    void serviceOfWhichNothingIsLeftIsRemovedOnlyAsItIsKnown() {
        ServiceSettings known = new ServiceSettings(true, 0.75, Map.of("a", "1"), LabelSelector.NONE, Map.of());
        NamingChange.ExpireService expired = new NamingChange.ExpireService(SERVICE, known);
        List<List<NamingWrite>> written = new ArrayList<>();
        Runnable expires = () -> TestStore.get(store.store.change(List.of(expired), Caller.SERVER, written::add));

        expires.run();
        write(new NamingWrite.SaveService(SERVICE, ServiceSettings.ofKind(true)));
        expires.run();
        write(
                new NamingWrite.SaveService(SERVICE, known),
                new NamingWrite.SaveOverride(SERVICE, ADDRESS, new InstanceOverride(0.5, null, Map.of())));
        expires.run();
        write(
                new NamingWrite.SaveOverride(SERVICE, ADDRESS, InstanceOverride.NONE),
                new NamingWrite.SaveInstance(SERVICE, persistent("10.0.0.1", 8080, "DEFAULT")));
        expires.run();
        assertThat(written).allMatch(List::isEmpty).hasSize(4);

        write(new NamingWrite.RemoveInstance(SERVICE, ADDRESS));
        expires.run();
        assertThat(written.get(4)).containsExactly(new NamingWrite.RemoveService(SERVICE));
        assertThat(store.all()).isEmpty();
    }

    @Test
    void aChangeWithoutDifferenceWritesNothing() {
        NamingChange.ChangeOverride change =
                new NamingChange.ChangeOverride(SERVICE, ADDRESS, before -> before.withMetadata(Map.of("a", "1")));
        List<List<NamingWrite>> written = new ArrayList<>();
        TestStore.get(store.store.change(List.of(change, change), Caller.SERVER, written::add));
        TestStore.get(store.store.change(List.of(change), Caller.SERVER, written::add));

        assertThat(written)
                .containsExactly(
                        List.of(new NamingWrite.SaveOverride(
                                SERVICE, ADDRESS, new InstanceOverride(null, null, Map.of("a", "1")))),
                        List.of());
    }

    @Test
    void reloadsOnlyTheGivenServices() throws Exception {
        Store other = new Store();
        other.writer.start();
        try {
            for (ServiceKey service : List.of(SERVICE, OTHER)) {
                TestStore.get(other.naming.register(Caller.SERVER, service, persistent("10.0.0.1", 8080, "DEFAULT")));
                TestStore.get(other.naming.override(
                        Caller.SERVER, service, ADDRESS, before -> new InstanceOverride(3.0, null, Map.of())));
            }
            TestStore.get(other.naming.change(Caller.SERVER, "pushEnabled", "false", false));

            store.naming.reload(Set.of(SERVICE));

            assertThat(store.shown()).containsExactly(ADDRESS);
            assertThat(store.registry
                            .reads()
                            .snapshot(SERVICE)
                            .instances()
                            .get(0)
                            .weight())
                    .isEqualTo(3);
            assertThat(store.registry.reads().find(OTHER)).isNull();
            assertThat(store.registry.switches().pushEnabled()).isTrue();

            TestStore.get(other.naming.deregister(Caller.SERVER, SERVICE, ADDRESS));
            TestStore.get(other.naming.override(Caller.SERVER, SERVICE, ADDRESS, before -> InstanceOverride.NONE));
            TestStore.get(other.naming.deregister(Caller.SERVER, OTHER, ADDRESS));
            store.naming.reload(Set.of(SERVICE, OTHER));
            assertThat(store.shown()).isEmpty();
            assertThat(store.naming.overrides(SERVICE)).isEmpty();
            assertThat(store.naming.overrides(OTHER)).isNotEmpty();

            store.naming.reloadSwitches(Set.of("another"));
            assertThat(store.registry.switches().pushEnabled()).isTrue();
            store.naming.reloadSwitches(Set.of("pushEnabled"));
            assertThat(store.registry.switches().pushEnabled()).isFalse();
        } finally {
            other.close();
        }
    }

    private void write(NamingWrite... writes) {
        TestStore.get(store.store.write(List.of(writes), Caller.SERVER, () -> {}));
    }

    private static Instance persistent(String ip, int port, String cluster) {
        return new Instance(new InstanceKey(ip, port, cluster), 1, true, true, false, Map.of(), null);
    }

    private static Map<String, String> inOrder(String... keysAndValues) {
        Map<String, String> map = new LinkedHashMap<>();
        for (int i = 0; i < keysAndValues.length; i += 2) {
            map.put(keysAndValues[i], keysAndValues[i + 1]);
        }
        return map;
    }

    /** The store with its writer and its registry, assembled as in the server. */
    private final class Store {

        final RegistryParts registry = RegistryParts.of(
                new NamingSettings(Duration.ofMinutes(1), Duration.ofMinutes(1), Duration.ofSeconds(15), true),
                new Switches(),
                timer,
                Clock.systemUTC());
        final ReadConnections readers;
        final StoreWriter writer;
        final JdbcNamingStore store;
        final StoredNaming naming;

        Store() throws Exception {
            TestDatabase database = database(folder);
            connections = new FaultyConnections(database.writer());
            readers = new ReadConnections(database.reader(), database.dialect());
            writer = new StoreWriter(
                    connections,
                    database.dialect(),
                    Clock.systemUTC(),
                    TestStore.LIMITS,
                    new StoreMeters(new SimpleMeterRegistry()),
                    this::reload);
            store = new JdbcNamingStore(writer, readers);
            naming = new StoredNaming(registry, store, new StoredNaming.PersistentInstances() {});
        }

        private void reload() {
            naming.reload();
        }

        List<NamingWrite> all() {
            List<NamingWrite> all = new ArrayList<>();
            store.forEach(all::add);
            return all;
        }

        List<InstanceKey> shown() {
            return registry.reads().snapshot(SERVICE).instances().stream()
                    .map(Instance::key)
                    .toList();
        }

        void close() {
            writer.close();
            readers.close();
        }
    }
}
