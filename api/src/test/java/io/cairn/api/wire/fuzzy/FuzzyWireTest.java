package io.cairn.api.wire.fuzzy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cairn.api.config.Namespace;
import io.cairn.api.error.CairnException;
import io.cairn.api.fuzzy.FuzzyPattern;
import io.cairn.api.wire.JsonInput;
import io.cairn.api.wire.Payload;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FuzzyWireTest {

    @Test
    void aPatternNamesNamespaceGroupAndName() {
        assertThat(FuzzyWire.pattern("dev>>G*>>*svc")).isEqualTo(new FuzzyPattern(new Namespace("dev"), "G*", "*svc"));
        assertThat(FuzzyWire.pattern(">>*>>*").namespace()).isEqualTo(Namespace.DEFAULT);
        assertThat(FuzzyWire.pattern("public>>*>>*").namespace()).isEqualTo(Namespace.DEFAULT);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "*", "public>>*", "public>>>>*", "public>>*>>", "public>>*>>*>>*"})
    void refusesAnInvalidPatternWithItsText(String spelled) {
        assertThatThrownBy(() -> FuzzyWire.pattern(spelled))
                .isInstanceOf(CairnException.class)
                .hasMessageContaining("groupKeyPattern: '" + spelled + "'");
    }

    @Test
    void readsARequestWithMissingFields() {
        assertThat(read("{}")).isEqualTo(new FuzzyWatchRequest("", java.util.Set.of(), null, false));
        FuzzyWatchRequest full = read("""
                {"headers":{},"namespace":"public","groupKeyPattern":"public>>*>>*","receivedGroupKeys":["a","b","a"],
                "watchType":"CANCEL_WATCH","module":"naming","initializing":true}""");
        assertThat(full.pattern()).isEqualTo("public>>*>>*");
        assertThat(full.received()).containsExactlyInAnyOrder("a", "b");
        assertThat(full.watchType()).isEqualTo(FuzzyWatchRequest.CANCEL);
        assertThat(full.initializing()).isTrue();
        assertThat(read("{\"receivedGroupKeys\":null,\"groupKeyPattern\":null}").received())
                .isEmpty();
    }

    private static FuzzyWatchRequest read(String json) {
        return JsonInput.read(
                Payload.of("NamingFuzzyWatchRequest", json.getBytes(StandardCharsets.UTF_8)), FuzzyWatchRequest::read);
    }
}
