package io.cairn.api.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JsonInputTest {

    @Test
    void textIsReadAsItIsAndScalarsAsTheyAreSpelled() {
        assertThat(text("\"a b\"")).isEqualTo("a b");
        assertThat(text("\"\"")).isEmpty();
        assertThat(text("12")).isEqualTo("12");
        assertThat(text("-0.50")).isEqualTo("-0.50");
        assertThat(text("1e3")).isEqualTo("1e3");
        assertThat(text("true")).isEqualTo("true");
        assertThat(text("false")).isEqualTo("false");
        assertThat(text("null")).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"[\"x\"]", "{\"x\":\"y\"}", "[]", "{}"})
    void anArrayOrObjectIsNoText(String value) {
        assertThatThrownBy(() -> text(value))
                .isInstanceOf(MalformedMessageException.class)
                .hasMessageStartingWith("f: a")
                .hasMessageContaining("text");
    }

    @Test
    void halfACharacterIsNoText() {
        assertThat(text("\"\\ud83d\\ude00\"")).isEqualTo("\ud83d\ude00");
        for (String half : new String[] {
            "a\\ud800", "\\udc00a", "\\ud83d", "\\ude00", "\\ude00\\ud83d", "\\ud800\\ud800\\udc00", "\\ud800a"
        }) {
            assertThatThrownBy(() -> text('"' + half + '"'))
                    .as(half)
                    .isInstanceOf(MalformedMessageException.class)
                    .hasMessageStartingWith("f: \\uD")
                    .hasMessageContaining("alone at character ");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"NaN", "Infinity", "-Infinity"})
    void refusesAnInvalidNumberWithItsField(String value) {
        assertThatThrownBy(() -> number(value)).hasMessageStartingWith("f: " + value);
        assertThatThrownBy(() -> decimal(value)).hasMessageStartingWith("f: " + value);
        assertThatThrownBy(() -> flag(value, true)).hasMessageStartingWith("f: " + value);
    }

    @Test
    void flagsAreReadFromBooleansAndTheirSpellings() {
        assertThat(flag("true", false)).isTrue();
        assertThat(flag("false", true)).isFalse();
        assertThat(flag("\"TRUE\"", false)).isTrue();
        assertThat(flag("\" false \"", true)).isFalse();
        assertThat(flag("null", true)).isTrue();
        assertThat(flag("null", false)).isFalse();
        assertThat(flag("\"\"", true)).isTrue();
        assertThat(flag("1", false)).isTrue();
        assertThat(flag("0", true)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"2", "-1", "\"yes\"", "[]", "{}", "1.0"})
    void anythingElseIsNoFlag(String value) {
        assertThatThrownBy(() -> flag(value, true))
                .isInstanceOf(MalformedMessageException.class)
                .hasMessageContaining("a boolean");
    }

    @Test
    void readsWholeNumbersAlsoInQuotesAndWithAFractionOfZero() {
        assertThat(number("0")).isZero();
        assertThat(number("-7")).isEqualTo(-7);
        assertThat(number("2147483647")).isEqualTo(Integer.MAX_VALUE);
        assertThat(number("null")).isEqualTo(200);
        assertThat(number("\"8080\"")).isEqualTo(8080);
        assertThat(number("\" -1 \"")).isEqualTo(-1);
        assertThat(number("\"\"")).isEqualTo(200);
        assertThat(number("80.0")).isEqualTo(80);
        assertThat(number("8.0e1")).isEqualTo(80);
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '\0',
            value = {
                "2147483648, 2147483648",
                "-2147483649, -2147483649",
                "99999999999999999999, 99999999999999999999",
                "\"2147483648\", \"2147483648\"",
                "1.5, 1.5",
                "\"80.0\", \"80.0\"",
                "\"0x10\", \"0x10\"",
                "\"eighty\", \"eighty\"",
                "true, true",
                "[], an array",
                "{}, an object"
            })
    void rejectsAnyOtherNumberWithItsField(String value, String seen) {
        assertThatThrownBy(() -> number(value))
                .isInstanceOfSatisfying(MalformedMessageException.class, e -> assertThat(e.namesField())
                        .isTrue())
                .hasMessage("f: " + seen + " (expected: a whole number from -2147483648 to 2147483647)");
    }

    @Test
    void readsFiniteDecimalsAlsoInQuotes() {
        assertThat(decimal("1")).isEqualTo(1.0);
        assertThat(decimal("-1.5e2")).isEqualTo(-150.0);
        assertThat(decimal("\"1.5\"")).isEqualTo(1.5);
        assertThat(decimal("\" 2 \"")).isEqualTo(2.0);
        assertThat(decimal("\"\"")).isEqualTo(1.25);
        assertThat(decimal("null")).isEqualTo(1.25);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"\"NaN\"", "\"Infinity\"", "\"-Infinity\"", "1e999", "\"1f\"", "\"0x1p3\"", "true", "[]", "{}"})
    void rejectsAnyOtherDecimal(String value) {
        assertThatThrownBy(() -> decimal(value))
                .isInstanceOf(MalformedMessageException.class)
                .hasMessageStartingWith("f: ")
                .hasMessageEndingWith(" (expected: a number)");
    }

    @Test
    void mapsOfTextsLeaveOutNullsAndKeepTheirOrder() {
        assertThat(texts("{\"b\":\"1\",\"a\":2,\"n\":null,\"t\":true}"))
                .containsExactly(Map.entry("b", "1"), Map.entry("a", "2"), Map.entry("t", "true"));
        assertThat(texts("{}")).isEmpty();
        assertThat(texts("null")).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"[]", "\"\"", "1", "true", "{\"a\":[]}", "{\"a\":{}}"})
    void anythingElseIsNoMapOfTexts(String value) {
        assertThatThrownBy(() -> texts(value)).isInstanceOf(MalformedMessageException.class);
    }

    @Test
    void listsOfObjectsAreReadOneByOne() {
        assertThat(objects("[{\"a\":\"1\",\"b\":\"2\"},{},{\"a\":null}]")).containsExactly("a=1 b=2", "", "a=null");
        assertThat(objects("[]")).isEmpty();
        assertThat(objects("null")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"{}", "\"x\"", "1", "[1]", "[null]", "[\"x\"]", "[{},[]]", "[[{}]]"})
    void anythingElseIsNoListOfObjects(String value) {
        assertThatThrownBy(() -> objects(value)).isInstanceOf(MalformedMessageException.class);
    }

    @Test
    void unknownFieldsOfEveryShapeAreSkipped() {
        String json = "{\"o\":{\"a\":[1,{\"f\":\"no\"},[[]]]},\"x\":[{\"f\":\"no\"}],\"y\":null,\"z\":-1.5e-9,"
                + "\"s\":\"\\\"f\\\":\",\"f\":\"yes\",\"b\":true}";

        assertThat(read(json, JsonInputTest::lastText)).isEqualTo("yes");
    }

    @Test
    void ofAFieldGivenTwiceTheLastCounts() {
        assertThat(read("{\"f\":\"first\",\"g\":1,\"f\":\"last\"}", JsonInputTest::lastText))
                .isEqualTo("last");
    }

    @Test
    void blanksBetweenTheTokensDoNotMatter() {
        assertThat(read("\r\n\t { \"f\" : \"x\" } \n", JsonInputTest::lastText)).isEqualTo("x");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "null",
                "1",
                "\"f\"",
                "[1,2]",
                "true",
                "{",
                "{bad json",
                "{\"f\"",
                "{\"f\":",
                "{\"f\":\"x",
                "{\"f\":\"x\"",
                "{\"f\":\"x\",",
                "{\"f\":\"x\",}",
                "{'f':'x'}",
                "{f:1}",
                "{\"f\":01}",
                "{\"f\":NaN}",
                "{\"f\":+1}",
                "{\"f\":.5}",
                "{\"f\":\"\\x\"}",
                "{\"f\":\"\\u12\"}",
                "{\"f\":\"\\uzzzz\"}",
                "{\"f\":\"tab\tinside\"}",
                "{\"f\":\"line\nbreak\"}",
                "{\"f\":1}{\"f\":2}",
                "{\"f\":1}]",
                "{\"f\":1} x",
                "{\"f\":1},",
                "/* */{\"f\":1}",
                "{\"f\":tru}",
                "]"
            })
    void refusesInputThatIsNotExactlyOneJsonObject(String json) {
        assertThatThrownBy(() -> read(json, JsonInputTest::lastText)).isInstanceOf(MalformedMessageException.class);
    }

    @Test
    void everyTruncationOfAnObjectIsMalformed() {
        String whole = "{\"f\":\"é\\u00e9\",\"n\":[{\"a\":1},{}],\"m\":{\"x\":null},\"t\":true}";
        assertThat(read(whole, JsonInputTest::lastText)).isEqualTo("éé");
        byte[] utf8 = whole.getBytes(StandardCharsets.UTF_8);
        for (int length = 0; length < utf8.length; length++) {
            byte[] part = Arrays.copyOf(utf8, length);
            assertThatThrownBy(() -> JsonInput.read(Payload.of("T", part), JsonInputTest::lastText))
                    .as("cut to %s bytes", length)
                    .isInstanceOf(MalformedMessageException.class);
        }
    }

    @Test
    void bytesThatAreNotUtf8AreMalformed() {
        for (byte[] broken : new byte[][] {{(byte) 0xff}, {(byte) 0xc3, 'x'}, {(byte) 0x80}, {(byte) 0xf8, 1, 1, 1}}) {
            byte[] json = concat(
                    "{\"f\":\"".getBytes(StandardCharsets.US_ASCII), broken, "\"}".getBytes(StandardCharsets.US_ASCII));
            assertThatThrownBy(() -> JsonInput.read(Payload.of("T", json), JsonInputTest::lastText))
                    .isInstanceOf(MalformedMessageException.class);
        }
    }

    @Test
    void escapesAreDecoded() {
        assertThat(text("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041\\u4e2d\\u0000\"")).isEqualTo("\"\\/\b\f\n\r\tA中\u0000");
    }

    @Test
    void textBeyondTheBasicPlaneIsReadFromEscapesAndFromUtf8() {
        assertThat(text("\"\\ud83d\\ude00\"")).isEqualTo("😀");
        assertThat(text("\"😀\"")).isEqualTo("😀");
    }

    @Test
    void namesMayBeEscapedToo() {
        assertThat(read("{\"\\u0066\":\"x\"}", JsonInputTest::lastText)).isEqualTo("x");
    }

    @Test
    void deepNestingIsMalformedInsteadOfEndlessWork() {
        for (String open : List.of("[", "{\"x\":")) {
            for (int depth : new int[] {65, 1_000, 200_000}) {
                String json = "{\"x\":" + open.repeat(depth);
                assertThatThrownBy(() -> read(json, JsonInputTest::lastText))
                        .isInstanceOf(MalformedMessageException.class);
            }
        }
    }

    @Test
    void nestingThatAnyClientSendsIsSkipped() {
        assertThat(read("{\"x\":" + "[".repeat(32) + "]".repeat(32) + ",\"f\":\"y\"}", JsonInputTest::lastText))
                .isEqualTo("y");
    }

    @Test
    void aTextOfTenMegabytesIsRead() {
        String content = "x".repeat(10 * 1024 * 1024);
        assertThat(text("\"" + content + "\"")).isEqualTo(content);
    }

    @Test
    void aReaderThatKnowsNoFieldReadsTheWholeObject() {
        int fields = read("{\"a\":{\"b\":[1,2]},\"c\":\"d\"}", in -> {
            int skipped = 0;
            while (in.nextField() != null) {
                in.skip();
                skipped++;
            }
            return skipped;
        });

        assertThat(fields).isEqualTo(2);
    }

    private static @Nullable String text(String value) {
        return read("{\"f\":" + value + "}", JsonInputTest::lastText);
    }

    private static boolean flag(String value, boolean ifNull) {
        return read("{\"f\":" + value + "}", in -> {
            in.nextField();
            boolean flag = in.flag(ifNull);
            in.nextField();
            return flag;
        });
    }

    private static double decimal(String value) {
        return read("{\"f\":" + value + "}", in -> {
            in.nextField();
            double decimal = in.decimal(1.25);
            in.nextField();
            return decimal;
        });
    }

    private static int number(String value) {
        return read("{\"f\":" + value + "}", in -> {
            in.nextField();
            int number = in.number(200);
            in.nextField();
            return number;
        });
    }

    private static @Nullable Map<String, String> texts(String value) {
        return read("{\"f\":" + value + "}", in -> {
            in.nextField();
            Map<String, String> texts = in.texts();
            in.nextField();
            return texts;
        });
    }

    private static List<String> objects(String value) {
        return read("{\"f\":" + value + "}", in -> {
            in.nextField();
            List<String> objects = in.objects(object -> {
                Map<String, String> fields = new LinkedHashMap<>();
                for (String name = object.nextField(); name != null; name = object.nextField()) {
                    fields.put(name, object.text());
                }
                List<String> spelled = new ArrayList<>();
                fields.forEach((name, text) -> spelled.add(name + "=" + text));
                return String.join(" ", spelled);
            });
            in.nextField();
            return objects;
        });
    }

    private static @Nullable String lastText(JsonInput in) {
        String text = null;
        for (String field = in.nextField(); field != null; field = in.nextField()) {
            if (field.equals("f")) {
                text = in.text();
            } else {
                in.skip();
            }
        }
        return text;
    }

    private static <T> T read(String json, Function<JsonInput, T> reader) {
        return JsonInput.read(Payload.of("T", json.getBytes(StandardCharsets.UTF_8)), reader);
    }

    private static byte[] concat(byte[]... parts) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            out.writeBytes(part);
        }
        return out.toByteArray();
    }
}
