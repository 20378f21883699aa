package io.cairn.server.compatibility;

class StagedLogin1IT extends StagedLoginScenarios {}
