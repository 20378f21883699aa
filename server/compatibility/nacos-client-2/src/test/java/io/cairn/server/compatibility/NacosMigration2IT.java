package io.cairn.server.compatibility;

class NacosMigration2IT extends MigrationScenarios {}
