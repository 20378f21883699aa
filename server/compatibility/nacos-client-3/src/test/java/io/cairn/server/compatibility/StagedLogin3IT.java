package io.cairn.server.compatibility;

class StagedLogin3IT extends StagedLoginScenarios {}
