package io.cairn.server.http.actuator;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.http.route.HttpRule;
import org.junit.jupiter.api.Test;

class ActuatorAccessTest {

    @Test
    void theBasePathOpensNoEndpoint() {
        ActuatorAccess access = new ActuatorAccess("/actuator", false);
        assertThat(access.of("/actuator/health")).isSameAs(HttpRule.OPEN);
        assertThat(access.of("/actuator/health/**")).isSameAs(HttpRule.OPEN);
        assertThat(access.of("/actuator/env")).isSameAs(HttpRule.ADMIN);
        assertThat(access.of("/actuator/env/health")).isSameAs(HttpRule.ADMIN);
        assertThat(access.of("/actuator/healthy")).isSameAs(HttpRule.ADMIN);
        assertThat(access.of("/actuatorhealth")).isSameAs(HttpRule.ADMIN);
        assertThat(new ActuatorAccess("/metrics", true).of("/metrics/env")).isSameAs(HttpRule.ADMIN);
    }

    @Test
    void metersAreForThoseWhoMayReadThemUnlessASettingOpensThem() {
        for (String path : new String[] {"/actuator/metrics", "/actuator/metrics/**", "/actuator/prometheus"}) {
            assertThat(new ActuatorAccess("/actuator", false).of(path))
                    .isNotSameAs(HttpRule.OPEN)
                    .isNotSameAs(HttpRule.ADMIN);
            assertThat(new ActuatorAccess("/actuator", true).of(path)).isSameAs(HttpRule.OPEN);
        }
    }
}
