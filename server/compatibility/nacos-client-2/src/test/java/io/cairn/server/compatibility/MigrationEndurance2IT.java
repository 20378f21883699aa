package io.cairn.server.compatibility;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class MigrationEndurance2IT extends MigrationEnduranceScenarios {

    @Test
    @Timeout(3600)
    void noCallFailsOnTheWayFromNacos25AndBack() throws Exception {
        moveThereAndBack(NacosProcess.Release.NACOS_2_5);
    }

    @Test
    @Timeout(3600)
    void noCallFailsOnTheWayFromNacos31AndBack() throws Exception {
        moveThereAndBack(NacosProcess.Release.NACOS_3_1);
    }
}
