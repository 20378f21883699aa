package io.cairn.server.compatibility;

class NacosMigration1IT extends MigrationScenarios {

    @Override
    NacosProcess.Release release() {
        return NacosProcess.Release.NACOS_1_3;
    }
}
