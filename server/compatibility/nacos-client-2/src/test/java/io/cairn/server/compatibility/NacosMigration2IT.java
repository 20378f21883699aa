package io.cairn.server.compatibility;

class NacosMigration2IT extends MigrationScenarios {

    @Override
    NacosProcess.Release release() {
        return NacosProcess.Release.NACOS_2_5;
    }
}
