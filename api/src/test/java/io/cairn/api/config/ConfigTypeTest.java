package io.cairn.api.config;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ConfigTypeTest {

    @Test
    void everyTypeIsFoundByItsWireName() {
        for (ConfigType type : ConfigType.values()) {
            assertThat(ConfigType.ofWireName(type.wireName())).isEqualTo(type);
        }
        assertThat(ConfigType.values())
                .extracting(ConfigType::wireName)
                .containsExactlyInAnyOrder("text", "json", "xml", "yaml", "html", "properties", "toml", "unset");
    }

    @Test
    void anAbsentOrUnknownTypeIsText() {
        for (String name : new String[] {null, "", "bogus", "YAML", "yml", " json"}) {
            assertThat(ConfigType.ofWireName(name)).as(String.valueOf(name)).isEqualTo(ConfigType.TEXT);
        }
    }
}
