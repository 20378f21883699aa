package io.cairn.server.compatibility;

import io.cairn.testing.HangLimit;
import org.junit.jupiter.api.Test;

class MigrationEndurance1IT extends MigrationEnduranceScenarios {

    @Test
    @HangLimit
    void noCallFailsOnTheWayFromNacos13AndBack() throws Exception {
        moveThereAndBack(NacosProcess.Release.NACOS_1_3);
    }

    @Test
    @HangLimit
    void noCallFailsOnTheWayFromNacos25AndBack() throws Exception {
        moveThereAndBack(NacosProcess.Release.NACOS_2_5);
    }

    @Test
    @HangLimit
    void noCallFailsOnTheWayFromNacos31AndBack() throws Exception {
        moveThereAndBack(NacosProcess.Release.NACOS_3_1);
    }
}
