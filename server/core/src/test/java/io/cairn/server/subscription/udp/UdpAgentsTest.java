package io.cairn.server.subscription.udp;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.naming.switches.Switches;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class UdpAgentsTest {

    private final Switches switches = new Switches();

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Nacos-Java-Client:v1.4.8",
                "Nacos-Java-Client:v0.1.0",
                "Nacos-Java-Client:v1.4.8-SNAPSHOT",
                "Nacos-Go-Client:v1.0.1",
                "Nacos-C-Client:v1.0.12",
                "Nacos-CSharp-Client:1.1.0",
                "Nacos-DNS:v1.0"
            })
    void knownClientsTakePushes(String agent) {
        assertThat(UdpAgents.takesPushes(agent, switches)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "curl/8.0",
                "Nacos-Java-Client",
                "Nacos-Java-Client:v0.0.9",
                "Nacos-C-Client:v1.0.11",
                "Nacos-Python-Client:v1.0.0",
                "Nacos-Java-Clientele:v1.0.0"
            })
    void othersDoNot(String agent) {
        assertThat(UdpAgents.takesPushes(agent, switches)).isFalse();
    }

    @Test
    void clientWithoutUserAgentTakesNoPushes() {
        assertThat(UdpAgents.takesPushes(null, switches)).isFalse();
    }

    @Test
    void versionsAreComparedByTheirNumbers() {
        assertThat(UdpAgents.compare("v1.10.0", "1.9.9")).isPositive();
        assertThat(UdpAgents.compare("1.9", "1.9.0")).isZero();
        assertThat(UdpAgents.compare("v", "0.0.1")).isNegative();
        assertThat(UdpAgents.compare("99999999999999.0.0", "1.0.0")).isPositive();
    }
}
