package io.cairn.cli.migrate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.Namespace;
import io.cairn.cli.migrate.Decision.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ConfigPassTest {

    private static final ConfigKey KEY = key("a.yaml");

    private final ConfigStoreInMemory source = new ConfigStoreInMemory();
    private final ConfigStoreInMemory target = new ConfigStoreInMemory();
    private final Journal journal = Journal.inMemory();
    private final List<Decision> log = new ArrayList<>();
    private final Report report = new Report(log::add);

    private static ConfigKey key(String dataId) {
        return new ConfigKey(Namespace.DEFAULT, "G", dataId);
    }

    private ConfigPass pass(boolean bothWays, ConflictRule rule) {
        return new ConfigPass(source, target, new ConfigPlan(bothWays, rule), journal, report, false);
    }

    private void run(ConfigPass pass) {
        pass.all(Namespace.DEFAULT, true);
    }

    private List<Outcome> outcomes() {
        return log.stream().map(Decision::outcome).toList();
    }

    @Test
    void carriesAConfigurationAndItsChangesAndItsDeletion() {
        ConfigPass pass = pass(false, ConflictRule.ASK);
        source.edit(KEY, "1", 1);
        run(pass);
        source.edit(KEY, "2", 2);
        run(pass);
        assertThat(target.content(KEY)).isEqualTo("2");
        source.stored.clear();
        run(pass);

        assertThat(target.stored).isEmpty();
        assertThat(outcomes()).containsExactly(Outcome.CREATED, Outcome.UPDATED, Outcome.DELETED);
    }

    @Test
    void leavesConfigurationsOfTheTargetAlone() {
        ConfigPass pass = pass(false, ConflictRule.ASK);
        target.edit(KEY, "own", 1);
        ConfigKey equal = key("equal.yaml");
        source.edit(equal, "1", 1);
        target.edit(equal, "1", 1);
        run(pass);
        source.stored.clear();
        run(pass);

        assertThat(target.content(KEY)).isEqualTo("own");
        assertThat(target.content(equal)).as("not carried by this bridge").isEqualTo("1");
    }

    @Test
    void reportsAConflictOnceAndLeavesBothSides() {
        ConfigPass pass = pass(true, ConflictRule.ASK);
        source.edit(KEY, "1", 1);
        run(pass);
        source.edit(KEY, "2", 2);
        target.edit(KEY, "3", 3);
        run(pass);
        run(pass);

        assertThat(source.content(KEY)).isEqualTo("2");
        assertThat(target.content(KEY)).isEqualTo("3");
        assertThat(outcomes()).containsExactly(Outcome.CREATED, Outcome.CONFLICT);
        assertThat(report.needsOperator()).isTrue();
        target.edit(KEY, "2", 4);
        run(pass);
        assertThat(report.needsOperator()).isFalse();
    }

    @Test
    void aConflictEndsWhenBothSidesDeleteTheConfiguration() {
        ConfigPass pass = pass(false, ConflictRule.ASK);
        source.edit(KEY, "1", 1);
        target.edit(KEY, "2", 2);
        run(pass);
        assertThat(report.unequal()).hasSize(1);
        source.stored.clear();
        target.stored.clear();
        run(pass);
        assertThat(report.unequal()).isEmpty();
    }

    @Test
    void theNewerOfTwoChangesWins() {
        ConfigPass pass = pass(true, ConflictRule.NEWEST);
        source.edit(KEY, "1", 1);
        run(pass);
        source.edit(KEY, "2", 20);
        target.edit(KEY, "3", 30);
        run(pass);

        assertThat(source.content(KEY)).isEqualTo("3");
        assertThat(log.get(1).reason()).contains("the target is newer");
    }

    @Test
    void keepsAChangeOfTheTargetWithoutBothWays() {
        ConfigPass pass = pass(false, ConflictRule.NEWEST);
        source.edit(KEY, "1", 1);
        run(pass);
        target.edit(KEY, "own", 30);
        run(pass);
        run(pass);

        assertThat(target.content(KEY)).isEqualTo("own");
        assertThat(source.content(KEY)).isEqualTo("1");
        assertThat(outcomes()).containsExactly(Outcome.CREATED, Outcome.KEPT);
    }

    @Test
    void deletesNothingForAnEmptySource() {
        ConfigPass pass = pass(false, ConflictRule.ASK);
        for (int i = 0; i < 20; i++) {
            source.edit(key("c" + i), "1", 1);
        }
        run(pass);
        Map<ConfigKey, ConfigState> lost = Map.copyOf(source.stored);
        source.stored.clear();
        run(pass);
        assertThat(target.stored).hasSize(20);
        assertThat(log)
                .anySatisfy(held -> assertThat(held.reason()).contains("the source lists only 0 of 20 configurations"));

        source.stored.putAll(lost);
        source.stored.remove(key("c0"));
        run(pass);
        assertThat(target.stored).hasSize(19);
        assertThat(report.open()).isEmpty();
    }

    @Test
    void changesNothingWhileASideIsAway() {
        ConfigPass pass = pass(false, ConflictRule.ASK);
        source.edit(KEY, "1", 1);
        run(pass);
        source.away = true;
        assertThatThrownBy(() -> run(pass))
                .isInstanceOfSatisfying(SideException.class, away -> assertThat(away.isTemporary())
                        .isTrue());
        assertThat(target.content(KEY)).isEqualTo("1");
    }

    @Test
    void passesADeletionOnAfterAKillBetweenTheWriteAndTheJournal() {
        source.edit(KEY, "1", 1);
        target.awayAfterWrite = true;
        assertThatThrownBy(() -> run(pass(false, ConflictRule.ASK))).isInstanceOf(SideException.class);
        assertThat(target.content(KEY)).isEqualTo("1");
        target.away = false;

        ConfigPass restarted = pass(false, ConflictRule.ASK);
        run(restarted);
        source.stored.clear();
        run(restarted);
        assertThat(target.stored).isEmpty();
    }

    @Test
    void aServerThatStoresAnotherFormCausesNoLoop() {
        target.shortens = true;
        ConfigPass pass = pass(true, ConflictRule.NEWEST);
        source.edit(KEY, "1", 1);
        run(pass);
        run(pass);
        run(pass);

        assertThat(target.writes).isOne();
        assertThat(source.writes).isZero();
    }

    /** Two one-way bridges in opposite directions, each with a journal of its own. */
    @Test
    void twoBridgesInOppositeDirectionsDoNotLoop() {
        ConfigPass there = pass(false, ConflictRule.NEWEST);
        ConfigPass back = new ConfigPass(
                target,
                source,
                new ConfigPlan(false, ConflictRule.NEWEST),
                Journal.inMemory(),
                new Report(decision -> {}),
                false);
        source.edit(KEY, "1", 1);
        for (int round = 0; round < 5; round++) {
            run(there);
            run(back);
        }
        source.edit(KEY, "2", 100);
        for (int round = 0; round < 5; round++) {
            run(there);
            run(back);
        }
        assertThat(source.writes).isZero();
        assertThat(target.writes).isEqualTo(2);
    }

    @ParameterizedTest
    @EnumSource(ConflictRule.class)
    void settlesAfterAnyEdits(ConflictRule rule) {
        for (int seed = 0; seed < 300; seed++) {
            settles(rule, new Random(seed), "seed " + seed);
        }
    }

    private static void settles(ConflictRule rule, Random random, String seed) {
        ConfigStoreInMemory source = new ConfigStoreInMemory();
        ConfigStoreInMemory target = new ConfigStoreInMemory();
        boolean bothWays = random.nextBoolean();
        target.shortens = random.nextInt(4) == 0;
        Report report = new Report(decision -> {});
        Journal journal = Journal.inMemory();
        long clock = 1;
        for (int round = 0; round < 8; round++) {
            for (int edit = random.nextInt(6); edit > 0; edit--) {
                ConfigStoreInMemory side = random.nextBoolean() ? source : target;
                ConfigKey key = key("k" + random.nextInt(4));
                clock += 10;
                if (random.nextInt(3) == 0) {
                    side.stored.remove(key);
                } else {
                    side.edit(key, "v" + random.nextInt(5), clock);
                }
            }
            // A restart keeps the journal alone.
            ConfigPass pass = new ConfigPass(source, target, new ConfigPlan(bothWays, rule), journal, report, false);
            int sourceBefore = source.writes;
            pass.all(Namespace.DEFAULT, random.nextBoolean());
            pass.all(Namespace.DEFAULT, true);
            int writes = source.writes + target.writes;
            pass.all(Namespace.DEFAULT, true);
            assertThat(source.writes + target.writes)
                    .as("%s: a settled pair is written again", seed)
                    .isEqualTo(writes);
            if (!bothWays) {
                assertThat(source.writes).as("%s: one way", seed).isEqualTo(sourceBefore);
            }
            List<String> open = report.open().stream().map(Decision::subject).toList();
            for (int i = 0; i < 4; i++) {
                ConfigKey key = key("k" + i);
                if (!open.contains(key.toString())) {
                    assertThat(target.content(key))
                            .as("%s: %s, %s", seed, key, open)
                            .isEqualTo(source.content(key));
                }
            }
            if (bothWays && rule != ConflictRule.ASK) {
                assertThat(report.open())
                        .as("%s: only deletions of what the bridge has not carried stay open", seed)
                        .allSatisfy(each -> assertThat(each.reason()).contains("this bridge has not carried it over"));
            }
        }
    }
}
