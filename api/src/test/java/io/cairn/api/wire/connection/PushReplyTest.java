package io.cairn.api.wire.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cairn.api.wire.FlatJson;
import io.cairn.api.wire.JsonInput;
import io.cairn.api.wire.MalformedMessageException;
import io.cairn.api.wire.Payload;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PushReplyTest {

    @Test
    void aReplySucceedsUnlessItsResultCodeIsAnError() {
        assertThat(reply("{\"resultCode\":200,\"errorCode\":0,\"requestId\":\"12\",\"success\":true}"))
                .isEqualTo(new PushReply("12", true));
        assertThat(reply("{\"resultCode\":500,\"requestId\":\"12\"}")).isEqualTo(new PushReply("12", false));
        // The Node SDK sends no request id.
        assertThat(reply("{}")).isEqualTo(new PushReply(null, true));
        assertThat(reply("{\"requestId\":12}")).isEqualTo(new PushReply("12", true));
        assertThat(reply("{\"requestId\":null,\"resultCode\":null}")).isEqualTo(new PushReply(null, true));
    }

    /** In the spelling of the SDKs for Java, Go, Python and Node. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"resultCode\":200,\"errorCode\":0,\"requestId\":\"3\",\"success\":true}",
                "{\"resultCode\":200,\"errorCode\":0,\"success\":true,\"message\":\"\",\"requestId\":\"3\"}",
                "{\"resultCode\": 200, \"errorCode\": 0, \"message\": null, \"requestId\": \"3\"}",
                "{}",
                " {\n\t\"requestId\" : \"3\"\r\n} "
            })
    void readsTheRepliesOfSdksWithoutTheParser(String json) {
        assertThat(isPlain(json)).isTrue();
        assertThat(reply(json)).isEqualTo(JsonInput.read(json, PushReply::read));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"requestId\":\"\\u0033\"}",
                "{\"requestId\":\"\u00fc\"}",
                "{\"headers\":{},\"requestId\":\"3\"}",
                "{\"list\":[1],\"requestId\":\"3\"}",
                "{\"time\":1.5e3,\"requestId\":\"3\"}",
                "{\"time\":12345678901,\"requestId\":\"3\"}"
            })
    void readsOtherJsonWithTheParser(String json) {
        assertThat(isPlain(json)).isFalse();
        assertThat(reply(json)).isEqualTo(JsonInput.read(json, PushReply::read));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{",
                "[]",
                "{}}",
                "{,}",
                "{\"requestId\"}",
                "{\"requestId\":}",
                "{\"requestId\":\"3\",}",
                "{\"requestId\":\"3\"",
                "{\"requestId\":\"3",
                "{\"requestId\":3 4}",
                "{\"requestId\":03}",
                "{\"requestId\":-}",
                "{\"requestId\":tru}",
                "{\"requestId\":nullx}",
                "{\"requestId\":{}}",
                "{\"resultCode\":\"ok\"}",
                "{\"resultCode\":true}"
            })
    void reportsMalformedReplies(String json) {
        assertThatThrownBy(() -> reply(json)).isInstanceOf(MalformedMessageException.class);
    }

    /** Texts built of random pieces of a reply: the plain reader and the parser give the same result. */
    @Test
    void plainReaderAndParserAgree() {
        String[] pieces =
                ("{|}|{|}|,|,|:|:|\"requestId\"|\"resultCode\"|\"x\"|\"\"|\"3\"|200|500|0|-|-1|1.5|2e3|1234567890|true"
                                + "|false|null|[|]| |\n|\u00fc|\\|\"")
                        .split("\\|");
        Random random = new Random(20261122);
        Set<String> compared = new HashSet<>();
        int plain = 0;
        for (int i = 0; i < 200_000; i++) {
            StringBuilder json = new StringBuilder("{");
            for (int fields = random.nextInt(4); fields > 0; fields--) {
                json.append(pieces[8 + random.nextInt(3)]).append(':').append(pieces[11 + random.nextInt(13)]);
                json.append(fields > 1 ? "," : "");
            }
            json.append('}');
            for (int changes = random.nextInt(3); changes > 0; changes--) {
                int at = random.nextInt(json.length() + 1);
                if (random.nextBoolean()) {
                    json.insert(at, pieces[random.nextInt(pieces.length)]);
                } else {
                    json.setLength(at);
                }
            }
            String text = json.toString();
            plain += isPlain(text) ? 1 : 0;
            // Short replies repeat; both outcomes depend on the text alone.
            if (compared.add(text)) {
                Object withoutParser = outcome(text, PushReplyTest::reply);
                Object withParser = outcome(text, read -> JsonInput.read(payload(read), PushReply::read));
                if (!withoutParser.equals(withParser)) {
                    assertThat(withoutParser).as(text).isEqualTo(withParser);
                }
            }
        }
        assertThat(compared.size()).as("different texts").isGreaterThan(70_000);
        assertThat(plain).as("of them plain").isBetween(20_000, 180_000);
    }

    private static Object outcome(String json, Function<String, PushReply> reader) {
        try {
            return reader.apply(json);
        } catch (MalformedMessageException e) {
            return String.valueOf(e.getMessage());
        }
    }

    private static boolean isPlain(String json) {
        FlatJson body = new FlatJson(payload(json));
        while (body.next()) {
            body.text();
        }
        return body.isWhole();
    }

    private static PushReply reply(String json) {
        return PushReply.of(payload(json));
    }

    private static Payload payload(String json) {
        return Payload.read(Payload.of("NotifySubscriberResponse", json.getBytes(StandardCharsets.UTF_8))
                .encoded());
    }
}
