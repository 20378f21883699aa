package io.cairn.api.naming;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cairn.api.config.Namespace;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class InstanceTest {

    private static final Instance INSTANCE = Instance.of("10.0.0.1", 80);

    @Test
    void theUsualInstanceIsHealthyEnabledAndEphemeral() {
        assertThat(INSTANCE)
                .isEqualTo(new Instance(
                        new InstanceKey("10.0.0.1", 80, "DEFAULT"), 1.0, true, true, true, Map.of(), null));
        assertThat(INSTANCE.beatInterval()).isEqualTo(Duration.ofSeconds(5));
        assertThat(INSTANCE.beatTimeout()).isEqualTo(Duration.ofSeconds(15));
        assertThat(INSTANCE.deleteTimeout()).isEqualTo(Duration.ofSeconds(30));
    }

    @Test
    void aChangedCopyDiffersInThatAlone() {
        assertThat(INSTANCE.withHealthy(true)).isSameAs(INSTANCE);
        assertThat(INSTANCE.withHealthy(false).withHealthy(true)).isEqualTo(INSTANCE);
        assertThat(INSTANCE.withHealthy(false).healthy()).isFalse();
        assertThat(INSTANCE.withWeight(2).withWeight(1)).isEqualTo(INSTANCE);
        assertThat(INSTANCE.withEnabled(false).withEnabled(true)).isEqualTo(INSTANCE);
        assertThat(INSTANCE.withMetadata(Map.of("a", "b")).metadata()).isEqualTo(Map.of("a", "b"));
        assertThat(INSTANCE.withId("x").id()).isEqualTo("x");
        assertThat(INSTANCE.withId("x").withId(null)).isEqualTo(INSTANCE);
    }

    @Test
    void metadataKeepsItsOrderAndIsCopied() {
        Map<String, String> given = new LinkedHashMap<>();
        given.put("z", "1");
        given.put("a", "2");
        Instance instance = INSTANCE.withMetadata(given);
        given.clear();

        assertThat(instance.metadata().keySet()).containsExactly("z", "a");
        assertThatThrownBy(() -> instance.metadata().put("b", "3")).isInstanceOf(UnsupportedOperationException.class);
        assertThat(instance).isEqualTo(INSTANCE.withMetadata(new HashMap<>(Map.of("a", "2", "z", "1"))));
    }

    @ParameterizedTest
    @CsvSource({
        "1000, 1000",
        "0, 0",
        "999999999999999, 999999999999999",
        "1000000000000000, 5000",
        "'', 5000",
        "-1, 5000",
        "1.5, 5000",
        "' 1', 5000",
        "abc, 5000",
        "١٢٣, 5000"
    })
    void invalidTimesGetTheDefaults(String text, long expectedMillis) {
        assertThat(INSTANCE.withMetadata(Map.of(Instance.BEAT_INTERVAL, text)).beatInterval())
                .isEqualTo(Duration.ofMillis(expectedMillis));
    }

    @Test
    void anInstanceIsKnownByAddressPortAndCluster() {
        assertThat(new InstanceKey("a", 0, "  ")).isEqualTo(new InstanceKey("a", 0, "DEFAULT"));
        assertThat(new InstanceKey("::1", 65535, "east")).hasToString("::1:65535/east");
        assertThat(new InstanceKey("a", 1, "east")).isNotEqualTo(new InstanceKey("a", 1, "EAST"));
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 65536, Integer.MAX_VALUE})
    void aPortOutOfRangeIsRefused(int port) {
        assertThatThrownBy(() -> new InstanceKey("a", port, "c"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("port: " + port)
                .hasMessageContaining("0-65535");
    }

    @Test
    void aServiceHasANameAndAGroup() {
        ServiceKey key = new ServiceKey(Namespace.DEFAULT, "g", "s");
        assertThat(key).hasToString("public/g/s").hasSameHashCodeAs(new ServiceKey(Namespace.DEFAULT, "g", "s"));
        assertThat(key)
                .isNotEqualTo(new ServiceKey(Namespace.DEFAULT, "s", "g"))
                .isNotEqualTo(new ServiceKey(Namespace.ofNullable("dev"), "g", "s"));
        assertThatThrownBy(() -> new ServiceKey(Namespace.DEFAULT, " ", "s"))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new ServiceKey(Namespace.DEFAULT, "g", ""))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new InstanceKey(" ", 80, "c")).isInstanceOf(IllegalArgumentException.class);
    }
}
