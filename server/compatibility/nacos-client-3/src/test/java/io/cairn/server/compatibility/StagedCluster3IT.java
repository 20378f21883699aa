package io.cairn.server.compatibility;

class StagedCluster3IT extends StagedClusterScenarios {}
