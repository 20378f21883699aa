package io.cairn.server.compatibility;

/** Generation 3 over gRPC: a client whose node fails connects to another one. */
class NacosCluster3IT extends ClusterScenarios {}
