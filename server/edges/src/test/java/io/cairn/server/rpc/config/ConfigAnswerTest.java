package io.cairn.server.rpc.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ConfigType;
import io.cairn.api.config.ContentDigest;
import io.cairn.api.config.Namespace;
import io.cairn.server.config.ConfigEntry;
import io.cairn.server.config.ConfigVersion;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ConfigAnswerTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "a: 1\n",
                "\"content\":\"not this one\" \\ \\\\ / \\u0041",
                "größe 配置 🚀 \u2028 \uFFFD",
                "\u0000\u0001\u0002\b\t\u000B\f\r\u001F\u007F\u0080",
            })
    void theContentIsReadBackFromTheAnswerByteForByte(String content) {
        byte[] utf8 = content.getBytes(StandardCharsets.UTF_8);
        ConfigVersion version = new ConfigVersion(
                new ConfigEntry(
                        new ConfigKey(Namespace.DEFAULT, "g", "a"),
                        ContentDigest.of(utf8),
                        ConfigType.YAML,
                        1,
                        "the key of the content",
                        null),
                utf8);
        version.as(ConfigWire.QUERY_ANSWER);

        assertThat(version.utf8()).isEqualTo(utf8).isNotSameAs(utf8);
    }
}
