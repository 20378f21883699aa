package io.cairn.server.http.naming;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

/**
 * Random schedules of drains beside registrations, moves, stops and the death of a node. No drain is acknowledged while a connected
 * consumer has a list with the instance; at the end all drains are over, and the lists show what is registered.
 */
class DrainModelTest {

    private static final int SCHEDULES = Integer.getInteger("cairn.test.model.schedules", 2_000);
    private static final long FIRST_SEED = Long.getLong("cairn.test.model.seed", 1);

    @Test
    void noScheduleIsAcknowledgedTooEarlyOrLeavesADrain() throws Exception {
        long checked = 0;
        for (long seed = FIRST_SEED; seed < FIRST_SEED + SCHEDULES; seed++) {
            DrainModel model = new DrainModel(seed, true);
            try {
                model.run();
            } catch (AssertionError e) {
                throw new AssertionError(
                        "seed " + seed + ": " + e.getMessage() + '\n' + String.join("\n", model.story()), e);
            }
            checked += model.checkedDrains();
        }
        // The acknowledgements were exercised.
        assertThat(checked).isGreaterThan(SCHEDULES / 4);
    }

    /** Shows that the schedules need the second question of a drain, and that the model notices its absence. */
    @Test
    void aScheduleIsAcknowledgedTooEarlyWithoutTheSecondQuestion() {
        assertThatThrownBy(() -> {
                    for (long seed = FIRST_SEED; seed < FIRST_SEED + SCHEDULES; seed++) {
                        new DrainModel(seed, false).run();
                    }
                })
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("after the acknowledgement");
    }
}
