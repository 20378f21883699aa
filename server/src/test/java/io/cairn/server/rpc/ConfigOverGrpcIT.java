package io.cairn.server.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.api.config.ContentDigest;
import io.cairn.api.wire.Payload;
import io.cairn.server.support.CairnExtension;
import io.cairn.server.support.WireClient;
import java.util.List;
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
    void whoTakesAPushAndDoesNotFollowTheChangeIsToldAgain() throws Exception {
        try (WireClient losing = cairn.newClient();
                WireClient following = cairn.newClient();
                WireClient python = cairn.newTransport().setUp("127.0.0.1", "Nacos-Python-Client:v2.0.9");
                WireClient go = cairn.newClient();
                WireClient writer = cairn.newClient()) {
            List<WireClient> listeners = List.of(losing, following, python, go);
            for (WireClient listener : listeners) {
                listener.listen("lost.yaml", "");
                listener.listen("marker.yaml", "");
            }
            writer.publish("lost.yaml", "a: 1");
            for (WireClient listener : listeners) {
                assertThat(dataId(listener.nextPush())).isEqualTo("lost.yaml");
            }
            following.listen("lost.yaml", ContentDigest.of("a: 1").toString());
            assertThat(python.query("lost.yaml").path("content").asString()).isEqualTo("a: 1");
            assertThat(go.query("lost.yaml").path("content").asString()).isEqualTo("a: 1");

            Payload again = losing.nextPush();
            assertThat(again.type()).isEqualTo("ConfigChangeNotifyRequest");
            assertThat(dataId(again)).isEqualTo("lost.yaml");
            assertThat(dataId(go.nextPush()))
                    .as("its application has read, which says nothing of its listener")
                    .isEqualTo("lost.yaml");

            writer.publish("marker.yaml", "b: 1");
            assertThat(dataId(following.nextPush())).isEqualTo("marker.yaml");
            assertThat(dataId(python.nextPush())).isEqualTo("marker.yaml");
        }
    }

    private static String dataId(Payload push) {
        return WireClient.tree(push).path("dataId").asString();
    }
}
