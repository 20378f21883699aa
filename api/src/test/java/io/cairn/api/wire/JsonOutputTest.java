package io.cairn.api.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

/** The hand-written JSON against Jackson's. */
class JsonOutputTest {

    private static final JsonMapper JACKSON = JsonMapper.builder().build();

    @Test
    void refusesNumbersThatJsonCannotExpress() {
        assertThatThrownBy(() -> new JsonOutput(0).decimal("weight", Double.NaN))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("weight: NaN (expected: a number)");
    }

    @Test
    void anObjectWithoutFieldsIsEmpty() {
        assertThat(text(new JsonOutput(0))).isEqualTo("{}");
    }

    @Test
    void fieldsStandInTheOrderOfTheCalls() {
        JsonOutput out = new JsonOutput(0)
                .number("n", -1)
                .text("t", "x")
                .flag("yes", true)
                .flag("no", false)
                .json("j", "[{}]")
                .utf8("u", "é".getBytes(StandardCharsets.UTF_8))
                .number("max", Long.MAX_VALUE)
                .number("min", Long.MIN_VALUE);

        assertThat(text(out))
                .isEqualTo("{\"n\":-1,\"t\":\"x\",\"yes\":true,\"no\":false,\"j\":[{}],\"u\":\"é\","
                        + "\"max\":9223372036854775807,\"min\":-9223372036854775808}");
    }

    @ParameterizedTest
    @ValueSource(strings = {"\"x\"", "\"é\"", "{\"名\":\"组\"}", "[\"🐚\",\"a\"]"})
    void writesEncodedJsonInUtf8(String json) {
        assertThat(text(new JsonOutput(0).number("a", 1).json("j", json).number("b", 2)))
                .isEqualTo("{\"a\":1,\"j\":" + json + ",\"b\":2}");
    }

    @Test
    void anAbsentTextLeavesNoTrace() {
        assertThat(text(new JsonOutput(0).text("a", null))).isEqualTo("{}");
        assertThat(text(new JsonOutput(0).text("a", null).text("b", "").text("c", null)))
                .isEqualTo("{\"b\":\"\"}");
    }

    @Test
    void separatesNestedObjectsOfAnyContent() {
        Map<String, Boolean> abilities = new LinkedHashMap<>();
        abilities.put("a", true);
        abilities.put("b", false);
        JsonOutput out = new JsonOutput(0)
                .flags("none", Map.of())
                .flags("some", abilities)
                .objects("list", List.of("x", "", "z"), (value, object) -> object.text(
                                "v", value.isEmpty() ? null : value)
                        .number("n", value.length()))
                .objects("empty", List.<String>of(), (value, object) -> {})
                .objects("blank", List.of(1, 2), (value, object) -> {})
                .text("end", "{");

        assertThat(text(out))
                .isEqualTo("{\"none\":{},\"some\":{\"a\":true,\"b\":false},"
                        + "\"list\":[{\"v\":\"x\",\"n\":1},{\"n\":0},{\"v\":\"z\",\"n\":1}],"
                        + "\"empty\":[],\"blank\":[{},{}],\"end\":\"{\"}");
    }

    @Test
    void textsThatEndInABracketAreFollowedByAComma() {
        assertThat(text(new JsonOutput(0).text("a", "[").text("b", "{").json("c", "1")))
                .isEqualTo("{\"a\":\"[\",\"b\":\"{\",\"c\":1}");
    }

    @Test
    void everyAsciiCharacterIsWrittenAsJacksonWritesIt() {
        for (char c = 0; c < 0x80; c++) {
            assertSameAsJackson("a" + c + "b");
            assertSameAsJackson(String.valueOf(c));
        }
    }

    @Test
    void charactersBeyondAsciiStandForThemselves() {
        assertSameAsJackson("\u0080\u00e9\u07ff\u0800\u2028\u2029\ufeff\uffff");
        assertSameAsJackson("名前 😀 \ud83d\udc69\u200d\ud83d\udcbb \udbff\udfff");
    }

    @Test
    void seededRandomTextsAreWrittenAsJacksonWritesThem() {
        Random random = new Random(20261121);
        for (int round = 0; round < 3_000; round++) {
            int limit = new int[] {0x20, 0x80, 0x800, 0x10000, Character.MAX_CODE_POINT + 1}[random.nextInt(5)];
            assertSameAsJackson(random.ints(0, limit)
                    .filter(c -> c < Character.MIN_SURROGATE || c > Character.MAX_SURROGATE)
                    .limit(random.nextInt(200))
                    .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                    .toString());
        }
    }

    @Test
    void aTextThatOnlyEscapesIsWrittenHoweverSmallTheGuess() {
        assertSameAsJackson("\u0001".repeat(100_000));
        assertSameAsJackson("\"".repeat(100_000));
    }

    @Test
    void aLoneSurrogateBecomesAQuestionMarkAndTheJsonStaysValid() {
        String written = text(new JsonOutput(0).text("t", "a\ud83db\ude00"));

        assertThat(JACKSON.readTree(written).path("t").asString()).isEqualTo("a?b?");
    }

    @Test
    void writtenTextIsReadBack() {
        String text = "\u0000\u001f\"\\/\b\f\n\r\t é 中 😀";
        Payload payload = Payload.of("T", new JsonOutput(0).text("f", text).toBytes());

        String read = JsonInput.read(payload, in -> {
            in.nextField();
            String value = in.text();
            in.nextField();
            return value;
        });

        assertThat(read).isEqualTo(text);
    }

    private static void assertSameAsJackson(String value) {
        String jackson = JACKSON.writeValueAsString(Map.of("t", value));
        assertThat(text(new JsonOutput(0).text("t", value))).isEqualTo(jackson);
        assertThat(text(new JsonOutput(0).utf8("t", value.getBytes(StandardCharsets.UTF_8))))
                .isEqualTo(jackson);
    }

    private static String text(JsonOutput out) {
        return new String(out.toBytes(), StandardCharsets.UTF_8);
    }
}
