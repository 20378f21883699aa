package io.cairn.server.nodes.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.nodes.ClusterOfProcesses;
import io.cairn.server.nodes.DatabaseServer;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three processes on one database under load, of which one after the other is killed, hangs, or is stopped in order. The database is
 * killed, too, alone and with a node. The clients stay the same over all rounds. {@code -Dcairn.test.cluster.rounds} sets their number,
 * {@code -Dcairn.test.cluster.seed} repeats a run.
 */
public abstract class ClusterEndurance {

    private static final String SCHEMA = "cluster";
    private static final int ROUNDS = Integer.getInteger("cairn.test.cluster.rounds", 100);
    private static final long SEED = Long.getLong("cairn.test.cluster.seed", System.nanoTime());
    private static final int GRPC_CLIENTS = 4;
    private static final int HTTP_INSTANCES = 8;
    /** Past the window in which the clients of a killed node must be elsewhere. */
    private static final int MAX_SECONDS_DOWN = 18;

    private static final int MIN_SECONDS_PAUSED = 5;
    private static final int MAX_SECONDS_PAUSED = 20;
    /** A node that ran on is in step again after this time. */
    private static final int SECONDS_TO_REJOIN = 8;

    @TempDir
    Path folder;

    private final Random random = new Random(SEED);
    private final List<String> failures = new ArrayList<>();

    /** Starts the database with an empty schema of that name, or aborts the test. */
    protected abstract DatabaseServer startDatabase(String schema);

    @Test
    @Timeout(value = 3, unit = TimeUnit.HOURS)
    void noListIsShorterAndNoPublishIsLostOverManyFailures() throws Exception {
        report("seed " + SEED + ", " + ROUNDS + " rounds");
        try (DatabaseServer database = startDatabase(SCHEMA);
                ClusterOfProcesses cluster = ChildNode.cluster(folder, database.access(SCHEMA), 3);
                ClusterLoad load = new ClusterLoad(cluster, GRPC_CLIENTS, HTTP_INSTANCES)) {
            ClusterCheck check = new ClusterCheck(cluster, load);
            check.begin();
            for (int round = 1; round <= ROUNDS; round++) {
                int known = load.violations().size();
                String fault = fail(cluster, database, load);
                try {
                    check.assertSame();
                } catch (AssertionError | RuntimeException e) {
                    throw new AssertionError("seed " + SEED + ", round " + round + ": " + fault + cluster.output(), e);
                }
                List<String> found = load.violations();
                found = found.subList(known, found.size());
                report("round " + round + ": violations " + found + "; so far " + load.acknowledgements()
                        + " publishes acknowledged, " + load.refusals() + " not");
                if (!found.isEmpty()) {
                    failures.add("round " + round + ": " + fault + ": " + found + cluster.output());
                }
                load.resumePublishing();
            }
        }
        assertThat(failures).as("seed %d", SEED).isEmpty();
    }

    /** Has a node or the database fail, and describes the fault when all serve again. */
    private String fail(ClusterOfProcesses cluster, DatabaseServer database, ClusterLoad load)
            throws InterruptedException {
        int node = random.nextInt(cluster.size());
        switch (random.nextInt(5)) {
            case 0 -> {
                int seconds = random.nextInt(MAX_SECONDS_DOWN + 1);
                String fault = "node " + node + " is killed, and started after " + seconds + " s";
                report(fault);
                cluster.kill(node);
                TimeUnit.SECONDS.sleep(seconds);
                cluster.restart(node);
                return fault;
            }
            case 1 -> {
                int seconds = MIN_SECONDS_PAUSED + random.nextInt(MAX_SECONDS_PAUSED - MIN_SECONDS_PAUSED + 1);
                String fault = "node " + node + " hangs for " + seconds + " s";
                report(fault);
                cluster.pause(node);
                TimeUnit.SECONDS.sleep(seconds);
                cluster.resume(node);
                TimeUnit.SECONDS.sleep(SECONDS_TO_REJOIN);
                return fault;
            }
            case 2 -> {
                int seconds = random.nextInt(MAX_SECONDS_DOWN + 1);
                String fault = "the database is killed, and started after " + seconds + " s";
                report(fault);
                load.databaseGoesAway();
                database.kill();
                TimeUnit.SECONDS.sleep(seconds);
                database.start();
                load.databaseIsBack();
                return fault;
            }
            case 3 -> {
                String fault = "the database and node " + node + " are killed, and started";
                report(fault);
                load.databaseGoesAway();
                database.kill();
                cluster.kill(node);
                database.start();
                cluster.restart(node);
                load.databaseIsBack();
                return fault;
            }
            default -> {
                String fault = "node " + node + " is stopped in order, and started";
                report(fault);
                cluster.stop(node);
                cluster.restart(node);
                return fault;
            }
        }
    }

    private static void report(String line) {
        System.out.println(Instant.now() + " endurance: " + line);
    }
}
