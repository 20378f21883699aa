package io.cairn.server.compatibility;

/** Generation 2, whose listens a broken connection may lose. */
class FaultyNetwork2IT extends FaultyNetworkScenarios {}
