package io.cairn.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cairn.api.error.CairnException;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FormParametersTest {

    @Test
    void pairsAreSeparatedByAmpersandsAlone() {
        assertThat(read("a=1&b=2;c=3#d&e==x=&f&&=g"))
                .containsExactly(
                        Map.entry("a", "1"),
                        Map.entry("b", "2;c=3#d"),
                        Map.entry("e", "=x="),
                        Map.entry("f", ""),
                        Map.entry("", "g"));
        assertThat(read("")).isEmpty();
        assertThat(read("&&&")).isEmpty();
    }

    @Test
    void ofSeveralValuesTheFirstCountsAlsoOneThatWasThereBefore() {
        assertThat(read("a=1&a=2&%61=3")).containsExactly(Map.entry("a", "1"));

        Map<String, String> query = read("a=query");
        FormParameters.read("a=form&b=form".getBytes(StandardCharsets.UTF_8), 0, StandardCharsets.UTF_8, query);
        assertThat(query).containsExactly(Map.entry("a", "query"), Map.entry("b", "form"));
    }

    @Test
    void namesAndValuesAreDecoded() {
        assertThat(read("%64ata+Id=%E4%B8%AD%f0%9F%98%80+%2B%26%3D%25"))
                .containsExactly(Map.entry("data Id", "中😀 +&=%"));
        assertThat(read("raw=中 é\n")).containsExactly(Map.entry("raw", "中 é\n"));
    }

    @Test
    void seededRandomTextsAreDecodedAsTheJdkDecodesThem() {
        Random random = new Random(20261121);
        for (int round = 0; round < 2_000; round++) {
            String text = random.ints(0, round % 2 == 0 ? 0x80 : Character.MAX_CODE_POINT + 1)
                    .filter(c -> c < Character.MIN_SURROGATE || c > Character.MAX_SURROGATE)
                    .limit(random.nextInt(60))
                    .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                    .toString();
            String encoded = URLEncoder.encode(text, StandardCharsets.UTF_8);

            assertThat(read("v=" + encoded)).containsExactly(Map.entry("v", text));
            assertThat(URLDecoder.decode(encoded, StandardCharsets.UTF_8)).isEqualTo(text);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"%", "%4", "%zz", "a%", "%-1", "%u0041", "%4&b=1", "x%+1"})
    void brokenEscapesAreRefused(String value) {
        for (String form : new String[] {"a=" + value, value + "=a", "a=1&b=" + value}) {
            assertThatThrownBy(() -> read(form))
                    .as(form)
                    .isInstanceOf(CairnException.class)
                    .hasMessageContaining("percent-encoded");
        }
    }

    @Test
    void thereIsALimitToHowManyThereAre() {
        StringBuilder form = new StringBuilder();
        for (int i = 0; i < 1_024; i++) {
            form.append("p").append(i).append("=&");
        }
        assertThat(read(form.toString())).hasSize(1_024);

        assertThatThrownBy(() -> read(form.append("one=more").toString()))
                .isInstanceOf(CairnException.class)
                .hasMessageContaining("1024");
    }

    @Test
    void decodesValuesInTheGivenCharset() {
        Charset gbk = Charset.forName("GBK");
        assertThat(read("content=%D6%D0%CE%C4&name=\u4e2d".getBytes(gbk), gbk))
                .containsExactly(Map.entry("content", "中文"), Map.entry("name", "中"));
    }

    @ParameterizedTest
    @CsvSource({
        "content=%D6%D0, content: byte 0 of the value (0xD6) is not UTF-8",
        "content=abc%80, content: byte 3 of the value (0x80) is not UTF-8",
        "content=%E4%B8, content: byte 0 of the value (0xE4) is not UTF-8",
        "content=%ED%A0%80, content: byte 0 of the value (0xED) is not UTF-8",
        "content=%C0%AF, content: byte 0 of the value (0xC0) is not UTF-8",
        "a=1&%FF=2, name of a parameter: byte 0 of the value (0xFF) is not UTF-8"
    })
    void rejectsBytesThatAreNotInTheCharset(String form, String message) {
        assertThatThrownBy(() -> read(form)).isInstanceOf(CairnException.class).hasMessageStartingWith(message);
    }

    @Test
    void givesThePositionBehindAReplacementCharacterThatIsPartOfTheText() {
        assertThat(read("content=\uFFFD")).containsExactly(Map.entry("content", "\uFFFD"));
        assertThatThrownBy(() -> read("content=\uFFFD%80"))
                .hasMessageStartingWith("content: byte 3 of the value (0x80) is not UTF-8");
    }

    private static Map<String, String> read(String form) {
        return read(form.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
    }

    private static Map<String, String> read(byte[] form, Charset charset) {
        Map<String, String> into = new LinkedHashMap<>();
        FormParameters.read(form, 0, charset, into);
        return into;
    }
}
