package io.cairn.server.http.naming;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.http.envelope.JsonBody;
import io.cairn.server.naming.label.LabelSelector;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** The bytes of selectors, in all versions. */
class SelectorViewTest {

    private static String json(LabelSelector selector) {
        return new String(JsonBody.of(SelectorView.of(selector)), StandardCharsets.UTF_8);
    }

    @Test
    void absentSelectorHasTwoMembers() {
        assertThat(json(LabelSelector.NONE)).isEqualTo("{\"type\":\"none\",\"contextType\":\"NONE\"}");
    }

    @Test
    void labelSelectorHasItsExpressionAndLabels() {
        assertThat(json(LabelSelector.of("CONSUMER.label.b = PROVIDER.label.b & CONSUMER.label.a=PROVIDER.label.a")))
                .isEqualTo("{\"type\":\"label\","
                        + "\"expression\":\"CONSUMER.label.b = PROVIDER.label.b & CONSUMER.label.a=PROVIDER.label.a\","
                        + "\"labels\":[\"a\",\"b\"],\"contextType\":\"CMDB\"}");
    }
}
