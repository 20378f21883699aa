package io.cairn.server.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ConfigType;
import io.cairn.api.config.ContentDigest;
import io.cairn.api.config.Namespace;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ConfigVersionTest {

    private final AtomicInteger decoded = new AtomicInteger();
    private final ConfigVersion.Answer<String> overGrpc = ConfigVersion.Answer.overGrpc(
            version -> "answer " + new String(version.utf8(), StandardCharsets.UTF_8), this::content);
    private final ConfigVersion.Answer<byte[]> overHttp = ConfigVersion.Answer.overHttp(ConfigVersion::utf8);
    private final byte[] stored = "größe: 1".getBytes(StandardCharsets.UTF_8);
    private final ConfigVersion version = new ConfigVersion(
            new ConfigEntry(
                    new ConfigKey(Namespace.DEFAULT, "g", "a"), ContentDigest.of(stored), ConfigType.YAML, 1, "", null),
            stored);

    private byte[] content(String answer) {
        decoded.incrementAndGet();
        return answer.substring("answer ".length()).getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void eachAnswerIsEncodedOnce() {
        assertThat(version.as(overGrpc)).isEqualTo("answer größe: 1").isSameAs(version.as(overGrpc));
        assertThat(version.as(overHttp)).isEqualTo(stored).isSameAs(version.as(overHttp));
    }

    @Test
    void onceAllReadOverGrpcTheAnswerAloneHoldsTheContent() {
        version.as(overGrpc);

        assertThat(version.length()).isEqualTo(stored.length);
        assertThat(version.utf8()).isEqualTo(stored).isNotSameAs(stored);
        assertThat(decoded).hasValue(1);
    }

    @Test
    void aContentThatIsReadBackStays() {
        version.as(overGrpc);
        byte[] again = version.utf8();

        version.as(overGrpc);

        assertThat(version.utf8()).isSameAs(again);
        assertThat(version.as(overHttp)).isSameAs(again);
        assertThat(decoded).hasValue(1);
    }

    @Test
    void aContentThatIsReadOverHttpStaysAsItIs() {
        version.as(overHttp);
        version.as(overGrpc);

        assertThat(version.utf8()).isSameAs(stored);
        assertThat(decoded).hasValue(0);
    }
}
