package io.cairn.api.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class ConfigKeyTest {

    private static final Namespace DEV = new Namespace("dev");

    @Test
    void keysAreEqualWhenAllThreePartsAre() {
        ConfigKey key = new ConfigKey(DEV, "G", "a.yaml");

        assertThat(key).isEqualTo(new ConfigKey(new Namespace("dev"), "G", "a.yaml"));
        assertThat(key).hasSameHashCodeAs(new ConfigKey(new Namespace("dev"), "G", "a.yaml"));
        assertThat(key).isNotEqualTo(new ConfigKey(Namespace.DEFAULT, "G", "a.yaml"));
        assertThat(key).isNotEqualTo(new ConfigKey(DEV, "H", "a.yaml"));
        assertThat(key).isNotEqualTo(new ConfigKey(DEV, "G", "b.yaml"));
        assertThat(key).isNotEqualTo(new ConfigKey(DEV, "g", "a.yaml"));
        assertThat(key).isNotEqualTo("dev/G/a.yaml");
    }

    @Test
    void partsAreNotMistakenForEachOther() {
        assertThat(new ConfigKey(DEV, "a", "b")).isNotEqualTo(new ConfigKey(DEV, "b", "a"));
        assertThat(new ConfigKey(DEV, "a+b", "c")).isNotEqualTo(new ConfigKey(DEV, "a", "b+c"));
    }

    @Test
    void blankPartsAreRefusedByName() {
        assertThatThrownBy(() -> new ConfigKey(DEV, " ", "a"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("group: ' '");
        assertThatThrownBy(() -> new ConfigKey(DEV, "G", ""))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("dataId: ''");
    }

    @Test
    void isSpelledFromTheOutsideIn() {
        assertThat(new ConfigKey(Namespace.DEFAULT, "G", "a.yaml")).hasToString("public/G/a.yaml");
    }
}
