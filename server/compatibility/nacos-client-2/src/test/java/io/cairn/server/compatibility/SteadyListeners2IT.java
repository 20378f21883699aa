package io.cairn.server.compatibility;

/** Generation 2, whose listens a broken connection may lose. */
class SteadyListeners2IT extends SteadyListenersScenarios {}
