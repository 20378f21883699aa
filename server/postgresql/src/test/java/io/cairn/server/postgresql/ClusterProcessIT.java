package io.cairn.server.postgresql;

import static org.awaitility.Awaitility.await;

import io.cairn.server.nodes.ClusterOfProcesses;
import io.cairn.server.nodes.PostgreSqlProcess;
import io.cairn.server.nodes.load.ChildNode;
import io.cairn.server.nodes.load.ClusterCheck;
import io.cairn.server.nodes.load.ClusterLoad;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Three processes on one database under load, with a SIGKILL of the database and of a node. */
@Tag("full")
class ClusterProcessIT {

    private static final String DATABASE = "cluster";

    @TempDir
    Path folder;

    @Test
    void noPublishIsLostWhenTheDatabaseAndANodeAreKilled() throws Exception {
        TestSchema.assumeServer();
        try (PostgreSqlProcess database = PostgreSqlProcess.runningWith(DATABASE);
                ClusterOfProcesses cluster = ChildNode.cluster(folder, database.access(DATABASE), 3);
                ClusterLoad load = new ClusterLoad(cluster, 3, 6)) {
            ClusterCheck check = new ClusterCheck(cluster, load);
            check.begin();
            int refusals = load.refusals();
            load.databaseGoesAway();
            database.kill();
            await().until(() -> load.refusals() > refusals);
            cluster.kill(0);
            database.start();
            cluster.restart(0);
            load.databaseIsBack();
            check.assertWhole();
        }
    }
}
