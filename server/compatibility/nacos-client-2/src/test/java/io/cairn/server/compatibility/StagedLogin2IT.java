package io.cairn.server.compatibility;

class StagedLogin2IT extends StagedLoginScenarios {}
