package io.cairn.server.compatibility;

class NacosOnReleases2IT extends NacosOnReleasesScenarios {}
