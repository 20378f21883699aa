package io.cairn.server.naming.label;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LabelSelectorTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "CONSUMER.label.site=PROVIDER.label.site | site",
                "'  CONSUMER.label.site = PROVIDER.label.site ' | site",
                "CONSUMER.label.si te=PROVIDER.label.site | site",
                "CONSUMER.label.a.b=PROVIDER.label.a.b | a.b",
                "CONSUMER.label.b=PROVIDER.label.b & CONSUMER.label.a=PROVIDER.label.a | a,b",
                "CONSUMER.label.a=PROVIDER.label.a&CONSUMER.label.a=PROVIDER.label.a | a",
                "CONSUMER.label.区域=PROVIDER.label.区域 | 区域",
            })
    void anExpressionNamesLabels(String expression, String labels) {
        LabelSelector selector = LabelSelector.of(expression);

        assertThat(selector.labels()).containsExactly(labels.split(","));
        assertThat(selector.expression()).isEqualTo(expression);
        assertThat(selector.selects()).isTrue();
        assertThat(LabelSelector.ofStored(selector.stored())).isEqualTo(selector);
        assertThat(LabelSelector.read(selector.stored())).isEqualTo(selector);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "nonsense",
                "=",
                "&",
                "CONSUMER.label.a",
                "CONSUMER.label.=PROVIDER.label.",
                "CONSUMER.label.a=PROVIDER.label.b",
                "PROVIDER.label.a=CONSUMER.label.a",
                "CONSUMER.label.a=PROVIDER.label.a &",
                "& CONSUMER.label.a=PROVIDER.label.a",
                "CONSUMER.label.a=PROVIDER.label.a && CONSUMER.label.b=PROVIDER.label.b",
                "CONSUMER.label.a=PROVIDER.label.a | CONSUMER.label.b=PROVIDER.label.b",
                "CONSUMER.label.a=PROVIDER.label.a CONSUMER.label.b=PROVIDER.label.b",
                "CONSUMER.label.a==PROVIDER.label.a",
                "consumer.label.a=provider.label.a"
            })
    void refusesUnknownExpressionAndNamesTheExpectedForm(String expression) {
        assertThatThrownBy(() -> LabelSelector.of(expression)).isInstanceOfSatisfying(CairnException.class, failure -> {
            assertThat(failure.code()).isEqualTo(ErrorCode.INVALID_PARAMETER);
            assertThat(failure.text())
                    .startsWith("parse expression failed! '")
                    .contains("expected: CONSUMER.label.NAME=PROVIDER.label.NAME");
        });
        String stored = new LabelSelector(expression, List.of()).stored();
        assertThat(LabelSelector.ofStored(stored).expression())
                .as("from an older version")
                .isEqualTo(expression);
        assertThat(LabelSelector.ofStored(stored).selects()).isFalse();
    }

    @Test
    void anExpressionHasALimit() {
        String name = "n".repeat((4096 - 31) / 2);
        String longest = "CONSUMER.label." + name + "=PROVIDER.label." + name;

        assertThat(LabelSelector.of(longest + " ".repeat(4096 - longest.length()))
                        .labels())
                .containsExactly(name);
        assertThatThrownBy(() -> LabelSelector.of(longest + " ".repeat(4097 - longest.length())))
                .hasMessageContaining("4097 characters (expected: at most 4096)");
    }

    @ParameterizedTest
    @ValueSource(strings = {"{\"type\":\"none\"}", "{\"contextType\":\"NONE\",\"type\":\"none\",\"expression\":\"x\"}"})
    void readsTheEmptySelector(String json) {
        assertThat(LabelSelector.read(json)).isEqualTo(LabelSelector.NONE);
        assertThat(LabelSelector.ofStored(json)).isEqualTo(LabelSelector.NONE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"{\"type\":\"label\"}", "{\"type\":\"label\",\"expression\":\"  \"}"})
    void withoutAnExpressionNothingIsSelected(String json) {
        LabelSelector selector = LabelSelector.read(json);

        assertThat(selector).isNotNull().isNotEqualTo(LabelSelector.NONE);
        assertThat(selector.selects()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"x", "[]", "null", "{}", "{\"type\":5}", "{\"type\":\"Label\"}", "{\"expression\":\"x\"}", ""})
    void otherTypesAreNone(String json) {
        assertThat(LabelSelector.read(json)).isNull();
        assertThat(LabelSelector.ofStored(json)).isEqualTo(LabelSelector.NONE);
    }
}
