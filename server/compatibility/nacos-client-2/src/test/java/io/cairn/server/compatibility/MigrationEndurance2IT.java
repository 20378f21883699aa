package io.cairn.server.compatibility;

import io.cairn.testing.HangLimit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class MigrationEndurance2IT extends MigrationEnduranceScenarios {

    @ParameterizedTest
    @EnumSource(names = "NACOS_1_3", mode = EnumSource.Mode.EXCLUDE)
    @HangLimit
    void noCallFailsWhileClientsMoveThereAndBack(NacosProcess.Release release) throws Exception {
        moveThereAndBack(release);
    }
}
