package io.cairn.server.compatibility;

class StagedCluster1IT extends StagedClusterScenarios {}
