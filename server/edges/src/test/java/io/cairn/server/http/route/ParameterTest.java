package io.cairn.server.http.route;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.error.ParameterException;
import io.cairn.server.http.HttpRequest;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ParameterTest {

    private static final Parameter<String> NAME = Parameter.text("name", "The name");
    private static final Parameter<Integer> COUNT =
            Parameter.integer("count", "The count").orElse(7);
    private static final Parameter<Integer> PORT =
            Parameter.integer("port", "The port").within(0, 65535);
    private static final Parameter<Double> SHARE =
            Parameter.decimal("share", "The share").within(0, 1);
    private static final Parameter<Boolean> FLAG = Parameter.flag("flag", "Whether it is so");

    private static HttpRequest request(String query) {
        Map<String, String> headers = Map.of("casMd5", "x");
        return HttpRequest.to("GET", "/p?" + query, headers::get, new byte[0], "127.0.0.1", Runnable::run);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "name=", "name=%20"})
    void blankTextIsAbsent(String query) {
        HttpRequest request = request(query);

        assertThat(NAME.orNull(request)).isNull();
        assertThat(NAME.or(request, "other")).isEqualTo("other");
        assertThatThrownBy(() -> NAME.of(request)).isInstanceOfSatisfying(ParameterException.class, missing -> {
            assertThat(missing.problem()).isEqualTo(ParameterException.Problem.MISSING);
            assertThat(missing.parameter()).isEqualTo("name");
        });
        assertThatThrownBy(() -> NAME.mustBeIn(request)).isInstanceOf(ParameterException.class);
    }

    @Test
    void exactTextMayBeEmpty() {
        Parameter<String> exact = Parameter.exact("name", "The name");

        assertThat(exact.of(request("name="))).isEmpty();
        assertThat(exact.orNull(request(""))).isNull();
        assertThat(exact.sent(request("name=%20a"))).isEqualTo(" a");
    }

    @Test
    void someTextsCountAsAbsent() {
        assertThat(NAME.orNull(request("name=None"))).isEqualTo("None");
        assertThat(NAME.orNone().orNull(request("name=None"))).isNull();
        assertThat(NAME.orNone().absentAs("null").orNull(request("name=null"))).isNull();
        assertThat(NAME.orNone().absentAs("null").orNull(request("name=a"))).isEqualTo("a");
    }

    @Test
    void numbersHaveTheirDefault() {
        assertThat(COUNT.of(request(""))).isEqualTo(7);
        assertThat(COUNT.of(request("count=%2012%20"))).isEqualTo(12);
        assertThatThrownBy(() -> COUNT.of(request("count=1x")))
                .isInstanceOfSatisfying(ParameterException.class, refused -> {
                    assertThat(refused.problem()).isEqualTo(ParameterException.Problem.NOT_A_NUMBER);
                    assertThat(refused.parameter()).isEqualTo("count");
                    assertThat(refused.text()).contains("\"1x\"");
                });
    }

    @Test
    void valuesOutsideTheLimitsAreRefusedWithNameAndLimits() {
        assertThat(PORT.of(request("port=0"))).isZero();
        assertThat(PORT.of(request("port=65535"))).isEqualTo(65535);
        assertRefused(PORT, "port=65536", "port: 65536 (expected: 0-65535)");
        assertRefused(PORT, "port=-1", "port: -1 (expected: 0-65535)");
        assertThat(SHARE.of(request("share=0.5"))).isEqualTo(0.5);
        assertRefused(SHARE, "share=1.5", "share: 1.5 (expected: 0-1)");
        assertRefused(SHARE, "share=NaN", "share: NaN (expected: 0-1)");
    }

    private static void assertRefused(Parameter<?> parameter, String query, String text) {
        assertThatThrownBy(() -> parameter.of(request(query))).isInstanceOfSatisfying(CairnException.class, refused -> {
            assertThat(refused.code()).isEqualTo(ErrorCode.INVALID_PARAMETER);
            assertThat(refused.text()).isEqualTo(text);
        });
    }

    @ParameterizedTest
    @CsvSource({"true,true", "TRUE,true", "on,true", "Yes,true", "y,true", "t,true", "1,false", "false,false", "x,false"
    })
    void yesIsSpelledInMoreThanOneWay(String text, boolean read) {
        assertThat(FLAG.of(request("flag=" + text))).isEqualTo(read);
    }

    @Test
    void absentFlagIsNeitherYesNorNo() {
        assertThat(FLAG.orNull(request(""))).isNull();
        assertThat(FLAG.orNull(request("flag=None"))).isNull();
        assertThat(FLAG.orElse(true).of(request(""))).isTrue();
    }

    @Test
    void valueOfAnotherTypeKeepsTheDefaultAndTheValues() {
        Parameter<Integer> length = NAME.values("a", "abc").orElse("abc").as(String::length);

        assertThat(length.of(request(""))).isEqualTo(3);
        assertThat(length.of(request("name=a"))).isEqualTo(1);
        assertThat(length.schema().fallback()).isEqualTo("abc");
        assertThat(length.schema().values()).containsExactly("a", "abc");
    }

    @Test
    void headersAreReadFromHeaders() {
        assertThat(Parameter.header("casMd5", "The md5").of(request("casMd5=y")))
                .isEqualTo("x");
        assertThat(Parameter.text("casMd5", "The md5").of(request("casMd5=y"))).isEqualTo("y");
    }

    @Test
    void anotherVersionHasAnotherName() {
        Parameter<Integer> other = COUNT.named("size");

        assertThat(other.of(request("size=3&count=4"))).isEqualTo(3);
        assertThatThrownBy(() -> other.of(request("size=x")))
                .isInstanceOfSatisfying(ParameterException.class, refused -> assertThat(refused.parameter())
                        .isEqualTo("size"));
    }
}
