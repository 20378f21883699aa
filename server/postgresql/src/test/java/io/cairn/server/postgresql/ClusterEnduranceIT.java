package io.cairn.server.postgresql;

import io.cairn.server.nodes.DatabaseServer;
import io.cairn.server.nodes.PostgreSqlProcess;
import io.cairn.server.nodes.load.ClusterEndurance;
import org.junit.jupiter.api.Tag;

@Tag("endurance")
class ClusterEnduranceIT extends ClusterEndurance {

    @Override
    protected DatabaseServer startDatabase(String schema) {
        TestSchema.assumeServer();
        return PostgreSqlProcess.runningWith(schema);
    }
}
