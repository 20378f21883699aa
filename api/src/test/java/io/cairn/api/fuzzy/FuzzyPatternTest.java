package io.cairn.api.fuzzy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cairn.api.config.Namespace;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FuzzyPatternTest {

    private static final Namespace DEV = new Namespace("dev");

    @ParameterizedTest
    @CsvSource({
        "*,       orders,  true",
        "**,      orders,  true",
        "orders,  orders,  true",
        "orders,  orders2, false",
        "orders,  Orders,  false",
        "ord*,    orders,  true",
        "ord*,    ord,     true",
        "ord*,    or,      false",
        "*ers,    orders,  true",
        "*ers,    ers,     true",
        "*ers,    order,   false",
        "*rde*,   orders,  true",
        "*rde*,   rde,     true",
        "*rde*,   ords,    false",
        "o*s,     orders,  false",
        "o*s,     o*s,     true",
        "o.*,     orders,  false",
        ".*,      orders,  true",
        ".*s,     orders,  false",
    })
    void aStarIsAWildcardAtTheEndsOnly(String pattern, String text, boolean matches) {
        assertThat(new FuzzyPattern(DEV, "*", pattern).matches(DEV, "G", text)).isEqualTo(matches);
        assertThat(new FuzzyPattern(DEV, pattern, "*").matches(DEV, text, "s")).isEqualTo(matches);
    }

    @Test
    void groupAndNameAndNamespaceMustMatch() {
        FuzzyPattern pattern = new FuzzyPattern(DEV, "G*", "*svc");

        assertThat(pattern.matches(DEV, "G1", "a-svc")).isTrue();
        assertThat(pattern.matches(DEV, "H1", "a-svc")).isFalse();
        assertThat(pattern.matches(DEV, "G1", "a-svd")).isFalse();
        assertThat(pattern.matches(Namespace.DEFAULT, "G1", "a-svc")).isFalse();
    }

    @Test
    void blankPartsAreRefused() {
        assertThatThrownBy(() -> new FuzzyPattern(DEV, "", "*"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("group pattern: ''");
        assertThatThrownBy(() -> new FuzzyPattern(DEV, "*", " ")).isInstanceOf(IllegalArgumentException.class);
    }
}
