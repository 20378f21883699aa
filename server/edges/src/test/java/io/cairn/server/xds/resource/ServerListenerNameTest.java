package io.cairn.server.xds.resource;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ServerListenerNameTest {

    private static final String PREFIX = "grpc/server?xds.resource.listening_address=";

    @Test
    void addressAndPortAreRead() {
        assertThat(ServerListenerName.parse(PREFIX + "0.0.0.0:8080"))
                .isEqualTo(new ServerListenerName("0.0.0.0", 8080))
                .hasToString(PREFIX + "0.0.0.0:8080");
        assertThat(ServerListenerName.parse(PREFIX + "[::]:65535"))
                .isEqualTo(new ServerListenerName("::", 65_535))
                .hasToString(PREFIX + "[::]:65535");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "8080",
                ":8080",
                "0.0.0.0:",
                "0.0.0.0:0",
                "0.0.0.0:65536",
                "0.0.0.0:+80",
                "::1:80",
                "host:80",
                "[1.2.3.4]:80",
                "0.0.0.0:999999999999"
            })
    void otherEndsAreNoNames(String end) {
        assertThat(ServerListenerName.parse(PREFIX + end)).isNull();
    }

    @Test
    void otherBeginningsAreNoNames() {
        assertThat(ServerListenerName.parse("0.0.0.0:8080")).isNull();
        assertThat(ServerListenerName.isOne("orders")).isFalse();
    }
}
