package io.cairn.server.cluster.replication;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Random schedules of crashes, pauses, splits, restarts, lost messages and moving clients. At no moment a list lacks an instance whose
 * client is alive; at rest all copies equal their owners and all lists are what the clients have registered.
 */
class ReplicationModelTest {

    private static final int SCHEDULES = Integer.getInteger("cairn.test.model.schedules", 2_000);
    private static final int REAL_SCHEDULES = Integer.getInteger("cairn.test.model.real-schedules", 500);
    private static final long FIRST_SEED = Long.getLong("cairn.test.model.seed", 1);
    private static final int FAULTS = 6;

    @Test
    void noScheduleMakesListShorterOrLeavesCopiesDifferent() {
        run(SCHEDULES, RegistryOfModel::new);
    }

    @Test
    void noScheduleMakesListOfTheServersRegistryShorter() {
        run(REAL_SCHEDULES, NamingServiceNode::new);
    }

    private static void run(int schedules, Function<NodeRegistry.Surroundings, NodeRegistry> registries) {
        long lost = 0;
        for (long seed = FIRST_SEED; seed < FIRST_SEED + schedules; seed++) {
            ReplicationModel model = new ReplicationModel(seed, FAULTS, registries);
            AssertionError failure = failureOf(model);
            if (failure != null) {
                throw shrunk(seed, failure, registries);
            }
            lost += model.lostMessages();
        }
        // The repair was exercised.
        assertThat(lost).isGreaterThanOrEqualTo(schedules / 4);
    }

    /** How many schedules fail; for trying the model on a defect that was put into the code by hand. */
    static int failures(long firstSeed, int schedules, Function<NodeRegistry.Surroundings, NodeRegistry> registries) {
        int failures = 0;
        for (long seed = firstSeed; seed < firstSeed + schedules; seed++) {
            failures += failureOf(new ReplicationModel(seed, FAULTS, registries)) == null ? 0 : 1;
        }
        return failures;
    }

    private static @Nullable AssertionError failureOf(ReplicationModel model) {
        try {
            model.run();
            return null;
        } catch (AssertionError e) {
            return e;
        }
    }

    /** The shortest beginning of the schedule that fails, with its story. */
    private static AssertionError shrunk(
            long seed, AssertionError first, Function<NodeRegistry.Surroundings, NodeRegistry> registries) {
        for (int faults = 0; faults < FAULTS; faults++) {
            ReplicationModel model = new ReplicationModel(seed, faults, registries);
            AssertionError failure = failureOf(model);
            if (failure != null) {
                return told(seed, faults, model, failure);
            }
        }
        ReplicationModel model = new ReplicationModel(seed, FAULTS, registries);
        AssertionError again = failureOf(model);
        return told(seed, FAULTS, model, again == null ? first : again);
    }

    private static AssertionError told(long seed, int faults, ReplicationModel model, AssertionError failure) {
        return new AssertionError(
                "seed " + seed + ", faults " + faults + ": " + failure.getMessage() + "\n"
                        + String.join("\n", model.story()),
                failure);
    }
}
