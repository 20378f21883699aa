package io.cairn.server.naming;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.api.config.Namespace;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.naming.lease.KnownService;
import io.cairn.server.naming.registry.Publisher;
import io.cairn.server.naming.stored.InstanceMemory;
import io.cairn.server.naming.stored.LastKnownInstances;
import io.cairn.server.naming.stored.RegistryParts;
import io.cairn.server.naming.stored.StoredNaming;
import io.cairn.server.naming.switches.Switches;
import io.netty.util.HashedWheelTimer;
import java.time.Clock;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LastKnownInstancesTest {

    private static final Instance ONE = Instance.of("10.0.0.1", 80);
    private static final Instance PERSISTENT =
            new Instance(new InstanceKey("10.0.0.3", 80, "DEFAULT"), 1, true, true, false, Map.of(), null);
    private static final Instance TWO = Instance.of("10.0.0.2", 80);

    private final HashedWheelTimer timer = new HashedWheelTimer();
    private final MapMemory memory = new MapMemory();
    private final RegistryParts naming = RegistryParts.of(
            new NamingSettings(Duration.ofMinutes(1), Duration.ofMinutes(1), Duration.ofSeconds(15), true),
            new Switches(),
            timer,
            Clock.systemUTC());
    private final StoredNaming stored =
            new StoredNaming(naming, new MapStore(), new StoredNaming.PersistentInstances() {});
    private final LastKnownInstances lastKnown = new LastKnownInstances(naming, stored, memory);

    @AfterEach
    void stop() {
        lastKnown.close();
        timer.stop();
    }

    private void start() {
        naming.registry().follow(lastKnown);
        lastKnown.recover();
        lastKnown.start();
    }

    @Test
    void discardedMemoryIsEmptyAndNothingOfItIsListed() {
        memory.save(List.of(new KnownService(
                service("a"), List.of(new KnownService.Connected(ONE, "")), List.of(TWO), List.of(PERSISTENT.key()))));
        lastKnown.discard();

        assertThat(naming.reads().serviceCount()).isZero();
        memory.forEach(known -> assertThat(known.isEmpty()).as("%s", known).isTrue());
    }

    @Test
    void savesRegisteredInstancesAndDeletesRemovedOnes() {
        start();
        register("a", ONE);
        naming.leases().register(service("a"), TWO);
        register("b", ONE);
        await().until(() -> memory.saved.size() == 2);
        assertThat(memory.saved.get(service("a")))
                .isEqualTo(new KnownService(service("a"), known(ONE), List.of(TWO), List.of()));

        naming.recovery().connectionClosed("a", false);
        naming.recovery().connectionClosed("b", false);

        await().until(() -> memory.saved.equals(
                Map.of(service("a"), new KnownService(service("a"), List.of(), List.of(TWO), List.of()))));
    }

    @Test
    void ofPersistentInstancesItIsOnlyNotedWhichAreUnhealthy() {
        start();
        naming.stored().applyPersistent(service("p"), PERSISTENT);
        register("a", ONE);
        await().until(() -> memory.saved.containsKey(service("a")));
        assertThat(memory.saved).doesNotContainKey(service("p"));

        naming.health().setHealthy(service("p"), PERSISTENT.key(), false);
        await().until(() -> memory.saved.containsKey(service("p")));
        assertThat(memory.saved.get(service("p")))
                .isEqualTo(new KnownService(service("p"), List.of(), List.of(), List.of(PERSISTENT.key())));

        naming.health().setHealthy(service("p"), PERSISTENT.key(), true);
        await().until(() -> !memory.saved.containsKey(service("p")));
    }

    @Test
    void restoresHealthFoundByChecksButNotHealthSetByHand() {
        ClusterSettings byHand = new ClusterSettings("{\"type\":\"NONE\"}", 80, true, Map.of());
        naming.stored()
                .applySettings(
                        service("hand"),
                        ServiceSettings.ofKind(false)
                                .withCluster(PERSISTENT.key().cluster(), byHand));
        ClusterSettings nowhere = new ClusterSettings("{\"type\":\"TCP\"}", 0, false, Map.of());
        naming.stored()
                .applySettings(
                        service("nowhere"),
                        ServiceSettings.ofKind(false)
                                .withCluster(PERSISTENT.key().cluster(), nowhere));
        for (String name : List.of("hand", "nowhere", "checked", "ephemeral")) {
            memory.saved.put(
                    service(name),
                    new KnownService(service(name), List.of(), List.of(), List.of(PERSISTENT.key(), TWO.key())));
        }
        naming.stored().applyPersistent(service("nowhere"), PERSISTENT);
        naming.stored().applyPersistent(service("hand"), PERSISTENT);
        naming.stored().applyPersistent(service("checked"), PERSISTENT);
        register("ephemeral", TWO);

        start();

        assertThat(naming.reads().snapshot(service("hand")).instances()).containsExactly(PERSISTENT);
        assertThat(naming.reads().snapshot(service("nowhere")).instances()).containsExactly(PERSISTENT);
        assertThat(naming.reads().snapshot(service("checked")).instances())
                .containsExactly(PERSISTENT.withHealthy(false));
        assertThat(naming.reads().snapshot(service("ephemeral")).instances()).containsExactly(TWO);
    }

    @Test
    void disabledChecksLeaveNoInstanceUnhealthy() {
        naming.switches().restore("check", "false");
        memory.saved.put(service("a"), new KnownService(service("a"), List.of(), List.of(), List.of(PERSISTENT.key())));
        naming.stored().applyPersistent(service("a"), PERSISTENT);

        start();

        assertThat(naming.reads().snapshot(service("a")).instances()).containsExactly(PERSISTENT);
    }

    @Test
    void manyChangesOfOneServiceAreOneWrite() {
        start();
        for (int i = 0; i < 2_000; i++) {
            register("a", ONE.withWeight(i));
        }

        lastKnown.close();

        assertThat(memory.saved.get(service("a")).ofConnections()).isEqualTo(known(ONE.withWeight(1_999)));
        assertThat(memory.writes).hasValueLessThan(100);
        assertThat(memory.closed).isTrue();
    }

    @Test
    void closingWritesWhatIsDue() {
        start();
        register("a", ONE);
        await().until(() -> memory.writes.get() == 1);
        register("b", TWO);

        lastKnown.close();
        lastKnown.close();

        assertThat(memory.saved).containsOnlyKeys(service("a"), service("b"));
        assertThat(memory.closed).isTrue();
    }

    @Test
    void retriesAFailedWrite() {
        memory.fails = true;
        start();
        register("a", ONE);
        await().until(() -> memory.writes.get() > 0);
        register("b", TWO);
        memory.fails = false;

        await().until(() -> memory.saved.keySet().containsAll(List.of(service("a"), service("b"))));
    }

    @Test
    void skipsRowsThatDoNotFitAndLoadsTheOthers() {
        memory.saved.put(service("p"), new KnownService(service("p"), known(ONE), List.of(), List.of()));
        memory.saved.put(service("a"), new KnownService(service("a"), known(ONE), List.of(TWO), List.of()));
        naming.stored().applySettings(service("p"), ServiceSettings.ofKind(false));

        start();

        assertThat(naming.reads().snapshot(service("a")).instances()).containsExactlyInAnyOrder(ONE, TWO);
        assertThat(naming.reads().snapshot(service("p")).instances()).isEmpty();
        assertThat(naming.leases().beat(service("a"), TWO.key(), null).known()).isTrue();
    }

    @Test
    void rememberedInstancesSurviveASecondRestart() {
        memory.saved.put(service("a"), new KnownService(service("a"), known(ONE, TWO), List.of(), List.of()));
        start();
        register("a", TWO.withWeight(3));
        naming.registry().freeze();

        lastKnown.close();

        assertThat(memory.saved.get(service("a")).ofConnections()).isEqualTo(known(ONE, TWO.withWeight(3)));
    }

    private static List<KnownService.Connected> known(Instance... instances) {
        return Stream.of(instances)
                .map(instance -> new KnownService.Connected(instance, ""))
                .toList();
    }

    private void register(String service, Instance instance) {
        naming.registrations()
                .register(
                        naming.registry().connection(service, new Publisher.Client("", 0, "", "")),
                        service(service),
                        List.of(instance));
    }

    private static ServiceKey service(String name) {
        return new ServiceKey(Namespace.DEFAULT, "DEFAULT_GROUP", name);
    }

    private static final class MapMemory implements InstanceMemory {

        private final Map<ServiceKey, KnownService> saved = new ConcurrentHashMap<>();
        private final AtomicInteger writes = new AtomicInteger();
        private volatile boolean fails;
        private volatile boolean closed;

        @Override
        public void forEach(Consumer<KnownService> consumer) {
            saved.values().forEach(consumer);
        }

        @Override
        public void save(Collection<KnownService> services) {
            writes.incrementAndGet();
            if (fails) {
                throw new CairnException(ErrorCode.UNAVAILABLE, "the disk is full, for a test");
            }
            for (KnownService known : services) {
                if (known.isEmpty()) {
                    saved.remove(known.service());
                } else {
                    saved.put(known.service(), known);
                }
            }
        }

        @Override
        public void close() {
            closed = true;
        }
    }
}
