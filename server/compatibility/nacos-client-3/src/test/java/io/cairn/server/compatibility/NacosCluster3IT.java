package io.cairn.server.compatibility;

import java.time.Duration;

/** Generation 3 over gRPC: a client whose node fails connects to another one. */
class NacosCluster3IT extends ClusterScenarios {
    @Override
    Duration pauseAfterLoss() {
        return ClusterClients.UNTIL_LISTENS_ARE_HEALED;
    }
}
