package io.cairn.server.naming.registry;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RecoveryWindowTest {

    @ParameterizedTest
    @CsvSource({
        "'', 15, 15",
        "Nacos-Java-Client:v2.5.1, 15, 15",
        "Nacos-Go-Client:v2.3.5, 1, 1",
        "2.0.0, 15, 15",
        "Nacos-Python-Client:v3.2.0, 15, 45",
        "Nacos-Python-Client:v3.2.0, 60, 60",
        "Nacos-Rust-Client:0.8.3, 15, 90",
        "Nacos-Rust-Client:0.8.3, 120, 120"
    })
    void isAsLongAsSetAndNoShorterThanTheSdkTakes(String sdk, long setSeconds, long seconds) {
        assertThat(RecoveryWindow.of(sdk, Duration.ofSeconds(setSeconds))).hasSeconds(seconds);
    }
}
