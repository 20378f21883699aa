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
class NamingServiceTest {

    private static final ServiceKey SERVICE = new ServiceKey(Namespace.DEFAULT, "DEFAULT_GROUP", "orders");
    private static final Instance ONE = Instance.of("10.0.0.1", 80);
    private static final Instance TWO = Instance.of("10.0.0.2", 80);
    private static final Instance PERSISTENT =
            new Instance(new InstanceKey("10.0.0.3", 80, "DEFAULT"), 1, true, true, false, Map.of(), null);

    private static final Instance PERSISTENT_TWO =
            new Instance(new InstanceKey("10.0.0.4", 80, "DEFAULT"), 1, true, true, false, Map.of(), null);

    private final HandDrivenLoop loop = new HandDrivenLoop();
    private final MapStore store = new MapStore();
    private final NamingService naming = naming(true);
    private final StoredNaming stored = new StoredNaming(naming, store, new StoredNaming.PersistentInstances() {});
    private final List<ServiceListener.Presence> heard = new ArrayList<>();

    private NamingService naming(boolean expireInstances) {
        return naming(expireInstances, Clock.fixed(Instant.ofEpochMilli(1_000), ZoneOffset.UTC));
    }

    private NamingService naming(boolean expireInstances, Clock clock) {
        return new NamingService(
                new NamingSettings(
                        Duration.ofSeconds(60), Duration.ofSeconds(60), Duration.ofSeconds(15), expireInstances),
                new Switches(),
                loop,
                clock,
                loop::nanoTime);
    }

    private Publisher connection(String id) {
        return naming.connection(id, new Publisher.Client("10.0.0.1", 0, "", ""));
    }

    @Test
    void silentInstanceIsUnhealthyAfter15SecondsAndRemovedAfter30() throws Exception {
        naming.registerOverHttp(SERVICE, ONE);
        loop.pass(Duration.ofSeconds(14));
        assertThat(naming.beat(SERVICE, ONE.key(), null)).isEqualTo(new BeatResult(true, 0));
        loop.pass(Duration.ofMillis(14_999));
        assertThat(naming.snapshot(SERVICE).instances()).containsExactly(ONE);

        loop.pass(Duration.ofMillis(1));
        assertThat(naming.snapshot(SERVICE).instances()).containsExactly(ONE.withHealthy(false));
        loop.pass(Duration.ofMillis(14_999));
        assertThat(naming.snapshot(SERVICE).instances()).hasSize(1);
        loop.pass(Duration.ofMillis(1));

        assertThat(naming.snapshot(SERVICE).instances()).isEmpty();
        assertThat(naming.beat(SERVICE, ONE.key(), null).known()).isFalse();
        assertThat(naming.publishers()).isEmpty();
    }

    @Test
    void keepsInstanceThatRegistersAgainDuringItsRemoval() throws Exception {
        AtomicReference<Runnable> meanwhile = new AtomicReference<>(() -> {});
        long start = loop.nanoTime();
        NamingService raced = new NamingService(
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
        raced.registerOverHttp(SERVICE, ONE);
        AtomicInteger registered = new AtomicInteger();
        meanwhile.set(() -> {
            raced.registerOverHttp(SERVICE, ONE);
            registered.incrementAndGet();
        });

        loop.pass(Duration.ofSeconds(30));

        assertThat(registered).hasValue(1);
        assertThat(raced.snapshot(SERVICE).instances()).containsExactly(ONE);
    }

    @Test
    void removesInstanceWhoseDeleteTimeoutIsShorterThanItsBeatTimeout() throws Exception {
        naming.registerOverHttp(
                SERVICE,
                ONE.withMetadata(Map.of(
                        Instance.BEAT_INTERVAL,
                        "1000",
                        Instance.BEAT_TIMEOUT,
                        "9000",
                        Instance.DELETE_TIMEOUT,
                        "3000")));

        loop.pass(Duration.ofSeconds(3));

        assertThat(naming.snapshot(SERVICE).instances()).isEmpty();
    }

    @Test
    void instanceThatFallsSilentAgainIsUnhealthyAgainInTime() throws Exception {
        naming.registerOverHttp(
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

        naming.beat(SERVICE, ONE.key(), null);
        loop.pass(Duration.ofMillis(1_999));
        assertThat(onlyIsHealthy()).isTrue();
        loop.pass(Duration.ofMillis(1));
        assertThat(onlyIsHealthy()).isFalse();

        loop.pass(Duration.ofMillis(57_999));
        assertThat(onlyIsHealthy()).isFalse();
        loop.pass(Duration.ofMillis(1));
        assertThat(naming.snapshot(SERVICE).instances()).isEmpty();
        assertThat(loop.waits())
                .as("the loss is logged, and the empty service is removed; no check of the lease is left")
                .containsExactly(Duration.ofSeconds(1), Duration.ofSeconds(60));
    }

    @Test
    void withoutExpiryInstancesStayUnhealthyUntilTheirNextHeartbeat() throws Exception {
        NamingService keeping = naming(false);
        keeping.registerOverHttp(SERVICE, ONE);
        loop.pass(Duration.ofHours(1));
        assertThat(keeping.snapshot(SERVICE).instances()).containsExactly(ONE.withHealthy(false));

        keeping.beat(SERVICE, ONE.key(), null);
        assertThat(keeping.snapshot(SERVICE).instances()).containsExactly(ONE);
        loop.pass(Duration.ofSeconds(30));
        assertThat(keeping.snapshot(SERVICE).instances()).containsExactly(ONE.withHealthy(false));

        keeping.deregisterOverHttp(SERVICE, ONE.key());
        loop.pass(Duration.ofHours(1));
        assertThat(loop.waits()).isEmpty();
    }

    @Test
    void instanceThatWasUnhealthyBeforeARestartIsHealthyWithItsNextHeartbeat() {
        naming.recovery().recover(new KnownService(SERVICE, List.of(), List.of(ONE.withHealthy(false)), List.of()));
        assertThat(naming.snapshot(SERVICE).instances()).containsExactly(ONE.withHealthy(false));

        naming.beat(SERVICE, ONE.key(), null);

        assertThat(naming.snapshot(SERVICE).instances()).containsExactly(ONE);
    }

    @Test
    void instanceThatAnOperatorSetUnhealthyIsHealthyWithItsNextHeartbeat() {
        naming.registerOverHttp(SERVICE, ONE);
        naming.setHealthy(SERVICE, ONE.key(), false);
        assertThat(naming.snapshot(SERVICE).instances()).containsExactly(ONE.withHealthy(false));

        naming.beat(SERVICE, ONE.key(), null);

        assertThat(naming.snapshot(SERVICE).instances()).containsExactly(ONE);
    }

    @Test
    void overriddenMetadataDeterminesTheHeartbeatTimeouts() throws Exception {
        naming.registerOverHttp(SERVICE, ONE);
        join(stored.override(
                Caller.SERVER,
                SERVICE,
                ONE.key(),
                before -> before.withMetadata(Map.of(
                        Instance.BEAT_INTERVAL, "1000",
                        Instance.BEAT_TIMEOUT, "2000",
                        Instance.DELETE_TIMEOUT, "4000"))));

        assertThat(naming.beat(SERVICE, ONE.key(), null)).isEqualTo(new BeatResult(true, 1_000));
        loop.pass(Duration.ofMillis(1_999));
        assertThat(onlyIsHealthy()).isTrue();
        loop.pass(Duration.ofMillis(1));
        assertThat(onlyIsHealthy()).isFalse();
        loop.pass(Duration.ofSeconds(2));
        assertThat(naming.snapshot(SERVICE).instances()).isEmpty();

        naming.registerOverHttp(SERVICE, ONE);
        loop.pass(Duration.ofSeconds(3));
        assertThat(onlyIsHealthy())
                .as("also for an instance that registers again")
                .isFalse();
        join(stored.override(Caller.SERVER, SERVICE, ONE.key(), before -> InstanceOverride.NONE));
        assertThat(naming.beat(SERVICE, ONE.key(), null)).isEqualTo(new BeatResult(true, 0));
        loop.pass(Duration.ofMillis(14_999));
        assertThat(onlyIsHealthy()).as("until the override is removed").isTrue();
        loop.pass(Duration.ofMillis(1));
        assertThat(onlyIsHealthy()).isFalse();
        loop.pass(Duration.ofHours(1));
        assertThat(loop.waits()).isEmpty();
    }

    private boolean onlyIsHealthy() {
        List<Instance> instances = naming.snapshot(SERVICE).instances();
        assertThat(instances).hasSize(1);
        return instances.get(0).healthy();
    }

    @Test
    void heartbeatAnswerHasTheIntervalOfTheMetadata() {
        naming.registerOverHttp(SERVICE, ONE.withMetadata(Map.of(Instance.BEAT_INTERVAL, "7000")));

        assertThat(naming.beat(SERVICE, ONE.key(), null)).isEqualTo(new BeatResult(true, 7_000));
        assertThat(naming.beat(SERVICE, TWO.key(), null)).isEqualTo(new BeatResult(false, 0));
        assertThat(naming.beat(SERVICE, TWO.key(), TWO)).isEqualTo(new BeatResult(true, 0));
        assertThat(naming.snapshot(SERVICE).size()).isEqualTo(2);
    }

    @Test
    void firstListOfAServiceIsLaterThanTheEmptyListBeforeIt() {
        long empty = naming.snapshot(SERVICE).refMillis();

        naming.register(connection("a"), SERVICE, List.of(ONE));

        assertThat(naming.snapshot(SERVICE).refMillis()).isGreaterThan(empty);
    }

    @Test
    void listIsRenewedAfterHalfOfItsCacheTime() {
        SettableClock clock = new SettableClock();
        NamingService timed = naming(true, clock);
        timed.registerOverHttp(SERVICE, ONE);
        ServiceView first = timed.view(SERVICE, "", false);

        clock.advance(Duration.ofSeconds(5));
        assertThat(timed.view(SERVICE, "", false)).as("not renewed yet").isSameAs(first);

        clock.advance(Duration.ofMillis(1));
        ServiceView later = timed.view(SERVICE, "", false);
        assertThat(later.snapshot().refMillis()).isEqualTo(clock.millis());
        assertThat(later.snapshot().version()).isEqualTo(first.snapshot().version());
        assertThat(later.showsTheSameAs(first)).isTrue();
        assertThat(timed.view(SERVICE, "", false)).as("renewed once").isSameAs(later);

        timed.registerOverHttp(SERVICE, TWO);
        assertThat(timed.view(SERVICE, "", false).snapshot().refMillis())
                .as("a change of the same millisecond is later")
                .isGreaterThan(clock.millis());
    }

    @Test
    void listIsNotRenewedWhenTheClockGoesBack() {
        SettableClock clock = new SettableClock();
        NamingService timed = naming(true, clock);
        timed.registerOverHttp(SERVICE, ONE);
        ServiceView first = timed.view(SERVICE, "", false);

        clock.advance(Duration.ofMinutes(-1));

        assertThat(timed.view(SERVICE, "", false)).isSameAs(first);
    }

    @Test
    void registrationWithoutAChangeNotifiesNoListener() {
        naming.register(connection("a"), SERVICE, List.of(ONE));
        naming.follow((service, presence) -> heard.add(presence));
        ServiceSnapshot before = naming.snapshot(SERVICE);

        naming.register(connection("a"), SERVICE, List.of(ONE.withMetadata(Map.of())));

        assertThat(heard).isEmpty();
        assertThat(naming.snapshot(SERVICE)).isSameAs(before);
    }

    @Test
    void serviceWithoutInstancesIsRemovedAfterAMinuteAndListenersAreNotified() throws Exception {
        List<ServiceKey> removed = new ArrayList<>();
        naming.follow(new ServiceListener() {
            @Override
            public void changed(ServiceKey service, Presence presence) {
                heard.add(presence);
            }

            @Override
            public void removed(ServiceKey service) {
                removed.add(service);
            }
        });
        naming.register(connection("a"), SERVICE, List.of(ONE));
        naming.connectionClosed("a");

        loop.pass(Duration.ofMillis(59_999));
        assertThat(removed).isEmpty();
        loop.pass(Duration.ofMillis(1));

        assertThat(removed).containsExactly(SERVICE);
        assertThat(naming.serviceCount()).isZero();
        assertThat(heard).containsExactly(ServiceListener.Presence.APPEARED, ServiceListener.Presence.EMPTIED);
    }

    @Test
    void latestOfTwoRegistrationsOfAnInstanceIsShownUntilItsConnectionCloses() {
        naming.register(connection("a"), SERVICE, List.of(ONE.withWeight(1)));
        naming.register(connection("b"), SERVICE, List.of(ONE.withWeight(2)));
        assertThat(naming.snapshot(SERVICE).instances()).containsExactly(ONE.withWeight(2));
        assertThat(naming.instanceCount()).isEqualTo(2);
        assertThat(naming.recovery().known(SERVICE)).isEqualTo(known("", ONE.withWeight(2)));

        naming.register(connection("a"), SERVICE, List.of(ONE.withWeight(3)));
        assertThat(naming.recovery().known(SERVICE)).isEqualTo(known("", ONE.withWeight(3)));
        naming.connectionClosed("a");

        assertThat(naming.snapshot(SERVICE).instances()).containsExactly(ONE.withWeight(2));
    }

    @Test
    void refusesRegistrationOfAClosedConnection() {
        Publisher publisher = connection("a");
        naming.connectionClosed("a");

        assertThatThrownBy(() -> naming.register(publisher, SERVICE, List.of(ONE)))
                .isInstanceOfSatisfying(CairnException.class, failure -> assertThat(failure.code())
                        .isEqualTo(ErrorCode.UNAVAILABLE));
        assertThat(naming.publishers()).isEmpty();
        assertThat(naming.instanceCount()).isZero();
    }

    @Test
    void frozenRegistryDoesNotChange() throws Exception {
        naming.register(connection("a"), SERVICE, List.of(ONE));
        naming.registerOverHttp(SERVICE, TWO);
        naming.recovery().recover(known("", Instance.of("10.0.0.9", 80)));
        naming.startRecoveryWindow();
        naming.follow((service, presence) -> heard.add(presence));

        naming.freeze();
        naming.connectionClosed("a");
        loop.pass(Duration.ofHours(1));

        assertThat(naming.snapshot(SERVICE).size()).isEqualTo(3);
        assertThat(heard).isEmpty();
        assertThatThrownBy(() -> naming.registerOverHttp(SERVICE, ONE)).isInstanceOf(CairnException.class);
        assertThatThrownBy(() -> naming.deregisterOverHttp(SERVICE, TWO.key())).isInstanceOf(CairnException.class);
        assertThatThrownBy(() -> naming.forgetRecovered(SERVICE, ONE.key())).isInstanceOf(CairnException.class);
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
        naming.startRecoveryWindow();

        loop.pass(Duration.ofMillis(14_999));
        assertThat(naming.snapshot(SERVICE).instances()).containsExactlyInAnyOrder(ONE, TWO, python, rust);
        loop.pass(Duration.ofMillis(1));
        assertThat(naming.snapshot(SERVICE).instances()).containsExactlyInAnyOrder(python, rust);
        loop.pass(Duration.ofSeconds(30));
        assertThat(naming.snapshot(SERVICE).instances()).containsExactly(rust);
        loop.pass(Duration.ofSeconds(45));
        assertThat(naming.snapshot(SERVICE).instances()).isEmpty();
    }

    @Test
    void remembersTheSdkOfAnInstanceOverASecondRestart() {
        KnownService known = known("Nacos-Python-Client:v3.2.0", ONE);
        naming.recovery().recover(known);

        assertThat(naming.recovery().known(SERVICE)).isEqualTo(known);
        naming.register(
                naming.connection("b", new Publisher.Client("", 0, "", "Nacos-Rust-Client:0.8.3")),
                SERVICE,
                List.of(ONE));
        assertThat(naming.recovery().known(SERVICE)).isEqualTo(known("Nacos-Rust-Client:0.8.3", ONE));
    }

    @Test
    void serviceHasNoPublisherAfterItsRememberedInstancesAreGone() throws Exception {
        naming.recovery().recover(known("Nacos-Python-Client:v3.2.0", ONE));
        naming.startRecoveryWindow();

        naming.forgetRecovered(SERVICE, ONE.key());

        assertThat(naming.publishersOf(SERVICE)).isEmpty();
        naming.stored().applyPersistent(SERVICE, PERSISTENT);
        loop.pass(Duration.ofMinutes(5));
        assertThat(naming.snapshot(SERVICE).instances()).containsExactly(PERSISTENT);
        assertThat(naming.instanceCount()).isOne();
        naming.stored().removePersistent(SERVICE, PERSISTENT.key());
        loop.pass(Duration.ofMinutes(5));
        assertThat(naming.serviceCount()).isZero();
        assertThat(loop.waits()).isEmpty();
    }

    @Test
    void emptyServiceIsRemovedAfterAMinuteDuringTheRecoveryWindow() throws Exception {
        naming.recovery().recover(known("Nacos-Python-Client:v3.2.0", ONE));
        naming.startRecoveryWindow();
        Publisher back = connection("a");
        naming.register(back, SERVICE, List.of(ONE));
        loop.pass(Duration.ofSeconds(5));
        naming.deregister(back, SERVICE);

        loop.pass(Duration.ofSeconds(59));
        assertThat(naming.serviceCount()).isOne();
        loop.pass(Duration.ofSeconds(1));
        assertThat(naming.serviceCount()).isZero();
    }

    @Test
    void deregistrationRemovesARememberedInstanceOfAnyCluster() {
        naming.recovery().recover(known("Nacos-Python-Client:v3.2.0", ONE, TWO));

        naming.forgetRecovered(
                SERVICE, new InstanceKey(ONE.key().ip(), ONE.key().port(), "elsewhere"));

        assertThat(naming.snapshot(SERVICE).instances()).containsExactly(TWO);
    }

    @Test
    void deregistrationRemovesARememberedInstance() {
        naming.recovery().recover(known("Nacos-Python-Client:v3.2.0", ONE, TWO));
        naming.follow((service, presence) -> heard.add(presence));

        naming.forgetRecovered(SERVICE, ONE.key());
        assertThat(naming.snapshot(SERVICE).instances()).containsExactly(TWO);
        assertThat(naming.recovery().known(SERVICE)).isEqualTo(known("Nacos-Python-Client:v3.2.0", TWO));
        naming.deregisterOverHttp(SERVICE, ONE.key());
        naming.register(connection("a"), SERVICE, List.of(TWO));
        naming.forgetRecovered(SERVICE, TWO.key());

        assertThat(naming.snapshot(SERVICE).instances()).containsExactly(TWO);
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
        naming.freeze();

        assertThat(store.commitNext()).isTrue();

        assertThat(registered.toCompletableFuture()).isCompleted();
        assertThat(naming.snapshot(SERVICE).instances()).containsExactly(PERSISTENT);
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

        assertThatThrownBy(() -> naming.registerOverHttp(SERVICE, ONE))
                .isInstanceOfSatisfying(CairnException.class, failure -> assertThat(failure.text())
                        .isEqualTo("errCode: 400, errMsg: Current service DEFAULT_GROUP@@orders is persistent"
                                + " service, can't register ephemeral instance. "));

        assertThat(store.commitNext()).isTrue();
        assertThat(registered.toCompletableFuture()).isCompleted();
        assertThat(naming.publishers()).hasSize(1);
    }

    @Test
    void instanceThatRegistersDuringTheRemovalOfItsServiceStaysWithoutSettings() {
        join(stored.createService(
                Caller.SERVER, SERVICE, new ServiceSettings(true, 1, Map.of(), LabelSelector.NONE, Map.of())));
        join(stored.override(Caller.SERVER, SERVICE, ONE.key(), before -> new InstanceOverride(5.0, null, Map.of())));
        store.hold();
        CompletionStage<Void> removed = stored.removeService(Caller.SERVER, SERVICE);
        naming.registerOverHttp(SERVICE, ONE);

        assertThat(store.commitNext()).isTrue();

        assertThat(removed.toCompletableFuture()).isCompleted();
        assertThat(naming.snapshot(SERVICE).instances()).containsExactly(ONE);
        assertThat(naming.snapshot(SERVICE).settings()).isEqualTo(ServiceSettings.ofKind(true));
        assertThat(store.rows()).isEmpty();
    }

    @Test
    void overridesOfAnEmptyServiceAreDeletedWithIt() throws Exception {
        join(stored.override(Caller.SERVER, SERVICE, ONE.key(), before -> new InstanceOverride(5.0, null, Map.of())));
        assertThat(naming.find(SERVICE)).isNotNull();

        loop.pass(Duration.ofMinutes(2));

        assertThat(naming.find(SERVICE)).isNull();
        assertThat(store.rows()).isEmpty();
        loop.pass(Duration.ofHours(1));
        assertThat(loop.waits()).isEmpty();
    }

    @Test
    void overridesOfAnInstanceExpireAfterItsRemoval() throws Exception {
        naming.register(connection("a"), SERVICE, List.of(ONE));
        naming.register(connection("b"), SERVICE, List.of(TWO));
        join(stored.override(
                Caller.SERVER,
                SERVICE,
                List.of(ONE.key(), TWO.key()),
                before -> new InstanceOverride(5.0, null, Map.of())));
        naming.connectionClosed("a");

        loop.pass(Duration.ofSeconds(59));
        assertThat(stored.overrides(SERVICE)).containsOnlyKeys(ONE.key(), TWO.key());
        naming.register(connection("c"), SERVICE, List.of(ONE));
        assertThat(naming.snapshot(SERVICE).instances()).contains(ONE.withWeight(5));
        naming.connectionClosed("c");
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
        naming.register(connection("a"), SERVICE, List.of(ONE));
        join(node.override(
                Caller.SERVER,
                SERVICE,
                List.of(ONE.key(), TWO.key()),
                before -> new InstanceOverride(5.0, null, Map.of())));
        loop.pass(Duration.ofMinutes(5));
        assertThat(node.overrides(SERVICE)).containsOnlyKeys(ONE.key(), TWO.key());

        // Also if the service has no publisher any more.
        naming.connectionClosed("a");
        loop.pass(Duration.ofMinutes(5));
        assertThat(store.rows()).hasSize(2);
        naming.register(connection("b"), SERVICE, List.of(ONE));
        assertThat(naming.snapshot(SERVICE).instances()).containsExactly(ONE.withWeight(5));
        naming.connectionClosed("b");

        isMine.set(true);
        loop.pass(Duration.ofMinutes(5));
        assertThat(store.rows()).isEmpty();
        assertThat(naming.find(SERVICE)).isNull();
    }

    @Test
    void overridesThatAnotherNodeHasRemovedAreRemovedByReload() throws Exception {
        StoredNaming node = new StoredNaming(naming, store, new StoredNaming.PersistentInstances() {}, () -> false);
        join(node.override(Caller.SERVER, SERVICE, ONE.key(), before -> new InstanceOverride(5.0, null, Map.of())));
        store.write(List.of(new NamingWrite.RemoveService(SERVICE)), Caller.SERVER, () -> {});

        node.reload(Set.of(SERVICE));
        assertThat(node.overrides(SERVICE)).isEmpty();
        loop.pass(Duration.ofMinutes(5));

        assertThat(naming.find(SERVICE)).isNull();
    }

    @Test
    void retriesTheRemovalOfOverridesAfterAFailureOfTheStore() throws Exception {
        naming.register(connection("a"), SERVICE, List.of(ONE));
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
        naming.setHealthy(SERVICE, PERSISTENT.key(), false);
        naming.setHealthy(SERVICE, PERSISTENT_TWO.key(), false);
        // As another node does: changes the store without notifying this registry.
        store.write(
                List.of(new NamingWrite.SaveInstance(SERVICE, PERSISTENT_TWO.withWeight(7))), Caller.SERVER, () -> {});

        stored.reload();

        assertThat(naming.snapshot(SERVICE).instances())
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

        assertThat(naming.snapshot(SERVICE).instances()).containsExactly(PERSISTENT.withHealthy(false));
    }

    @Test
    void storesHealthSetByHandThatIsShownAlready() {
        join(stored.register(Caller.SERVER, SERVICE, PERSISTENT));
        naming.setHealthy(SERVICE, PERSISTENT.key(), false);

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
        assertThat(naming.snapshot(SERVICE).instances()).containsExactly(PERSISTENT);
    }

    private static void join(CompletionStage<Void> stage) {
        stage.toCompletableFuture().join();
    }
}
