package io.cairn.server.mysql;

import io.cairn.server.nodes.DatabaseProcess;
import io.cairn.server.nodes.DatabaseServer;
import io.cairn.server.nodes.load.ClusterEndurance;
import org.junit.jupiter.api.Tag;

@Tag("endurance")
class ClusterEnduranceIT extends ClusterEndurance {

    @Override
    protected DatabaseServer startDatabase(String schema) {
        TestSchema.assumeOwnProcess();
        return DatabaseProcess.runningWith(schema);
    }
}
