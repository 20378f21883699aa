package io.cairn.server.compatibility;

class StagedCluster2IT extends StagedClusterScenarios {}
