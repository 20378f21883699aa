package io.cairn.benchmark.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.benchmark.wire.Envelope.Member;
import io.netty.buffer.Unpooled;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

class EnvelopeTest {
    @Test
    void theBytesAreTheProtobufOfAPayload() {
        // metadata (2) { type (3): "T", clientIp (8): "127.0.0.1" }, body (3) { value (2): "{}" }
        assertThat(HexFormat.of().formatHex(Envelope.write("T", "{}")))
                .isEqualTo("0000000016" + "120e" + "1a0154" + "42093132372e302e302e31" + "1a04" + "12027b7d");
    }

    @Test
    void theTokenIsAHeaderOfTheMetadata() {
        // metadata { type: "T", clientIp: "127.0.0.1", headers (7) {"accessToken": "t"} }, body { value: "{}" }
        byte[] request = Envelope.withToken(Envelope.write("T", "{}"), "t");

        assertThat(HexFormat.of().formatHex(request))
                .isEqualTo("0000000028" + "1220" + "1a0154" + "42093132372e302e302e31" + "3a10"
                        + "0a0b616363657373546f6b656e" + "120174" + "1a04" + "12027b7d");
    }

    @Test
    void headersTypeUrlsAndUnknownFieldsAreSkipped() {
        // metadata { headers (7) {"a":"b"}, type "Push" }, field 9 varint 300, body { type_url (1): "x", value }
        byte[] bytes = HexFormat.of()
                .parseHex("120e" + "3a06" + "0a0161120162" + "1a0450757368" + "48ac02" + "1a18" + "0a0178" + "1213"
                        + "7b22646174614964223a22612e79616d6c227d");
        Envelope push = Envelope.read(Unpooled.wrappedBuffer(bytes), 0, bytes.length);
        assertThat(push.type()).isEqualTo("Push");
        assertThat(push.header("a")).isEqualTo("b");
        assertThat(push.header("b")).isNull();
        assertThat(push.body()).isEqualTo("{\"dataId\":\"a.yaml\"}");
        assertThat(push.member(Member.DATA_ID)).isEqualTo("a.yaml");
        assertThat(push.member(Member.REQUEST_ID)).isNull();
    }

    @Test
    void aRefusalIsNotASuccess() {
        assertThat(read("{\"resultCode\":200,\"errorCode\":0,\"success\":true}").refusal())
                .isNull();
        assertThat(read("{\"resultCode\":500,\"errorCode\":300,\"message\":\"config data not exist\"}")
                        .refusal())
                .isEqualTo("Answer {\"resultCode\":500,\"errorCode\":300,\"message\":\"config data not exist\"}");
    }

    private static Envelope read(String json) {
        byte[] message = Envelope.write("Answer", json);
        return Envelope.read(Unpooled.wrappedBuffer(message), 5, message.length - 5);
    }
}
