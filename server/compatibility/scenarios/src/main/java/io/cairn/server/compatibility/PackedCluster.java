package io.cairn.server.compatibility;

import io.cairn.server.nodes.ClusterOfProcesses;
import io.cairn.server.nodes.DatabaseProcess;
import io.cairn.server.nodes.NodeProcess;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;

/** Three packed nodes with their own MariaDB. */
final class PackedCluster implements AutoCloseable {
    static final int NODES = 3;
    private static final String SCHEMA = "cluster";

    private final DatabaseProcess database;
    private final ClusterOfProcesses nodes;

    private PackedCluster(DatabaseProcess database, ClusterOfProcesses nodes) {
        this.database = database;
        this.nodes = nodes;
    }

    /**
     * Returns when all nodes serve. Aborts the test on a system without the build's MariaDB.
     *
     * @param folder of the homes
     * @param settings program arguments
     */
    static PackedCluster start(Path folder, String... settings) {
        return start(folder, PackedNode.with(settings));
    }

    static PackedCluster start(Path folder, NodeProcess.Launcher launcher) {
        Assumptions.assumeTrue(DatabaseProcess.obstacle() == null, DatabaseProcess::obstacle);
        DatabaseProcess database = DatabaseProcess.runningWith(SCHEMA);
        try {
            return new PackedCluster(
                    database, ClusterOfProcesses.start(folder, database.access(SCHEMA), launcher, NODES));
        } catch (RuntimeException | AssertionError e) {
            database.close();
            throw e;
        }
    }

    ClusterOfProcesses nodes() {
        return nodes;
    }

    @Override
    public void close() {
        try {
            nodes.close();
        } finally {
            database.close();
        }
    }
}
