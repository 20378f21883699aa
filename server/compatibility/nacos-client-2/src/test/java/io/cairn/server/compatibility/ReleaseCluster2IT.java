package io.cairn.server.compatibility;

class ReleaseCluster2IT extends ReleaseClusterScenarios {}
