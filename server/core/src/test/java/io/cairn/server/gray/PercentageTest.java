package io.cairn.server.gray;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.Namespace;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PercentageTest {

    private static final ConfigKey CONFIG = new ConfigKey(Namespace.DEFAULT, "DEFAULT_GROUP", "orders.yaml");

    private static List<String> chosen(String percent, String salt, int clients) {
        Percentage percentage = Percentage.parse("expr", percent);
        return IntStream.range(0, clients)
                .mapToObj(client -> "orders@10.0." + client / 250 + "." + client % 250)
                .filter(identity -> percentage.contains(CONFIG, salt, identity))
                .toList();
    }

    @Test
    void aLargerShareContainsEachSmallerOne() {
        List<String> before = List.of();
        for (int percent = 1; percent <= 100; percent++) {
            List<String> now = chosen(Integer.toString(percent), "canary", 1_000);
            assertThat(now).as(percent + " %").containsAll(before);
            before = now;
        }
        assertThat(before).hasSize(1_000);
    }

    @ParameterizedTest
    @CsvSource({"0.5, 30, 70", "10, 900, 1100", "25, 2350, 2650", "50, 4800, 5200"})
    void hasAboutThatShare(String percent, int least, int most) {
        assertThat(chosen(percent, "canary", 10_000)).hasSizeBetween(least, most);
    }

    @Test
    void releasesOfOneConfigurationChooseDifferentClients() {
        List<String> both = new ArrayList<>(chosen("50", "one", 1_000));
        both.retainAll(chosen("50", "other", 1_000));
        assertThat(both).hasSizeBetween(180, 320);
    }

    /** The buckets are part of the interface: a new release of the server chooses the same clients. */
    @Test
    void aBucketIsTheHeadOfTheDigest() {
        // printf 'public\002DEFAULT_GROUP\002orders.yaml\002canary\002pod-7' | md5sum | cut -c1-8
        assertThat(Percentage.bucket(CONFIG, "canary", "pod-7")).isEqualTo((int) (BUCKET_OF_POD_7 % 10_000));
    }

    private static final long BUCKET_OF_POD_7 = 0xe11172b2L;

    @ParameterizedTest
    @CsvSource({"25, 2500", "25%, 2500", "0.01, 1", "100, 10000", "33.33, 3333", "' 5 %', 500", "1.50, 150"})
    void readsPercentages(String text, int hundredths) {
        assertThat(Percentage.parse("expr", text).hundredths()).isEqualTo(hundredths);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "0", "0.001", "100.01", "-5", "abc", "1e1000", "1,5", "%", "33.333", "999999999999"})
    void refusesOthers(String text) {
        assertThatThrownBy(() -> Percentage.parse("grayRuleExp", text))
                .hasMessageContaining("grayRuleExp: '")
                .hasMessageContaining("(expected: a percentage from 0.01 to 100)");
    }

    @Test
    void anIdentityIsTheInstanceOrTheApplicationWithItsAddress() {
        assertThat(GrayIdentity.of(Map.of("app_instance", "pod-7", "AppName", "orders"), "10.0.0.1"))
                .isEqualTo(new GrayIdentity("pod-7", GrayIdentity.By.INSTANCE));
        assertThat(GrayIdentity.of(Map.of("instance", "pod-9"), "10.0.0.1"))
                .isEqualTo(new GrayIdentity("pod-9", GrayIdentity.By.INSTANCE));
        assertThat(GrayIdentity.of(Map.of("nacos.app.instance", "pod-8"), "10.0.0.1"))
                .isEqualTo(new GrayIdentity("pod-8", GrayIdentity.By.INSTANCE));
        assertThat(GrayIdentity.of(Map.of("AppName", "orders"), "10.0.0.1"))
                .isEqualTo(new GrayIdentity("orders@10.0.0.1", GrayIdentity.By.APPLICATION_AND_ADDRESS));
        assertThat(GrayIdentity.of(Map.of(), "10.0.0.1")).isNull();
    }
}
