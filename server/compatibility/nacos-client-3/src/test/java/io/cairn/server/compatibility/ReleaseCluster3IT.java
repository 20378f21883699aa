package io.cairn.server.compatibility;

class ReleaseCluster3IT extends ReleaseClusterScenarios {}
