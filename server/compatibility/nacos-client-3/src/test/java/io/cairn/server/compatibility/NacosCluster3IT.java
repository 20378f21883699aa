package io.cairn.server.compatibility;

import org.junit.jupiter.api.Tag;

/** Generation 3 over gRPC: a client whose node fails connects to another one. */
@Tag("full")
class NacosCluster3IT extends ClusterScenarios {}
