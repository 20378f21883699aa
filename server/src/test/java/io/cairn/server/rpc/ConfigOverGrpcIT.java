package io.cairn.server.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.api.config.ContentDigest;
import io.cairn.api.wire.Payload;
import io.cairn.server.support.CairnExtension;
import io.cairn.server.support.WireClient;
import java.util.concurrent.TimeUnit;
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

    @Test
    void whoTakesAPushAndDoesNotAskForTheChangeIsToldAgain() throws Exception {
        try (WireClient losing = cairn.newClient();
                WireClient following = cairn.newClient();
                WireClient reading = cairn.newClient();
                WireClient writer = cairn.newClient()) {
            losing.listen("lost.yaml", "");
            following.listen("lost.yaml", "");
            reading.listen("lost.yaml", "");
            writer.publish("lost.yaml", "a: 1");
            assertThat(WireClient.tree(losing.nextPush()).path("dataId").asString())
                    .isEqualTo("lost.yaml");
            following.nextPush();
            following.listen("lost.yaml", ContentDigest.of("a: 1").toString());
            reading.nextPush();
            reading.query("lost.yaml");

            Payload again = losing.pushes().poll(30, TimeUnit.SECONDS);

            assertThat(again).isNotNull();
            assertThat(again.type()).isEqualTo("ConfigChangeNotifyRequest");
            assertThat(WireClient.tree(again).path("dataId").asString()).isEqualTo("lost.yaml");
            assertThat(following.pushes()).isEmpty();
            assertThat(reading.pushes()).isEmpty();
        }
    }
}
