package io.cairn.server.http.envelope;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.api.wire.JsonOutput;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class JsonBodyTest {

    private record Sample(String zeta, int alpha, @Nullable String absent, Map<String, String> map) {}

    @Test
    void textsAreEscapedAsInAnswersWithReadyBytes() {
        StringBuilder all = new StringBuilder();
        for (char c = 0; c < Character.MAX_VALUE; c++) {
            if (!Character.isSurrogate(c)) {
                all.append(c);
            }
        }
        all.appendCodePoint(0x1F600).appendCodePoint(0x10FFFF);
        String text = all.toString();

        assertThat(JsonBody.of(new LinkedHashMap<>(Map.of("data", text))))
                .isEqualTo(new JsonOutput(64).text("data", text).toBytes());
    }

    @Test
    void membersKeepTheOrderOfTheirComponentsAndOfTheMap() {
        Map<String, String> map = new LinkedHashMap<>();
        map.put("b", "1");
        map.put("a", "2");

        assertThat(JsonBody.of(new Sample("z/", -1, null, map)))
                .asString()
                .isEqualTo("{\"zeta\":\"z/\",\"alpha\":-1,\"absent\":null,\"map\":{\"b\":\"1\",\"a\":\"2\"}}");
    }
}
