package io.cairn.server.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.api.wire.Payload;
import io.cairn.server.support.CairnExtension;
import io.cairn.server.support.WireClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;

class ConfigOverGrpcIT {

    @RegisterExtension
    static final CairnExtension cairn = CairnExtension.temporary();

    @Test
    void aListenerIsToldOfWhatAnotherClientPublishes() {
        try (WireClient reader = cairn.newClient();
                WireClient writer = cairn.newClient()) {
            assertThat(reader.listen("push.yaml", "").path("changedConfigs").size())
                    .isZero();

            assertThat(writer.publish("push.yaml", "a: 1").path("success").asBoolean())
                    .isTrue();

            Payload push = reader.nextPush();
            assertThat(push.type()).isEqualTo("ConfigChangeNotifyRequest");
            JsonNode body = WireClient.tree(push);
            assertThat(body.path("dataId").asString()).isEqualTo("push.yaml");
            assertThat(body.has("tenant")).isFalse();
            assertThat(reader.query("push.yaml").path("content").asString()).isEqualTo("a: 1");
        }
    }
}
