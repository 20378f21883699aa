package io.cairn.server.wiring;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CairnConfigurationTest {

    @Test
    void theBasePathOpensNoEndpoint() {
        assertThat(CairnConfiguration.isOpen("/actuator/health", "/actuator")).isTrue();
        assertThat(CairnConfiguration.isOpen("/actuator/metrics/{name}", "/actuator"))
                .isTrue();
        assertThat(CairnConfiguration.isOpen("/metrics/env", "/metrics")).isFalse();
        assertThat(CairnConfiguration.isOpen("/actuator/env/health", "/actuator"))
                .isFalse();
    }
}
