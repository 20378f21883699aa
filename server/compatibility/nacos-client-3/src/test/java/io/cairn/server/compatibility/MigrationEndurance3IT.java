package io.cairn.server.compatibility;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Without Nacos 2.5: there this client keeps its configurations in a tenant "public" beside the default one. */
class MigrationEndurance3IT extends MigrationEnduranceScenarios {

    @Test
    @Timeout(3600)
    void noCallFailsOnTheWayFromNacos31AndBack() throws Exception {
        moveThereAndBack(NacosProcess.Release.NACOS_3_1);
    }
}
