package io.cairn.benchmark.wire;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cairn.benchmark.wire.NamingMessages.Instance;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.QueryStringDecoder;
import java.util.List;
import org.junit.jupiter.api.Test;

class NamingMessagesTest {
    private static final Instance INSTANCE = new Instance(0x10203, 7);
    private static final String INSTANCE_JSON = "{\"ip\":\"10.1.2.3\",\"port\":8080,\"weight\":1.0,\"healthy\":true,"
            + "\"enabled\":true,\"ephemeral\":true,\"clusterName\":\"DEFAULT\","
            + "\"metadata\":{\"preserved.register.source\":\"SPRING_CLOUD\",\"mark\":\"~66051.7~\"},"
            + "\"instanceHeartBeatInterval\":5000,\"instanceHeartBeatTimeOut\":15000,\"ipDeleteTimeout\":30000}";
    private static final String COMMON =
            "{\"headers\":{},\"namespace\":\"public\",\"serviceName\":\"orders\",\"groupName\":\"CAIRN_BENCHMARK\",";

    @Test
    void registrationsAreWrittenAsTheSdkWritesThem() {
        Envelope register = read(NamingMessages.register("orders", INSTANCE));
        assertThat(register.type()).isEqualTo("InstanceRequest");
        assertThat(register.body())
                .isEqualTo(COMMON + "\"type\":\"registerInstance\",\"instance\":" + INSTANCE_JSON
                        + ",\"module\":\"naming\"}");
        Envelope all = read(NamingMessages.registerAll("orders", List.of(INSTANCE, INSTANCE)));
        assertThat(all.type()).isEqualTo("BatchInstanceRequest");
        assertThat(all.body())
                .isEqualTo(COMMON + "\"type\":\"batchRegisterInstance\",\"instances\":[" + INSTANCE_JSON + ","
                        + INSTANCE_JSON + "],\"module\":\"naming\"}");
    }

    @Test
    void aSubscriptionNamesARevisionOnlyWhenItTakesDeltas() {
        assertThat(read(NamingMessages.subscribe("orders")).body())
                .isEqualTo(COMMON + "\"subscribe\":true,\"clusters\":\"\",\"module\":\"naming\"}");
        assertThat(read(NamingMessages.subscribe("orders", true)).body())
                .isEqualTo(COMMON + "\"subscribe\":true,\"clusters\":\"\",\"since\":0,\"module\":\"naming\"}");
    }

    @Test
    void aLightBeatHasNoFormAndAFullOneCarriesTheInstance() {
        String light = new String(NamingMessages.httpBeat("h", "orders", INSTANCE, false), US_ASCII);
        assertThat(light)
                .startsWith("PUT /nacos/v1/ns/instance/beat?app=unknown&serviceName=CAIRN_BENCHMARK%40%40orders"
                        + "&namespaceId=public&port=8080&clusterName=DEFAULT&ip=10.1.2.3 HTTP/1.1\r\n")
                .contains("\r\nContent-Length: 0\r\n")
                .endsWith("\r\n\r\n");
        String full = new String(NamingMessages.httpBeat("h", "orders", INSTANCE, true), US_ASCII);
        String form = full.substring(full.indexOf("\r\n\r\n") + 4);
        assertThat(full).contains("\r\nContent-Length: " + form.length() + "\r\n");
        assertThat(new QueryStringDecoder(form, false).parameters().get("beat"))
                .containsExactly("{\"port\":8080,\"ip\":\"10.1.2.3\",\"weight\":1.0,"
                        + "\"serviceName\":\"CAIRN_BENCHMARK@@orders\",\"cluster\":\"DEFAULT\","
                        + "\"metadata\":{\"preserved.register.source\":\"SPRING_CLOUD\",\"mark\":\"~66051.7~\"},"
                        + "\"scheduled\":false,\"period\":5000,\"stopped\":false}");
    }

    @Test
    void anIndexWithoutAnAddressIsRefused() {
        assertThatThrownBy(() -> new Instance(1 << 24, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("index: 16777216 (expected: 0-16777215)");
    }

    private static Envelope read(byte[] message) {
        return Envelope.read(Unpooled.wrappedBuffer(message), 5, message.length - 5);
    }
}
