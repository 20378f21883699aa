package io.cairn.server.naming;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NamingCheckTest {

    @ParameterizedTest
    @ValueSource(strings = {"orders", "a@b", "com.example.Orders:1.0:", "größe", "a#b", "orders@"})
    void serviceNamesThatAreAccepted(String name) {
        assertThatCode(() -> NamingCheck.serviceName(name)).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @ValueSource(strings = {"@orders", "a@@b", "or ders", "or\tders", "订单"})
    void serviceNamesThatAreRefused(String name) {
        refused(
                () -> NamingCheck.serviceName(name),
                "Param 'serviceName' is illegal, illegal characters should not appear in the param.");
    }

    @Test
    void namesHaveALongestLength() {
        assertThatCode(() -> NamingCheck.serviceName("s".repeat(512))).doesNotThrowAnyException();
        refused(
                () -> NamingCheck.serviceName("s".repeat(513)),
                "Param 'serviceName' is illegal, the param length should not exceed 512.");
        assertThatCode(() -> NamingCheck.clusters("c".repeat(64) + "," + "d".repeat(64)))
                .doesNotThrowAnyException();
        refused(
                () -> NamingCheck.clusters("a," + "c".repeat(65)),
                "Param 'cluster' is illegal, the param length should not exceed 64.");
        assertThatCode(() -> NamingCheck.ip("i".repeat(128))).doesNotThrowAnyException();
        refused(
                () -> NamingCheck.ip("i".repeat(129)),
                "Param 'ip' is illegal, the param length should not exceed 128.");
    }

    @Test
    void doesNotCheckAbsentValues() {
        assertThatCode(() -> {
                    NamingCheck.serviceName(null);
                    NamingCheck.clusters(null);
                    NamingCheck.clusters("");
                    NamingCheck.clusters(",");
                    NamingCheck.clusters("a,b,");
                    NamingCheck.ip(null);
                    NamingCheck.metadata(Map.of(), 1);
                })
                .doesNotThrowAnyException();
    }

    @ParameterizedTest
    @ValueSource(strings = {"a b", "a.b", "a,b.c", "ä", "a;b", "a,,b", ",a"})
    void clustersThatAreRefused(String names) {
        refused(
                () -> NamingCheck.clusters(names),
                "Param 'cluster' is illegal, illegal characters should not appear in the param.");
    }

    @Test
    void addressesMayBeNames() {
        assertThatCode(() -> NamingCheck.ip("host_1.example.org")).doesNotThrowAnyException();
        assertThatCode(() -> NamingCheck.ip("fe80::1%eth0")).doesNotThrowAnyException();
        refused(
                () -> NamingCheck.ip("10.0.0.1 "),
                "Param 'ip' is illegal, illegal characters should not appear in the param.");
    }

    @Test
    void portsAreNumbersInTheirRange() {
        assertThat(NamingCheck.port(" 0 ")).isZero();
        assertThat(NamingCheck.port("65535")).isEqualTo(65_535);
        for (String port : new String[] {"-1", "65536", "", "http", "99999999999"}) {
            refused(() -> NamingCheck.port(port), "Param 'port' is illegal, the value should be between 0 and 65535.");
        }
    }

    @Test
    void metadataHasALongestLengthInAll() {
        assertThatCode(() -> NamingCheck.metadata(Map.of("k".repeat(24), "v".repeat(1_000)), 1_024))
                .doesNotThrowAnyException();
        refused(
                () -> NamingCheck.metadata(Map.of("a", "v".repeat(1_000), "b".repeat(20), "cccc"), 1_024),
                "Param 'Metadata' is illegal, the param length should not exceed 1024.");
    }

    @Test
    void anSdkMayGiveAnyNumberAsItsWeight() {
        for (double weight : new double[] {-1, 0, 10_000.1, Double.MAX_VALUE}) {
            assertThatCode(() -> NamingCheck.weightOfSdk(weight)).doesNotThrowAnyException();
        }
        for (double weight : new double[] {Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY}) {
            refused(
                    () -> NamingCheck.weightOfSdk(weight),
                    "instance format invalid: The weights range from 0.0 to 10000.0");
        }
    }

    @ParameterizedTest
    @ValueSource(doubles = {-0.1, 10_000.1, Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY})
    void weightsThatAreRefused(double weight) {
        refused(() -> NamingCheck.weight(weight), "instance format invalid: The weights range from 0.0 to 10000.0");
    }

    @Test
    void weightsThatAreAccepted() {
        assertThatCode(() -> {
                    NamingCheck.weight(0);
                    NamingCheck.weight(0.001);
                    NamingCheck.weight(10_000);
                })
                .doesNotThrowAnyException();
    }

    @Test
    void aBeatMustBeDueBeforeItIsMissed() {
        Instance instance = Instance.of("10.0.0.1", 80);
        assertThatCode(() -> NamingCheck.registration(instance.withMetadata(Map.of(
                        Instance.BEAT_INTERVAL,
                        "1000",
                        Instance.BEAT_TIMEOUT,
                        "1000",
                        Instance.DELETE_TIMEOUT,
                        "1000"))))
                .doesNotThrowAnyException();
        for (String name : new String[] {Instance.BEAT_TIMEOUT, Instance.DELETE_TIMEOUT}) {
            refused(
                    () -> NamingCheck.registration(instance.withMetadata(Map.of(name, "4999"))),
                    "Instance 'heart beat interval' must less than 'heart beat timeout' and 'ip delete timeout'.");
        }
    }

    @Test
    void theClusterOfAnInstanceHasNoUnderscore() {
        refused(
                () -> NamingCheck.registration(
                        new Instance(new InstanceKey("10.0.0.1", 80, "a_b"), 1, true, true, true, Map.of(), null)),
                "Instance 'clusterName' should be characters with only 0-9a-zA-Z-. (current: a_b)");
    }

    private static void refused(ThrowingCallable check, String text) {
        assertThatThrownBy(check).isInstanceOfSatisfying(CairnException.class, failure -> {
            assertThat(failure.code()).isEqualTo(ErrorCode.INVALID_PARAMETER);
            assertThat(failure.text()).isEqualTo(text);
        });
    }
}
