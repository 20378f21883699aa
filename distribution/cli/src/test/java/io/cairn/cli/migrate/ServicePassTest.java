package io.cairn.cli.migrate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cairn.api.config.Namespace;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.cli.migrate.Decision.Outcome;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ServicePassTest {

    private static final ServiceKey KEY = new ServiceKey(Namespace.DEFAULT, "G", "orders");
    private static final Follow FOLLOW = Follow.every(Duration.ofSeconds(10));

    private final SettableClock clock = new SettableClock();
    private final ServiceStoreInMemory source = new ServiceStoreInMemory(true);
    private final ServiceStoreInMemory target = new ServiceStoreInMemory(false);
    private final List<Decision> log = new ArrayList<>();
    private final Journal journal = Journal.inMemory();
    private final Report report = new Report(log::add);

    private static final class SettableClock extends Clock {

        private Instant now = Instant.EPOCH;

        void advance(Duration time) {
            now = now.plus(time);
        }

        @Override
        public Instant instant() {
            return now;
        }

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }
    }

    private ServicePass pass(boolean bothWays) {
        return new ServicePass(
                Map.of(Side.SOURCE, source, Side.TARGET, target),
                Map.of(Side.SOURCE, "old:8848", Side.TARGET, "new:8848"),
                bothWays,
                FOLLOW,
                clock,
                journal,
                report,
                key -> {});
    }

    private static Instance instance(int number) {
        return Instance.of("10.0.0." + number, 80);
    }

    private void run(ServicePass pass) {
        pass.all(List.of(Namespace.DEFAULT));
        clock.advance(FOLLOW.list());
    }

    private void runFor(ServicePass pass, Duration time) {
        for (Instant end = clock.instant().plus(time); clock.instant().isBefore(end); ) {
            run(pass);
        }
    }

    @Test
    void passesOnEveryChangeOfAnInstance() {
        ServicePass pass = pass(false);
        source.register("a", KEY, instance(1));
        run(pass);
        run(pass);
        assertThat(target.mirrored).isOne();
        Instance changed = new Instance(instance(1).key(), 5, false, false, true, Map.of("zone", "b"), "id");
        source.register("a", KEY, changed);
        run(pass);

        assertThat(target.copy(KEY, changed.key()))
                .isEqualTo(changed.withId(null).withMetadata(Map.of("zone", "b", Origin.MARK, "old:8848")));
        assertThat(log.get(1).reason()).isEqualTo("at the target, weight 5.0, unhealthy, disabled, metadata");
        source.deregister("a", KEY, changed.key());
        source.register("b", KEY, instance(2));
        run(pass);
        assertThat(target.copies(KEY)).containsExactly(instance(2).key());
    }

    @Test
    void aClientReplacesItsCopy() {
        ServicePass pass = pass(true);
        source.register("a", KEY, instance(1));
        run(pass);
        target.register("a", KEY, instance(1));
        run(pass);
        assertThat(target.copies(KEY)).isEmpty();
        assertThat(source.copies(KEY))
                .as("registered at both sides for a moment")
                .isEmpty();

        source.deregister("a", KEY, instance(1).key());
        run(pass);
        assertThat(source.copies(KEY)).containsExactly(instance(1).key());
        assertThat(target.copies(KEY)).isEmpty();
    }

    @Test
    void aPatchThatRemovesTheMarkCausesNoLoop() {
        for (boolean showsBoth : new boolean[] {true, false}) {
            ServiceStoreInMemory here = new ServiceStoreInMemory(showsBoth);
            ServiceStoreInMemory there = new ServiceStoreInMemory(showsBoth);
            ServicePass pass = new ServicePass(
                    Map.of(Side.SOURCE, here, Side.TARGET, there),
                    Map.of(Side.SOURCE, "old:8848", Side.TARGET, "new:8848"),
                    true,
                    FOLLOW,
                    clock,
                    Journal.inMemory(),
                    new Report(log::add),
                    key -> {});
            here.register("a", KEY, instance(1));
            run(pass);
            there.dropMark(instance(1).key());
            runFor(pass, Duration.ofMinutes(1));

            assertThat(here.copies(KEY)).isEmpty();
            assertThat(there.copies(KEY)).containsExactly(instance(1).key());
        }
    }

    @Test
    void holdsCopiesWhileTheSourceIsAwayAndUntilItsClientsAreBack() {
        ServicePass pass = pass(false);
        source.register("a", KEY, instance(1));
        source.register("b", KEY, instance(2));
        run(pass);
        source.away = true;
        assertThatThrownBy(() -> run(pass)).isInstanceOf(SideException.class);
        source.away = false;
        source.starting = true;
        runFor(pass, Duration.ofMinutes(2));
        assertThat(target.copies(KEY)).hasSize(2);
        assertThat(log).anySatisfy(held -> assertThat(held.outcome()).isEqualTo(Outcome.HELD));

        source.starting = false;
        source.deregister("b", KEY, instance(2).key());
        runFor(pass, FOLLOW.holdAll().plusMinutes(1));
        assertThat(target.copies(KEY)).containsExactly(instance(1).key());
    }

    @Test
    void holdsCopiesOfASourceThatRestartedBetweenTwoLists() {
        ServicePass pass = pass(false);
        source.register("a", KEY, instance(1));
        source.register("b", new ServiceKey(Namespace.DEFAULT, "G", "other"), instance(2));
        run(pass);
        source.reconnections++;
        source.deregister("a", KEY, instance(1).key());
        runFor(pass, FOLLOW.holdAll().minusSeconds(20));
        assertThat(target.copies(KEY)).hasSize(1);
        runFor(pass, Duration.ofMinutes(1));
        assertThat(target.copies(KEY)).isEmpty();
    }

    @Test
    void holdsCopiesOfASourceWhoseConnectionIsNotBack() {
        ServicePass pass = pass(false);
        source.register("a", KEY, instance(1));
        source.register("b", KEY, instance(2));
        run(pass);
        source.hasLostConnection = true;
        source.deregister("a", KEY, instance(1).key());
        run(pass);
        assertThat(target.copies(KEY)).hasSize(2);
        pass.some(List.of(KEY));
        assertThat(target.copies(KEY)).hasSize(2);
        source.hasLostConnection = false;
        source.reconnections++;
        runFor(pass, FOLLOW.holdAll().minusSeconds(20));
        assertThat(target.copies(KEY)).hasSize(2);
        runFor(pass, Duration.ofMinutes(1));
        assertThat(target.copies(KEY)).containsExactly(instance(2).key());
    }

    @Test
    void endsOfConnectionsInWhichNoInstanceGoesDoNotHoldForEver() {
        ServicePass pass = pass(false);
        source.register("a", KEY, instance(1));
        source.register("b", KEY, instance(2));
        run(pass);
        source.deregister("a", KEY, instance(1).key());
        for (int minute = 0; minute < 10; minute++) {
            source.reconnections++;
            pass.some(List.of(KEY));
            runFor(pass, Duration.ofMinutes(1));
        }
        assertThat(target.copies(KEY)).containsExactly(instance(2).key());
    }

    @Test
    void aRefusedCopyKeepsNoOtherFromLeaving() {
        ServiceKey other = new ServiceKey(Namespace.DEFAULT, "G", "other");
        target.refused.add(instance(2).key());
        ServicePass pass = pass(false);
        source.register("a", KEY, instance(1));
        source.register("b", KEY, instance(2));
        source.register("c", other, instance(3));
        run(pass);
        assertThat(target.copies(KEY)).containsExactly(instance(1).key());
        assertThat(report.unequal()).containsExactly(new Decision(Outcome.FAILED, "service " + KEY, "too long"));

        source.deregister("a", KEY, instance(1).key());
        run(pass);
        assertThat(target.copies(KEY)).isEmpty();
        source.deregister("b", KEY, instance(2).key());
        runFor(pass, FOLLOW.hold().plusSeconds(20));
        assertThat(report.unequal()).isEmpty();
        int sent = target.mirrored;
        run(pass);
        assertThat(target.mirrored).isEqualTo(sent);
    }

    @Test
    void holdsCopiesBesideARefusedOne() {
        target.refused.add(instance(2).key());
        ServicePass pass = pass(false);
        source.register("a", KEY, instance(1));
        source.register("b", KEY, instance(2));
        run(pass);
        source.starting = true;
        runFor(pass, FOLLOW.holdAll().minusSeconds(20));
        assertThat(target.copies(KEY)).containsExactly(instance(1).key());
        source.starting = false;
        target.refused.clear();
        run(pass);
        assertThat(target.copies(KEY)).hasSize(2);
        assertThat(report.unequal()).isEmpty();
        assertThat(log)
                .contains(new Decision(
                        Outcome.CREATED, KEY + " " + instance(2).key(), "at the target, new at the source"));
    }

    @Test
    void aServiceThatCausesErrorsIsPassedOver() {
        target.broken.add(KEY);
        List<ServiceKey> others = new ArrayList<>();
        source.register("a", KEY, instance(1));
        for (int i = 0; i < 5; i++) {
            others.add(new ServiceKey(Namespace.DEFAULT, "G", "other-" + i));
            source.register("a", others.get(i), instance(2 + i));
        }
        ServicePass pass = pass(false);
        for (int i = 0; i < 4; i++) {
            assertThatThrownBy(() -> run(pass)).isInstanceOf(SideException.class);
        }
        run(pass);
        assertThat(others).allSatisfy(other -> assertThat(target.copies(other)).hasSize(1));
        assertThat(report.unequal()).singleElement().hasToString("failed service " + KEY + ": status 500");
        target.broken.clear();
        run(pass);
        assertThat(target.copies(KEY)).hasSize(1);
        assertThat(report.unequal()).isEmpty();
    }

    @Test
    void manyServicesThatCauseErrorsKeepNoOtherFromItsPlace() {
        List<ServiceKey> others = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            ServiceKey key = new ServiceKey(Namespace.DEFAULT, "G", "orders-" + i);
            source.register("a", key, instance(i));
            if (i % 2 == 0) {
                target.broken.add(key);
            } else {
                others.add(key);
            }
        }
        ServicePass pass = pass(false);
        int ended = 0;
        for (int i = 0; i < 100; i++) {
            try {
                run(pass);
            } catch (SideException e) {
                ended++;
            }
        }
        assertThat(ended).as("passes until each has failed five times").isEqualTo(4);
        assertThat(others).allSatisfy(other -> assertThat(target.copies(other)).hasSize(1));
        assertThat(report.unequal()).hasSize(10);
        source.register("a", others.get(0), instance(100));
        run(pass);
        assertThat(target.copies(others.get(0))).hasSize(2);
        target.broken.clear();
        run(pass);
        assertThat(report.unequal()).isEmpty();
    }

    @Test
    void aServerThatAnswersEverythingWithErrorsEndsThePass() {
        for (int i = 0; i < 5; i++) {
            ServiceKey key = new ServiceKey(Namespace.DEFAULT, "G", "other-" + i);
            source.register("a", key, instance(i));
            target.broken.add(key);
        }
        ServicePass pass = pass(false);
        for (int i = 0; i < 40; i++) {
            assertThatThrownBy(() -> run(pass)).isInstanceOf(SideException.class);
        }
    }

    @Test
    void refusedSettingsHideNoInstanceAndAreSavedLater() {
        ServiceSettings settings = new ServiceSettings(0.5, Map.of(), "");
        source.settings.put(KEY, settings);
        source.register("a", KEY, instance(1));
        target.refusesSettings = true;
        ServicePass pass = pass(false);
        run(pass);
        run(pass);
        assertThat(target.copies(KEY)).containsExactly(instance(1).key());
        assertThat(report.unequal()).singleElement().hasToString("failed service " + KEY + ": no right");
        assertThat(target.saves).as("asked again only later").isOne();
        target.refusesSettings = false;
        runFor(pass, FOLLOW.deep());
        run(pass);
        assertThat(target.settings.get(KEY)).isEqualTo(settings);
        assertThat(report.unequal()).isEmpty();
    }

    @Test
    void settingsThatCannotBeSavedForAWhileHideNoInstance() {
        source.settings.put(KEY, new ServiceSettings(0.5, Map.of(), ""));
        source.register("a", KEY, instance(1));
        target.settingsFail = true;
        ServicePass pass = pass(false);
        assertThatThrownBy(() -> run(pass)).isInstanceOf(SideException.class);
        assertThat(target.copies(KEY)).containsExactly(instance(1).key());
        target.settingsFail = false;
        run(pass);
        assertThat(target.settings).containsKey(KEY);
    }

    @Test
    void aBridgeThatIsStartedAgainHoldsRemovalsForAShortTime() {
        source.register("a", KEY, instance(1));
        source.register("b", KEY, instance(2));
        run(pass(false));
        source.deregister("b", KEY, instance(2).key());
        ServicePass again = pass(false);
        run(again);
        assertThat(target.copies(KEY)).as("its client may not be back yet").hasSize(2);
        runFor(again, FOLLOW.hold());
        assertThat(target.copies(KEY)).containsExactly(instance(1).key());
    }

    @Test
    void aStartAfterAnOutageHoldsRemovalsAsAnOutageDoes() {
        source.register("a", KEY, instance(1));
        source.register("b", KEY, instance(2));
        run(pass(false));
        source.deregister("b", KEY, instance(2).key());
        ServicePass again = pass(false);
        again.startsAfterOutage();
        runFor(again, FOLLOW.holdAll());
        assertThat(target.copies(KEY)).hasSize(2);
        runFor(again, FOLLOW.hold());
        assertThat(target.copies(KEY)).containsExactly(instance(1).key());
    }

    @Test
    void copiesAreKeptWhileTheOtherSideIsAwayAtTheStart() {
        source.register("a", KEY, instance(1));
        run(pass(false));
        source.away = true;
        ServicePass again = pass(false);
        assertThatThrownBy(() -> run(again)).isInstanceOf(SideException.class);
        assertThat(target.kept).as("of each pass").isEqualTo(2);
        source.away = false;
        run(again);
        assertThat(target.copies(KEY)).hasSize(1);
    }

    @Test
    void aClientThatTookThePlaceOfAPersistentCopyStays() {
        Instance persistent = new Instance(instance(1).key(), 1, true, true, false, Map.of(), null);
        target.registerPersistent(KEY, persistent);
        ServicePass pass = pass(true);
        run(pass);
        assertThat(source.persistent.get(KEY).get(persistent.key()).metadata()).containsKey(Origin.MARK);
        source.registerPersistent(KEY, persistent);
        run(pass);
        target.deregisterPersistent(KEY, persistent);
        runFor(pass, FOLLOW.holdAll().plusMinutes(1));
        assertThat(source.persistent.get(KEY)).containsEntry(persistent.key(), persistent);
        assertThat(log).extracting(Decision::outcome).contains(Outcome.KEPT).doesNotContain(Outcome.DELETED);
        assertThat(target.copies(KEY)).isEmpty();
    }

    @Test
    void aClientThatWasKilledAndMovedIsShownWhileItsOldEntryIsUnhealthy() {
        source.mayLoseMarks = false;
        source.register("a", KEY, instance(1).withHealthy(false));
        source.register("b", KEY, instance(2).withHealthy(false));
        target.register("a", KEY, instance(1));
        run(pass(true));
        assertThat(source.copies(KEY)).containsExactly(instance(1).key());
    }

    @Test
    void aBridgeThatIsStartedAgainHoldsWhatTheOneBeforeHasShown() {
        source.register("a", KEY, instance(1));
        source.register("a", KEY, instance(2));
        run(pass(false));
        source.starting = true;
        ServicePass again = pass(false);
        run(again);
        run(again);
        assertThat(target.copies(KEY)).hasSize(2);
        source.starting = false;
        run(again);
        assertThat(target.copies(KEY)).hasSize(2);
    }

    @Test
    void aCutOverWaitsForCopiesOfAnEarlierProcess() {
        source.register("a", KEY, instance(1));
        run(pass(false));
        source.starting = true;
        ServicePass cut = pass(false);
        run(cut);
        assertThat(cut.ephemeralCopies()).isOne();
        assertThat(target.copies(KEY)).hasSize(1);
        source.starting = false;
        runFor(cut, FOLLOW.holdAll().plusMinutes(1));
        assertThat(target.copies(KEY)).hasSize(1);
        source.deregister("a", KEY, instance(1).key());
        runFor(cut, FOLLOW.holdAll().plusMinutes(1));
        assertThat(cut.ephemeralCopies()).isZero();
        assertThat(target.copies(KEY)).isEmpty();

        ServicePass again = pass(false);
        run(again);
        assertThat(again.ephemeralCopies()).isZero();
    }

    @Test
    void holdsAnEmptyListOfOneServiceForAShortTime() {
        ServicePass pass = pass(false);
        ServiceKey other = new ServiceKey(Namespace.DEFAULT, "G", "other");
        source.register("a", KEY, instance(1));
        source.register("a", other, instance(2));
        run(pass);
        source.deregister("a", KEY, instance(1).key());
        run(pass);
        assertThat(target.copies(KEY)).hasSize(1);
        runFor(pass, FOLLOW.hold().plusSeconds(20));
        assertThat(target.copies(KEY)).isEmpty();
        assertThat(target.copies(other)).hasSize(1);
    }

    @Test
    void carriesSettingsAndPersistentInstancesAndWithdrawsThemAfterARestart() {
        Instance persistent = new Instance(instance(7).key(), 1, false, true, false, Map.of(), null);
        source.registerPersistent(KEY, persistent);
        ServiceSettings settings = new ServiceSettings(0.5, Map.of("owner", "shop"), "");
        source.settings.put(KEY, settings);
        run(pass(false));
        assertThat(target.settings.get(KEY)).isEqualTo(settings);
        assertThat(target.persistent.get(KEY).get(persistent.key()).metadata()).containsKey(Origin.MARK);

        source.deregisterPersistent(KEY, persistent);
        source.register("a", new ServiceKey(Namespace.DEFAULT, "G", "other"), instance(2));
        target.registerPersistent(KEY, instance(8));
        ServicePass restarted = pass(false);
        runFor(restarted, Duration.ofMinutes(1));
        assertThat(target.persistent.get(KEY)).containsOnlyKeys(instance(8).key());
    }

    @Test
    void withdrawsEverythingAtTheEnd() {
        ServicePass pass = pass(true);
        source.register("a", KEY, instance(1));
        target.register("b", KEY, instance(2));
        run(pass);
        assertThat(pass.copies()).isEqualTo(2);
        pass.withdraw(List.of(Namespace.DEFAULT));
        assertThat(pass.copies()).isZero();
        assertThat(source.copies(KEY)).isEmpty();
        assertThat(target.copies(KEY)).isEmpty();
    }

    /** Clients that move between the sides one by one, with patches, kills of the bridge and outages. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void noListIsShorterThanItsLiveInstances(boolean targetShowsBoth) {
        for (int seed = 0; seed < 200; seed++) {
            move(new Random(seed), targetShowsBoth, "seed " + seed);
        }
    }

    private void move(Random random, boolean targetShowsBoth, String seed) {
        ServiceStoreInMemory old = new ServiceStoreInMemory(true);
        ServiceStoreInMemory young = new ServiceStoreInMemory(targetShowsBoth);
        Map<Side, ServiceStore> stores = Map.of(Side.SOURCE, old, Side.TARGET, young);
        Map<Side, String> addresses = Map.of(Side.SOURCE, "old", Side.TARGET, "new");
        Journal kept = Journal.inMemory();
        ServicePass pass =
                new ServicePass(stores, addresses, true, FOLLOW, clock, kept, new Report(each -> {}), any -> {});
        Map<Integer, ServiceStoreInMemory> live = new HashMap<>();
        for (int step = 0; step < 40; step++) {
            int number = random.nextInt(5);
            InstanceKey key = instance(number).key();
            String client = "client-" + number;
            ServiceStoreInMemory at = live.get(number);
            switch (random.nextInt(6)) {
                case 0, 1, 2 -> {
                    ServiceStoreInMemory next = random.nextBoolean() ? old : young;
                    if (at != next) {
                        next.register(client, KEY, instance(number).withWeight(1 + random.nextInt(3)));
                        live.put(number, next);
                        if (at != null) {
                            at.deregister(client, KEY, key);
                        }
                    }
                }
                case 3 -> {
                    if (at != null) {
                        at.deregister(client, KEY, key);
                        live.remove(number);
                    }
                }
                case 4 -> {
                    if (at != null && (at == old ? young : old).copies(KEY).contains(key)) {
                        (at == old ? young : old).dropMark(key);
                    }
                }
                default -> {
                    old.bridgeEnds();
                    young.bridgeEnds();
                    pass = new ServicePass(
                            stores, addresses, true, FOLLOW, clock, kept, new Report(each -> {}), any -> {});
                }
            }
            run(pass);
            run(pass);
            Set<InstanceKey> expected = new HashSet<>();
            live.keySet().forEach(alive -> expected.add(instance(alive).key()));
            assertThat(keys(old)).as("%s, step %s: source", seed, step).containsAll(expected);
            assertThat(keys(young)).as("%s, step %s: target", seed, step).containsAll(expected);
        }
        // Without clients nothing is left after the longest hold.
        live.forEach((number, at) ->
                at.deregister("client-" + number, KEY, instance(number).key()));
        runFor(pass, FOLLOW.holdAll().plusMinutes(2));
        assertThat(keys(old)).as(seed).isEmpty();
        assertThat(keys(young)).as(seed).isEmpty();
    }

    private static Set<InstanceKey> keys(ServiceStoreInMemory server) {
        Set<InstanceKey> keys = new HashSet<>();
        server.read(KEY).instances().forEach(instance -> keys.add(instance.key()));
        return keys;
    }
}
