package io.cairn.server.envoy;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RegexSizeTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "/orders/.*",
                "a{1000}",
                "(ab{10}){100}",
                "\\p{Greek}{1000}",
                "[{1000}{1000}]{1000}",
                "[]{1000}]{1000}",
                "[^]{1000}]{1000}",
                "[[:alpha:]{1000}]{1000}",
                "\\{1000}{1000}",
                "a{,1000}",
                "a{1,}",
                "){1000}",
                "a\\",
                "["
            })
    void usualExpressionsAreSmall(String regex) {
        assertThat(RegexSize.isSmall(regex)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "(a{1000}){1000}",
                "((a{1000}){1000}){1000}",
                "((a{1,1000}){0,1000}b){2}",
                "(?:(?:\\pL{200}){200}){200}",
                "a{1000}{1000}"
            })
    void repetitionsWithinRepetitionsAreLarge(String regex) {
        assertThat(RegexSize.isSmall(regex)).isFalse();
    }

    @Test
    void deepAndLongExpressionsAreLarge() {
        assertThat(RegexSize.isSmall("(".repeat(300) + ")".repeat(300))).isFalse();
        assertThat(RegexSize.isSmall("a".repeat(20_000))).isFalse();
    }
}
