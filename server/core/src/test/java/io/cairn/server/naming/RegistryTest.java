package io.cairn.server.naming;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cairn.api.config.Namespace;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.auth.Caller;
import io.cairn.server.naming.label.LabelSelector;
import io.cairn.server.naming.lease.KnownService;
import io.cairn.server.naming.registry.Publisher;
import io.cairn.server.naming.registry.ServiceListener;
import io.cairn.server.naming.stored.NamingWrite;
import io.cairn.server.naming.stored.RegistryParts;
import io.cairn.server.naming.stored.StoredNaming;
import io.cairn.server.naming.switches.Switches;
import io.cairn.server.naming.view.ServiceSnapshot;
import io.cairn.server.naming.view.ServiceView;
import io.cairn.server.testing.HandDrivenLoop;
import io.cairn.server.testing.SettableClock;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Single rules of the registry, which the random steps of {@link RegistryModelTest} would not name. */
class RegistryTest {

    private static final ServiceKey SERVICE = new ServiceKey(Namespace.DEFAULT, "DEFAULT_GROUP", "orders");
    private static final Instance ONE = Instance.of("10.0.0.1", 80);
    private static final Instance TWO = Instance.of("10.0.0.2", 80);
    private static final Instance PERSISTENT =
            new Instance(new InstanceKey("10.0.0.3", 80, "DEFAULT"), 1, true, true, false, Map.of(), null);

    private static final Instance PERSISTENT_TWO =
            new Instance(new InstanceKey("10.0.0.4", 80, "DEFAULT"), 1, true, true, false, Map.of(), null);

    private final HandDrivenLoop loop = new HandDrivenLoop();
    private final MapStore store = new MapStore();
    private final RegistryParts naming = naming(true);
    private final StoredNaming stored = new StoredNaming(naming, store, new StoredNaming.PersistentInstances() {});
    private final List<ServiceListener.Presence> heard = new ArrayList<>();

    private RegistryParts naming(boolean expireInstances) {
        return naming(expireInstances, Clock.fixed(Instant.ofEpochMilli(1_000), ZoneOffset.UTC));
    }

    private RegistryParts naming(boolean expireInstances, Clock clock) {
        return RegistryParts.of(
                new NamingSettings(
                        Duration.ofSeconds(60), Duration.ofSeconds(60), Duration.ofSeconds(15), expireInstances),
                new Switches(),
                loop,
                clock,
                loop::nanoTime);
    }

    private Publisher connection(String id) {
        return naming.registry().connection(id, new Publisher.Client("10.0.0.1", 0, "", ""));
    }

    @Test
    void silentInstanceIsUnhealthyAfter15SecondsAndRemovedAfter30() throws Exception {
        naming.leases().register(SERVICE, ONE);
        loop.pass(Duration.ofSeconds(14));
        assertThat(naming.leases().beat(SERVICE, ONE.key(), null)).isEqualTo(new BeatResult(true, 0));
        loop.pass(Duration.ofMillis(14_999));
        assertThat(naming.reads().snapshot(SERVICE).instances()).containsExactly(ONE);

        loop.pass(Duration.ofMillis(1));
        assertThat(naming.reads().snapshot(SERVICE).instances()).containsExactly(ONE.withHealthy(false));
        loop.pass(Duration.ofMillis(14_999));
        assertThat(naming.reads().snapshot(SERVICE).instances()).hasSize(1);
        loop.pass(Duration.ofMillis(1));

        assertThat(naming.reads().snapshot(SERVICE).instances()).isEmpty();
        assertThat(naming.leases().beat(SERVICE, ONE.key(), null).known()).isFalse();
        assertThat(naming.reads().publishers()).isEmpty();
    }

    @Test
    void keepsInstanceThatRegistersAgainDuringItsRemoval() throws Exception {
        AtomicReference<Runnable> meanwhile = new AtomicReference<>(() -> {});
        long start = loop.nanoTime();
        RegistryParts raced = RegistryParts.of(
                new NamingSettings(Duration.ofSeconds(60), Duration.ofSeconds(60), Duration.ofSeconds(15), true),
                new Switches(),
                loop,
                Clock.systemUTC(),
                () -> {
                    long now = loop.nanoTime();
                    if (now - start >= Duration.ofSeconds(30).toNanos()) {
                        meanwhile.getAndSet(() -> {}).run();
                    }
                    return now;
                });
        raced.leases().register(SERVICE, ONE);
        AtomicInteger registered = new AtomicInteger();
        meanwhile.set(() -> {
            raced.leases().register(SERVICE, ONE);
            registered.incrementAndGet();
        });

        loop.pass(Duration.ofSeconds(30));

        assertThat(registered).hasValue(1);
        assertThat(raced.reads().snapshot(SERVICE).instances()).containsExactly(ONE);
    }

    @Test
    void removesInstanceWhoseDeleteTimeoutIsShorterThanItsBeatTimeout() throws Exception {
        naming.leases()
                .register(
                        SERVICE,
                        ONE.withMetadata(Map.of(
                                Instance.BEAT_INTERVAL,
                                "1000",
                                Instance.BEAT_TIMEOUT,
                                "9000",
                                Instance.DELETE_TIMEOUT,
                                "3000")));

        loop.pass(Duration.ofSeconds(3));

        assertThat(naming.reads().snapshot(SERVICE).instances()).isEmpty();
    }

    @Test
    void instanceThatFallsSilentAgainIsUnhealthyAgainInTime() throws Exception {
        naming.leases()
                .register(
                        SERVICE,
                        ONE.withMetadata(Map.of(
                                Instance.BEAT_INTERVAL,
                                "1000",
                                Instance.BEAT_TIMEOUT,
                                "2000",
                                Instance.DELETE_TIMEOUT,
                                "60000")));
        loop.pass(Duration.ofSeconds(3));
        assertThat(onlyIsHealthy()).isFalse();

        naming.leases().beat(SERVICE, ONE.key(), null);
        loop.pass(Duration.ofMillis(1_999));
        assertThat(onlyIsHealthy()).isTrue();
        loop.pass(Duration.ofMillis(1));
        assertThat(onlyIsHealthy()).isFalse();

        loop.pass(Duration.ofMillis(57_999));
        assertThat(onlyIsHealthy()).isFalse();
        loop.pass(Duration.ofMillis(1));
        assertThat(naming.reads().snapshot(SERVICE).instances()).isEmpty();
        assertThat(loop.waits())
                .as("the loss is logged, and the empty service is removed; no check of the lease is left")
                .containsExactly(Duration.ofSeconds(1), Duration.ofSeconds(60));
    }

    @Test
    void withoutExpiryInstancesStayUnhealthyUntilTheirNextHeartbeat() throws Exception {
        RegistryParts keeping = naming(false);
        keeping.leases().register(SERVICE, ONE);
        loop.pass(Duration.ofHours(1));
        assertThat(keeping.reads().snapshot(SERVICE).instances()).containsExactly(ONE.withHealthy(false));

        keeping.leases().beat(SERVICE, ONE.key(), null);
        assertThat(keeping.reads().snapshot(SERVICE).instances()).containsExactly(ONE);
        loop.pass(Duration.ofSeconds(30));
        assertThat(keeping.reads().snapshot(SERVICE).instances()).containsExactly(ONE.withHealthy(false));

        keeping.recovery().deregisterOverHttp(SERVICE, ONE.key(), LossCause.DEREGISTERED);
        loop.pass(Duration.ofHours(1));
        assertThat(loop.waits()).isEmpty();
    }

    @Test
    void instanceThatWasUnhealthyBeforeARestartIsHealthyWithItsNextHeartbeat() {
        naming.recovery().recover(new KnownService(SERVICE, List.of(), List.of(ONE.withHealthy(false)), List.of()));
        assertThat(naming.reads().snapshot(SERVICE).instances()).containsExactly(ONE.withHealthy(false));

        naming.leases().beat(SERVICE, ONE.key(), null);

        assertThat(naming.reads().snapshot(SERVICE).instances()).containsExactly(ONE);
    }

    @Test
    void instanceThatAnOperatorSetUnhealthyIsHealthyWithItsNextHeartbeat() {
        naming.leases().register(SERVICE, ONE);
        naming.health().setHealthy(SERVICE, ONE.key(), false);
        assertThat(naming.reads().snapshot(SERVICE).instances()).containsExactly(ONE.withHealthy(false));

        naming.leases().beat(SERVICE, ONE.key(), null);

        assertThat(naming.reads().snapshot(SERVICE).instances()).containsExactly(ONE);
    }

    @Test
    void overriddenMetadataDeterminesTheHeartbeatTimeouts() throws Exception {
        naming.leases().register(SERVICE, ONE);
        join(stored.override(
                Caller.SERVER,
                SERVICE,
                ONE.key(),
                before -> before.withMetadata(Map.of(
                        Instance.BEAT_INTERVAL, "1000",
                        Instance.BEAT_TIMEOUT, "2000",
                        Instance.DELETE_TIMEOUT, "4000"))));

        assertThat(naming.leases().beat(SERVICE, ONE.key(), null)).isEqualTo(new BeatResult(true, 1_000));
        loop.pass(Duration.ofMillis(1_999));
        assertThat(onlyIsHealthy()).isTrue();
        loop.pass(Duration.ofMillis(1));
        assertThat(onlyIsHealthy()).isFalse();
        loop.pass(Duration.ofSeconds(2));
        assertThat(naming.reads().snapshot(SERVICE).instances()).isEmpty();

        naming.leases().register(SERVICE, ONE);
        loop.pass(Duration.ofSeconds(3));
        assertThat(onlyIsHealthy())
                .as("also for an instance that registers again")
                .isFalse();
        join(stored.override(Caller.SERVER, SERVICE, ONE.key(), before -> InstanceOverride.NONE));
        assertThat(naming.leases().beat(SERVICE, ONE.key(), null)).isEqualTo(new BeatResult(true, 0));
        loop.pass(Duration.ofMillis(14_999));
        assertThat(onlyIsHealthy()).as("until the override is removed").isTrue();
        loop.pass(Duration.ofMillis(1));
        assertThat(onlyIsHealthy()).isFalse();
        loop.pass(Duration.ofHours(1));
        assertThat(loop.waits()).isEmpty();
    }

    private boolean onlyIsHealthy() {
        List<Instance> instances = naming.reads().snapshot(SERVICE).instances();
        assertThat(instances).hasSize(1);
        return instances.get(0).healthy();
    }

    @Test
    void heartbeatAnswerHasTheIntervalOfTheMetadata() {
        naming.leases().register(SERVICE, ONE.withMetadata(Map.of(Instance.BEAT_INTERVAL, "7000")));

        assertThat(naming.leases().beat(SERVICE, ONE.key(), null)).isEqualTo(new BeatResult(true, 7_000));
        assertThat(naming.leases().beat(SERVICE, TWO.key(), null)).isEqualTo(new BeatResult(false, 0));
        assertThat(naming.leases().beat(SERVICE, TWO.key(), TWO)).isEqualTo(new BeatResult(true, 0));
        assertThat(naming.reads().snapshot(SERVICE).size()).isEqualTo(2);
    }

    @Test
    void firstListOfAServiceIsLaterThanTheEmptyListBeforeIt() {
        long empty = naming.reads().snapshot(SERVICE).refMillis();

        naming.registrations().register(connection("a"), SERVICE, List.of(ONE));

        assertThat(naming.reads().snapshot(SERVICE).refMillis()).isGreaterThan(empty);
    }

    @Test
    void listIsRenewedAfterHalfOfItsCacheTime() {
        SettableClock clock = new SettableClock();
        RegistryParts timed = naming(true, clock);
        timed.leases().register(SERVICE, ONE);
        ServiceView first = timed.reads().view(SERVICE, "", false);

        clock.advance(Duration.ofSeconds(5));
        assertThat(timed.reads().view(SERVICE, "", false)).as("not renewed yet").isSameAs(first);

        clock.advance(Duration.ofMillis(1));
        ServiceView later = timed.reads().view(SERVICE, "", false);
        assertThat(later.snapshot().refMillis()).isEqualTo(clock.millis());
        assertThat(later.snapshot().version()).isEqualTo(first.snapshot().version());
        assertThat(later.showsTheSameAs(first)).isTrue();
        assertThat(timed.reads().view(SERVICE, "", false)).as("renewed once").isSameAs(later);

        timed.leases().register(SERVICE, TWO);
        assertThat(timed.reads().view(SERVICE, "", false).snapshot().refMillis())
                .as("a change of the same millisecond is later")
                .isGreaterThan(clock.millis());
    }

    @Test
    void listIsNotRenewedWhenTheClockGoesBack() {
        SettableClock clock = new SettableClock();
        RegistryParts timed = naming(true, clock);
        timed.leases().register(SERVICE, ONE);
        ServiceView first = timed.reads().view(SERVICE, "", false);

        clock.advance(Duration.ofMinutes(-1));

        assertThat(timed.reads().view(SERVICE, "", false)).isSameAs(first);
    }

    @Test
    void registrationWithoutAChangeNotifiesNoListener() {
        naming.registrations().register(connection("a"), SERVICE, List.of(ONE));
        naming.registry().follow((service, presence) -> heard.add(presence));
        ServiceSnapshot before = naming.reads().snapshot(SERVICE);

        naming.registrations().register(connection("a"), SERVICE, List.of(ONE.withMetadata(Map.of())));

        assertThat(heard).isEmpty();
        assertThat(naming.reads().snapshot(SERVICE)).isSameAs(before);
    }

    @Test
    void serviceWithoutInstancesIsRemovedAfterAMinuteAndListenersAreNotified() throws Exception {
        List<ServiceKey> removed = new ArrayList<>();
        naming.registry().follow(new ServiceListener() {
            @Override
            public void changed(ServiceKey service, Presence presence) {
                heard.add(presence);
            }

            @Override
            public void removed(ServiceKey service) {
                removed.add(service);
            }
        });
        naming.registrations().register(connection("a"), SERVICE, List.of(ONE));
        naming.recovery().connectionClosed("a", false);

        loop.pass(Duration.ofMillis(59_999));
        assertThat(removed).isEmpty();
        loop.pass(Duration.ofMillis(1));

        assertThat(removed).containsExactly(SERVICE);
        assertThat(naming.reads().serviceCount()).isZero();
        assertThat(heard).containsExactly(ServiceListener.Presence.APPEARED, ServiceListener.Presence.EMPTIED);
    }

    @Test
    void latestOfTwoRegistrationsOfAnInstanceIsShownUntilItsConnectionCloses() {
        naming.registrations().register(connection("a"), SERVICE, List.of(ONE.withWeight(1)));
        naming.registrations().register(connection("b"), SERVICE, List.of(ONE.withWeight(2)));
        assertThat(naming.reads().snapshot(SERVICE).instances()).containsExactly(ONE.withWeight(2));
        assertThat(naming.reads().instanceCount()).isEqualTo(2);
        assertThat(naming.recovery().known(SERVICE)).isEqualTo(known("", ONE.withWeight(2)));

        naming.registrations().register(connection("a"), SERVICE, List.of(ONE.withWeight(3)));
        assertThat(naming.recovery().known(SERVICE)).isEqualTo(known("", ONE.withWeight(3)));
        naming.recovery().connectionClosed("a", false);

        assertThat(naming.reads().snapshot(SERVICE).instances()).containsExactly(ONE.withWeight(2));
    }

    @Test
    void refusesRegistrationOfAClosedConnection() {
        Publisher publisher = connection("a");
        naming.recovery().connectionClosed("a", false);

        assertThatThrownBy(() -> naming.registrations().register(publisher, SERVICE, List.of(ONE)))
                .isInstanceOfSatisfying(CairnException.class, failure -> assertThat(failure.code())
                        .isEqualTo(ErrorCode.UNAVAILABLE));
        assertThat(naming.reads().publishers()).isEmpty();
        assertThat(naming.reads().instanceCount()).isZero();
    }

    @Test
    void frozenRegistryDoesNotChange() throws Exception {
        naming.registrations().register(connection("a"), SERVICE, List.of(ONE));
        naming.leases().register(SERVICE, TWO);
        naming.recovery().recover(known("", Instance.of("10.0.0.9", 80)));
        naming.recovery().startRecoveryWindow();
        naming.registry().follow((service, presence) -> heard.add(presence));

        naming.registry().freeze();
        naming.recovery().connectionClosed("a", false);
        loop.pass(Duration.ofHours(1));

        assertThat(naming.reads().snapshot(SERVICE).size()).isEqualTo(3);
        assertThat(heard).isEmpty();
        assertThatThrownBy(() -> naming.leases().register(SERVICE, ONE)).isInstanceOf(CairnException.class);
        assertThatThrownBy(() -> naming.recovery().deregisterOverHttp(SERVICE, TWO.key(), LossCause.DEREGISTERED))
                .isInstanceOf(CairnException.class);
        assertThatThrownBy(() -> naming.recovery().forgetRecovered(SERVICE, ONE.key()))
                .isInstanceOf(CairnException.class);
    }

    @Test
    void instancesFromBeforeARestartAreShownForTheRecoveryTimeOfTheirSdk() throws Exception {
        Instance python = Instance.of("10.0.0.8", 80);
        Instance rust = Instance.of("10.0.0.9", 80);
        naming.recovery()
                .recover(new KnownService(
                        SERVICE,
                        List.of(
                                new KnownService.Connected(ONE, "Nacos-Java-Client:v2.5.1"),
                                new KnownService.Connected(TWO, ""),
                                new KnownService.Connected(python, "Nacos-Python-Client:v3.2.0"),
                                new KnownService.Connected(rust, "Nacos-Rust-Client:0.8.3")),
                        List.of(),
                        List.of()));
        naming.recovery().startRecoveryWindow();

        loop.pass(Duration.ofMillis(14_999));
        assertThat(naming.reads().snapshot(SERVICE).instances()).containsExactlyInAnyOrder(ONE, TWO, python, rust);
        loop.pass(Duration.ofMillis(1));
        assertThat(naming.reads().snapshot(SERVICE).instances()).containsExactlyInAnyOrder(python, rust);
        loop.pass(Duration.ofSeconds(30));
        assertThat(naming.reads().snapshot(SERVICE).instances()).containsExactly(rust);
        loop.pass(Duration.ofSeconds(45));
        assertThat(naming.reads().snapshot(SERVICE).instances()).isEmpty();
    }

    /**
     * The official Java client connects twice after an orderly restart: it was asked to move, and then its connection ended. It may
     * register some services on the first connection, which it closes at once.
     */
    @Test
    void rememberedInstanceStaysWhenTheConnectionThatHasRegisteredItEnds() throws Exception {
        naming.recovery().recover(known("Nacos-Java-Client:v2.5.1", ONE, TWO));
        naming.recovery().startRecoveryWindow();
        naming.registry().follow((service, presence) -> heard.add(presence));

        naming.registrations().register(connection("a"), SERVICE, List.of(ONE));
        naming.recovery().connectionClosed("a", false);
        assertThat(naming.reads().snapshot(SERVICE).instances()).containsExactlyInAnyOrder(ONE, TWO);
        assertThat(naming.reads().publishers()).isEmpty();

        loop.pass(Duration.ofSeconds(3));
        naming.registrations().register(connection("b"), SERVICE, List.of(ONE));
        assertThat(naming.reads().snapshot(SERVICE).instances()).containsExactlyInAnyOrder(ONE, TWO);
        assertThat(heard).doesNotContain(ServiceListener.Presence.EMPTIED);
        loop.pass(Duration.ofSeconds(15));
        assertThat(naming.reads().snapshot(SERVICE).instances()).containsExactly(ONE);

        naming.recovery().connectionClosed("b", false);
        assertThat(naming.reads().snapshot(SERVICE).instances()).isEmpty();
    }

    @Test
    void rememberedInstanceWhoseClientEndsInTheRecoveryWindowIsListedUntilTheWindowEnds() throws Exception {
        naming.recovery().recover(known("Nacos-Java-Client:v2.5.1", ONE));
        naming.recovery().startRecoveryWindow();
        loop.pass(Duration.ofSeconds(10));
        naming.registrations().register(connection("a"), SERVICE, List.of(ONE));
        naming.recovery().connectionClosed("a", false);

        loop.pass(Duration.ofMillis(14_999));
        assertThat(naming.reads().snapshot(SERVICE).instances()).containsExactly(ONE);
        loop.pass(Duration.ofMillis(1));
        assertThat(naming.reads().snapshot(SERVICE).instances()).isEmpty();
        assertThat(naming.reads().losses().count(LossCause.CONNECTION_CLOSED)).isOne();
    }

    @Test
    void rememberedInstancesAreListedWhileOtherClientsReturn() throws Exception {
        naming.recovery()
                .recover(new KnownService(
                        SERVICE,
                        List.of(
                                new KnownService.Connected(ONE, "Nacos-Java-Client:v2.5.1"),
                                new KnownService.Connected(TWO, "Nacos-Java-Client:v2.5.1")),
                        List.of(Instance.of("10.0.0.5", 80)),
                        List.of()));
        List<ServiceKey> returning = IntStream.range(0, 4)
                .mapToObj(i -> new ServiceKey(Namespace.DEFAULT, "DEFAULT_GROUP", "s" + i))
                .toList();
        returning.forEach(service -> naming.recovery()
                .recover(
                        new KnownService(service, List.of(new KnownService.Connected(ONE, "")), List.of(), List.of())));
        naming.recovery().startRecoveryWindow();

        for (ServiceKey service : returning) {
            loop.pass(Duration.ofSeconds(14));
            naming.registrations().register(connection("back"), service, List.of(ONE));
        }
        loop.pass(Duration.ofMillis(14_999));
        assertThat(naming.reads().snapshot(SERVICE).instances())
                .as("70 s after the start")
                .hasSize(3)
                .allMatch(Instance::healthy);
        loop.pass(Duration.ofMillis(1));
        assertThat(naming.reads().snapshot(SERVICE).instances())
                .containsExactly(Instance.of("10.0.0.5", 80).withHealthy(false));
        loop.pass(Duration.ofSeconds(15));
        assertThat(naming.reads().snapshot(SERVICE).instances()).isEmpty();
        assertThat(naming.reads().losses().count(LossCause.NOT_BACK)).isEqualTo(3);
    }

    @Test
    void rememberedInstancesEndAfterThreeMinutesHoweverManyClientsReturn() throws Exception {
        naming.recovery()
                .recover(new KnownService(
                        SERVICE,
                        List.of(new KnownService.Connected(ONE, "Nacos-Java-Client:v2.5.1")),
                        List.of(TWO),
                        List.of()));
        for (int i = 0; i < 40; i++) {
            naming.recovery()
                    .recover(new KnownService(
                            new ServiceKey(Namespace.DEFAULT, "DEFAULT_GROUP", "s" + i),
                            List.of(),
                            List.of(Instance.of("10.0.1." + i, 80)),
                            List.of()));
        }
        naming.recovery().startRecoveryWindow();
        for (int i = 0; i < 35; i++) {
            naming.leases()
                    .beat(
                            new ServiceKey(Namespace.DEFAULT, "DEFAULT_GROUP", "s" + i),
                            Instance.of("10.0.1." + i, 80).key(),
                            null);
            loop.pass(Duration.ofSeconds(5));
        }
        loop.pass(Duration.ofMillis(4_999));
        assertThat(naming.reads().snapshot(SERVICE).instances()).containsExactlyInAnyOrder(ONE, TWO.withHealthy(false));

        loop.pass(Duration.ofMillis(1));

        assertThat(naming.reads().snapshot(SERVICE).instances()).isEmpty();
    }

    /** Heartbeats of a client that has been back say nothing of the others. */
    @Test
    void heartbeatsOfClientsThatAreBackHoldNothing() throws Exception {
        naming.recovery().recover(known("Nacos-Java-Client:v2.5.1", ONE));
        naming.recovery().startRecoveryWindow();
        naming.leases().register(SERVICE, TWO);
        for (int i = 0; i < 3; i++) {
            loop.pass(Duration.ofSeconds(5));
            naming.leases().beat(SERVICE, TWO.key(), TWO);
            naming.registrations().register(connection("a" + i), SERVICE, List.of(Instance.of("10.0.2." + i, 80)));
        }
        assertThat(naming.reads().snapshot(SERVICE).instances())
                .doesNotContain(ONE)
                .contains(TWO);
    }

    @Test
    void serverThatStopsKeepsWhatWasListedWhenTheStopBegan() throws Exception {
        naming.recovery()
                .recover(new KnownService(
                        SERVICE,
                        List.of(new KnownService.Connected(ONE, "")),
                        List.of(Instance.of("10.0.0.5", 80)),
                        List.of()));
        naming.recovery().startRecoveryWindow();
        naming.leases().register(SERVICE, TWO);
        naming.registrations().register(connection("a"), SERVICE, List.of(Instance.of("10.0.0.6", 80)));
        List<Instance> listed = naming.reads().snapshot(SERVICE).instances();

        naming.registry().keepOnDisconnect();
        naming.recovery().connectionClosed("a", false);
        loop.pass(Duration.ofMinutes(5));

        assertThat(naming.reads().snapshot(SERVICE).instances()).hasSize(4).isEqualTo(listed);
    }

    @Test
    void instanceThatWasNotRememberedEndsWithItsConnectionAlsoInTheRecoveryWindow() {
        naming.recovery().recover(known("Nacos-Java-Client:v2.5.1", ONE));
        naming.recovery().startRecoveryWindow();
        naming.registrations().register(connection("a"), SERVICE, List.of(TWO));

        naming.recovery().connectionClosed("a", false);

        assertThat(naming.reads().snapshot(SERVICE).instances()).containsExactly(ONE);
        assertThat(naming.reads().publisher("a")).isNull();
    }

    @Test
    void remembersTheSdkOfAnInstanceOverASecondRestart() {
        KnownService known = known("Nacos-Python-Client:v3.2.0", ONE);
        naming.recovery().recover(known);

        assertThat(naming.recovery().known(SERVICE)).isEqualTo(known);
        naming.registrations()
                .register(
                        naming.registry().connection("b", new Publisher.Client("", 0, "", "Nacos-Rust-Client:0.8.3")),
                        SERVICE,
                        List.of(ONE));
        assertThat(naming.recovery().known(SERVICE)).isEqualTo(known("Nacos-Rust-Client:0.8.3", ONE));
    }

    @Test
    void serviceHasNoPublisherAfterItsRememberedInstancesAreGone() throws Exception {
        naming.recovery().recover(known("Nacos-Python-Client:v3.2.0", ONE));
        naming.recovery().startRecoveryWindow();

        naming.recovery().forgetRecovered(SERVICE, ONE.key());

        assertThat(naming.reads().publishersOf(SERVICE)).isEmpty();
        naming.stored().applyPersistent(SERVICE, PERSISTENT);
        loop.pass(Duration.ofMinutes(5));
        assertThat(naming.reads().snapshot(SERVICE).instances()).containsExactly(PERSISTENT);
        assertThat(naming.reads().instanceCount()).isOne();
        naming.stored().removePersistent(SERVICE, PERSISTENT.key());
        loop.pass(Duration.ofMinutes(5));
        assertThat(naming.reads().serviceCount()).isZero();
        assertThat(loop.waits()).isEmpty();
    }

    @Test
    void emptyServiceIsRemovedAfterAMinuteDuringTheRecoveryWindow() throws Exception {
        naming.recovery().recover(known("Nacos-Python-Client:v3.2.0", ONE));
        naming.recovery().startRecoveryWindow();
        Publisher back = connection("a");
        naming.registrations().register(back, SERVICE, List.of(ONE));
        loop.pass(Duration.ofSeconds(5));
        naming.registrations().deregister(back, SERVICE);

        loop.pass(Duration.ofSeconds(59));
        assertThat(naming.reads().serviceCount()).isOne();
        loop.pass(Duration.ofSeconds(1));
        assertThat(naming.reads().serviceCount()).isZero();
    }

    @Test
    void deregistrationRemovesARememberedInstanceOfAnyCluster() {
        naming.recovery().recover(known("Nacos-Python-Client:v3.2.0", ONE, TWO));

        naming.recovery()
                .forgetRecovered(
                        SERVICE, new InstanceKey(ONE.key().ip(), ONE.key().port(), "elsewhere"));

        assertThat(naming.reads().snapshot(SERVICE).instances()).containsExactly(TWO);
    }

    @Test
    void deregistrationRemovesARememberedInstance() {
        naming.recovery().recover(known("Nacos-Python-Client:v3.2.0", ONE, TWO));
        naming.registry().follow((service, presence) -> heard.add(presence));

        naming.recovery().forgetRecovered(SERVICE, ONE.key());
        assertThat(naming.reads().snapshot(SERVICE).instances()).containsExactly(TWO);
        assertThat(naming.recovery().known(SERVICE)).isEqualTo(known("Nacos-Python-Client:v3.2.0", TWO));
        naming.recovery().deregisterOverHttp(SERVICE, ONE.key(), LossCause.DEREGISTERED);
        naming.registrations().register(connection("a"), SERVICE, List.of(TWO));
        naming.recovery().forgetRecovered(SERVICE, TWO.key());

        assertThat(naming.reads().snapshot(SERVICE).instances()).containsExactly(TWO);
        assertThat(heard).hasSize(2);
    }

    private static KnownService known(String sdk, Instance... instances) {
        return new KnownService(
                SERVICE,
                Stream.of(instances)
                        .map(instance -> new KnownService.Connected(instance, sdk))
                        .toList(),
                List.of(),
                List.of());
    }

    @Test
    void frozenRegistryShowsACommitThatWasUnderWay() {
        store.hold();
        CompletionStage<Void> registered = stored.register(Caller.SERVER, SERVICE, PERSISTENT);
        naming.registry().freeze();

        assertThat(store.commitNext()).isTrue();

        assertThat(registered.toCompletableFuture()).isCompleted();
        assertThat(naming.reads().snapshot(SERVICE).instances()).containsExactly(PERSISTENT);
    }

    @Test
    void storesChangesOfOneServiceInOrder() {
        store.hold();
        CompletionStage<Void> first =
                stored.override(Caller.SERVER, SERVICE, ONE.key(), before -> before.withMetadata(Map.of("a", "1")));
        CompletionStage<Void> second =
                stored.override(Caller.SERVER, SERVICE, ONE.key(), before -> before.withMetadata(Map.of("b", "2")));

        assertThat(store.commitNext()).isTrue();
        assertThat(first.toCompletableFuture()).isCompleted();
        assertThat(second.toCompletableFuture()).isNotDone();
        assertThat(store.commitNext()).isTrue();
        assertThat(second.toCompletableFuture()).isCompleted();

        assertThat(stored.overrides(SERVICE))
                .isEqualTo(Map.of(ONE.key(), new InstanceOverride(null, null, Map.of("a", "1", "b", "2"))));
    }

    @Test
    void failedChangeDoesNotBlockTheNext() {
        store.refuse(true);
        CompletableFuture<Void> first =
                stored.register(Caller.SERVER, SERVICE, PERSISTENT).toCompletableFuture();
        store.refuse(false);
        CompletableFuture<Void> second =
                stored.register(Caller.SERVER, SERVICE, PERSISTENT).toCompletableFuture();

        assertThat(first).isCompletedExceptionally();
        assertThat(second).isCompleted();
    }

    @Test
    void manyQueuedChangesWithoutAWriteDoNotOverflowTheStack() {
        store.hold();
        CompletionStage<Void> slow = stored.register(Caller.SERVER, SERVICE, PERSISTENT);
        List<CompletableFuture<Void>> waiting = IntStream.range(0, 50_000)
                .mapToObj(i ->
                        stored.deregister(Caller.SERVER, SERVICE, ONE.key()).toCompletableFuture())
                .toList();

        assertThat(store.commitNext()).isTrue();

        assertThat(slow.toCompletableFuture()).isCompleted();
        assertThat(waiting).allMatch(each -> each.isDone() && !each.isCompletedExceptionally());
    }

    @Test
    void refusesEphemeralInstanceWhileAPersistentOneIsBeingStored() {
        store.hold();
        CompletionStage<Void> registered = stored.register(Caller.SERVER, SERVICE, PERSISTENT);

        assertThatThrownBy(() -> naming.leases().register(SERVICE, ONE))
                .isInstanceOfSatisfying(CairnException.class, failure -> assertThat(failure.text())
                        .isEqualTo("errCode: 400, errMsg: Current service DEFAULT_GROUP@@orders is persistent"
                                + " service, can't register ephemeral instance. "));

        assertThat(store.commitNext()).isTrue();
        assertThat(registered.toCompletableFuture()).isCompleted();
        assertThat(naming.reads().publishers()).hasSize(1);
    }

    @Test
    void instanceThatRegistersDuringTheRemovalOfItsServiceStaysWithoutSettings() {
        join(stored.createService(
                Caller.SERVER, SERVICE, new ServiceSettings(true, 1, Map.of(), LabelSelector.NONE, Map.of())));
        join(stored.override(Caller.SERVER, SERVICE, ONE.key(), before -> new InstanceOverride(5.0, null, Map.of())));
        store.hold();
        CompletionStage<Void> removed = stored.removeService(Caller.SERVER, SERVICE);
        naming.leases().register(SERVICE, ONE);

        assertThat(store.commitNext()).isTrue();

        assertThat(removed.toCompletableFuture()).isCompleted();
        assertThat(naming.reads().snapshot(SERVICE).instances()).containsExactly(ONE);
        assertThat(naming.reads().snapshot(SERVICE).settings()).isEqualTo(ServiceSettings.ofKind(true));
        assertThat(store.rows()).isEmpty();
    }

    @Test
    void overridesOfAnEmptyServiceAreDeletedWithIt() throws Exception {
        join(stored.override(Caller.SERVER, SERVICE, ONE.key(), before -> new InstanceOverride(5.0, null, Map.of())));
        assertThat(naming.reads().find(SERVICE)).isNotNull();

        loop.pass(Duration.ofMinutes(2));

        assertThat(naming.reads().find(SERVICE)).isNull();
        assertThat(store.rows()).isEmpty();
        loop.pass(Duration.ofHours(1));
        assertThat(loop.waits()).isEmpty();
    }

    @Test
    void overridesOfAnInstanceExpireAfterItsRemoval() throws Exception {
        naming.registrations().register(connection("a"), SERVICE, List.of(ONE));
        naming.registrations().register(connection("b"), SERVICE, List.of(TWO));
        join(stored.override(
                Caller.SERVER,
                SERVICE,
                List.of(ONE.key(), TWO.key()),
                before -> new InstanceOverride(5.0, null, Map.of())));
        naming.recovery().connectionClosed("a", false);

        loop.pass(Duration.ofSeconds(59));
        assertThat(stored.overrides(SERVICE)).containsOnlyKeys(ONE.key(), TWO.key());
        naming.registrations().register(connection("c"), SERVICE, List.of(ONE));
        assertThat(naming.reads().snapshot(SERVICE).instances()).contains(ONE.withWeight(5));
        naming.recovery().connectionClosed("c", false);
        loop.pass(Duration.ofSeconds(59));
        assertThat(stored.overrides(SERVICE)).containsOnlyKeys(ONE.key(), TWO.key());

        loop.pass(Duration.ofMinutes(2));
        assertThat(stored.overrides(SERVICE)).containsOnlyKeys(TWO.key());
        assertThat(store.rows())
                .containsExactly(
                        new NamingWrite.SaveOverride(SERVICE, TWO.key(), new InstanceOverride(5.0, null, Map.of())));
    }

    @Test
    void overridesStayUntilTheNodeOnDutyRemovesThem() throws Exception {
        AtomicBoolean isMine = new AtomicBoolean();
        StoredNaming node = new StoredNaming(naming, store, new StoredNaming.PersistentInstances() {}, isMine::get);
        naming.registrations().register(connection("a"), SERVICE, List.of(ONE));
        join(node.override(
                Caller.SERVER,
                SERVICE,
                List.of(ONE.key(), TWO.key()),
                before -> new InstanceOverride(5.0, null, Map.of())));
        loop.pass(Duration.ofMinutes(5));
        assertThat(node.overrides(SERVICE)).containsOnlyKeys(ONE.key(), TWO.key());

        // Also if the service has no publisher any more.
        naming.recovery().connectionClosed("a", false);
        loop.pass(Duration.ofMinutes(5));
        assertThat(store.rows()).hasSize(2);
        naming.registrations().register(connection("b"), SERVICE, List.of(ONE));
        assertThat(naming.reads().snapshot(SERVICE).instances()).containsExactly(ONE.withWeight(5));
        naming.recovery().connectionClosed("b", false);

        isMine.set(true);
        loop.pass(Duration.ofMinutes(5));
        assertThat(store.rows()).isEmpty();
        assertThat(naming.reads().find(SERVICE)).isNull();
    }

    @Test
    void overridesThatAnotherNodeHasRemovedAreRemovedByReload() throws Exception {
        StoredNaming node = new StoredNaming(naming, store, new StoredNaming.PersistentInstances() {}, () -> false);
        join(node.override(Caller.SERVER, SERVICE, ONE.key(), before -> new InstanceOverride(5.0, null, Map.of())));
        store.write(List.of(new NamingWrite.RemoveService(SERVICE)), Caller.SERVER, () -> {});

        node.reload(Set.of(SERVICE));
        assertThat(node.overrides(SERVICE)).isEmpty();
        loop.pass(Duration.ofMinutes(5));

        assertThat(naming.reads().find(SERVICE)).isNull();
    }

    @Test
    void retriesTheRemovalOfOverridesAfterAFailureOfTheStore() throws Exception {
        naming.registrations().register(connection("a"), SERVICE, List.of(ONE));
        join(stored.override(Caller.SERVER, SERVICE, TWO.key(), before -> new InstanceOverride(5.0, null, Map.of())));
        store.refuse(true);
        loop.pass(Duration.ofMinutes(2));
        assertThat(store.rows()).hasSize(1);
        store.refuse(false);

        loop.pass(Duration.ofMinutes(5));

        assertThat(store.rows()).isEmpty();
        assertThat(stored.overrides(SERVICE)).isEmpty();
    }

    @Test
    void reloadKeepsTheHealthThatChecksHaveFound() {
        join(stored.register(Caller.SERVER, SERVICE, PERSISTENT));
        join(stored.register(Caller.SERVER, SERVICE, PERSISTENT_TWO));
        naming.health().setHealthy(SERVICE, PERSISTENT.key(), false);
        naming.health().setHealthy(SERVICE, PERSISTENT_TWO.key(), false);
        // As another node does: changes the store without notifying this registry.
        store.write(
                List.of(new NamingWrite.SaveInstance(SERVICE, PERSISTENT_TWO.withWeight(7))), Caller.SERVER, () -> {});

        stored.reload();

        assertThat(naming.reads().snapshot(SERVICE).instances())
                .containsExactlyInAnyOrder(PERSISTENT.withHealthy(false), PERSISTENT_TWO.withWeight(7));
    }

    @Test
    void reloadShowsTheStoredHealthOfAnUncheckedInstance() {
        ClusterSettings unchecked = new ClusterSettings("{\"type\":\"NONE\"}", 80, true, Map.of());
        join(stored.register(Caller.SERVER, SERVICE, PERSISTENT));
        join(stored.updateService(Caller.SERVER, SERVICE, before -> before.withCluster("DEFAULT", unchecked)));
        store.write(
                List.of(new NamingWrite.SaveInstance(SERVICE, PERSISTENT.withHealthy(false))), Caller.SERVER, () -> {});

        stored.reload();

        assertThat(naming.reads().snapshot(SERVICE).instances()).containsExactly(PERSISTENT.withHealthy(false));
    }

    @Test
    void storesHealthSetByHandThatIsShownAlready() {
        join(stored.register(Caller.SERVER, SERVICE, PERSISTENT));
        naming.health().setHealthy(SERVICE, PERSISTENT.key(), false);

        join(stored.setHealthy(Caller.SERVER, SERVICE, PERSISTENT.key(), false));

        assertThat(store.rows()).contains(new NamingWrite.SaveInstance(SERVICE, PERSISTENT.withHealthy(false)));
        join(stored.setHealthy(Caller.SERVER, SERVICE, TWO.key(), false));
        assertThat(store.rows()).as("there is no such instance").hasSize(1);
    }

    @Test
    void doesNotShowHealthSetByHandThatCannotBeStored() {
        join(stored.register(Caller.SERVER, SERVICE, PERSISTENT));
        store.refuse(true);

        CompletionStage<Void> refused = stored.setHealthy(Caller.SERVER, SERVICE, PERSISTENT.key(), false);

        assertThat(refused.toCompletableFuture()).isCompletedExceptionally();
        assertThat(naming.reads().snapshot(SERVICE).instances()).containsExactly(PERSISTENT);
    }

    private static void join(CompletionStage<Void> stage) {
        stage.toCompletableFuture().join();
    }
}
