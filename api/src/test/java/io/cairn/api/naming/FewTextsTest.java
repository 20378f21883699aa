package io.cairn.api.naming;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FewTextsTest {

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, FewTexts.MOST, FewTexts.MOST + 1, 100})
    void isAMapLikeItsSource(int size) {
        Map<String, String> source = new LinkedHashMap<>();
        for (int i = size; i > 0; i--) {
            source.put("key" + i, "value" + i);
        }

        Map<String, String> copy = FewTexts.copyOf(source);

        assertThat(copy).isEqualTo(source).hasSameHashCodeAs(source).hasSize(size);
        assertThat(source).isEqualTo(copy);
        assertThat(List.copyOf(copy.keySet())).isEqualTo(List.copyOf(source.keySet()));
        assertThat(List.copyOf(copy.values())).isEqualTo(List.copyOf(source.values()));
        for (Map.Entry<String, String> each : source.entrySet()) {
            assertThat(copy.get(each.getKey())).isEqualTo(each.getValue());
            assertThat(copy.containsKey(each.getKey())).isTrue();
        }
        assertThat(copy.get("absent")).isNull();
        assertThat(copy.containsKey("absent")).isFalse();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, FewTexts.MOST, FewTexts.MOST + 1})
    void keepsItsContentWhenItsSourceChanges(int size) {
        Map<String, String> source = new LinkedHashMap<>();
        for (int i = 0; i < size; i++) {
            source.put("key" + i, "value");
        }
        Map<String, String> copy = FewTexts.copyOf(source);

        source.put("key0", "another value");

        assertThat(copy.get("key0")).isEqualTo("value");
        assertThatThrownBy(() -> copy.put("key0", "another value")).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> copy.entrySet().iterator().next().setValue("another value"))
                .isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> copy.remove("key0")).isInstanceOf(UnsupportedOperationException.class);
    }

    @ParameterizedTest
    @ValueSource(ints = {2, FewTexts.MOST})
    void equalsAMapInAnotherOrder(int size) {
        Map<String, String> forward = new LinkedHashMap<>();
        Map<String, String> backward = new LinkedHashMap<>();
        for (int i = 0; i < size; i++) {
            forward.put("key" + i, "value" + i);
            backward.put("key" + (size - 1 - i), "value" + (size - 1 - i));
        }

        assertThat(FewTexts.copyOf(forward))
                .isEqualTo(FewTexts.copyOf(backward))
                .hasSameHashCodeAs(FewTexts.copyOf(backward));
        backward.put("key0", "another value");
        assertThat(FewTexts.copyOf(forward)).isNotEqualTo(FewTexts.copyOf(backward));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void endsItsIterationAfterTheLastEntry(int size) {
        Map<String, String> source = new LinkedHashMap<>();
        for (int i = 0; i < size; i++) {
            source.put("key" + i, "value");
        }
        var entries = FewTexts.copyOf(source).entrySet().iterator();
        List<String> keys = new ArrayList<>();
        while (entries.hasNext()) {
            keys.add(entries.next().getKey());
        }

        assertThat(keys).hasSize(size);
        assertThatThrownBy(entries::next).isInstanceOf(NoSuchElementException.class);
    }
}
