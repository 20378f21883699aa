package io.cairn.server.compatibility;

import io.cairn.testing.HangLimit;
import org.junit.jupiter.api.Test;

/** Without Nacos 2.5: there this client keeps its configurations in a tenant "public" beside the default one. */
class MigrationEndurance3IT extends MigrationEnduranceScenarios {

    @Test
    @HangLimit
    void noCallFailsOnTheWayFromNacos31AndBack() throws Exception {
        moveThereAndBack(NacosProcess.Release.NACOS_3_1);
    }
}
