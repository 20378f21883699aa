package io.cairn.server.compatibility;

import static org.assertj.core.api.Assertions.assertThat;

import com.alibaba.nacos.api.config.ConfigService;
import com.alibaba.nacos.api.exception.NacosException;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Releases by the labels that official clients send since 2.3. */
@Tag("full")
public abstract class LabelReleaseScenarios extends ConfigScenarios {

    private ConfigService labelled(String labels) throws NacosException {
        return clients().open(Map.of("nacos.app.conn.labels", labels));
    }

    @Test
    void aReleaseReachesTheClientsWithItsLabelsUntilItEnds() throws Exception {
        String dataId = newDataId();
        clients().open().publishConfig(dataId, GROUP, "for all");
        ConfigService inZoneA = labelled("zone=a,version=1.3");
        ConfigService inZoneB = labelled("zone=b,version=1.3");
        var listenerA = new RecordingListener();
        var listenerB = new RecordingListener();
        inZoneA.addListener(dataId, GROUP, listenerA);
        inZoneB.addListener(dataId, GROUP, listenerB);
        awaitNow(listenerA, "for all");
        awaitNow(listenerB, "for all");

        assertThat(http().publishForLabels(dataId, GROUP, "zone-a", "zone = a && version != 1.2", "for zone a")
                        .statusCode())
                .isEqualTo(200);

        awaitNow(listenerA, "for zone a");
        assertThat(inZoneA.getConfig(dataId, GROUP, READ_TIMEOUT_MS)).isEqualTo("for zone a");
        assertThat(inZoneB.getConfig(dataId, GROUP, READ_TIMEOUT_MS)).isEqualTo("for all");
        clients().open().publishConfig(dataId, GROUP, "for all others");
        awaitNow(listenerB, "for all others");
        assertThat(listenerA.contents()).endsWith("for zone a");

        assertThat(http().removeRelease(dataId, GROUP, "zone-a").statusCode()).isEqualTo(200);

        awaitNow(listenerA, "for all others");
        assertThat(listenerB.contents()).containsExactly("for all", "for all others");
    }
}
