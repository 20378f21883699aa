package io.cairn.server.http.actuator;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ActuatorAccessTest {

    @Test
    void theBasePathOpensNoEndpoint() {
        ActuatorAccess access = new ActuatorAccess("/actuator", false);
        assertThat(access.of("/actuator/health")).isSameAs(ActuatorAccess.OPEN);
        assertThat(access.of("/actuator/health/**")).isSameAs(ActuatorAccess.OPEN);
        assertThat(access.of("/actuator/env")).isSameAs(ActuatorAccess.ADMIN);
        assertThat(access.of("/actuator/env/health")).isSameAs(ActuatorAccess.ADMIN);
        assertThat(access.of("/actuator/healthy")).isSameAs(ActuatorAccess.ADMIN);
        assertThat(access.of("/actuatorhealth")).isSameAs(ActuatorAccess.ADMIN);
        assertThat(new ActuatorAccess("/metrics", true).of("/metrics/env")).isSameAs(ActuatorAccess.ADMIN);
    }

    @Test
    void metersNeedThePermissionUnlessASettingOpensThem() {
        for (String path : new String[] {"/actuator/metrics", "/actuator/metrics/**", "/actuator/prometheus"}) {
            assertThat(new ActuatorAccess("/actuator", false).of(path)).isSameAs(ActuatorAccess.METERS);
            assertThat(new ActuatorAccess("/actuator", true).of(path)).isSameAs(ActuatorAccess.OPEN);
        }
    }

    @Test
    void onlyTheOpenEndpointsNeedNoRight() {
        assertThat(ActuatorAccess.OPEN.right().isOpen()).isTrue();
        assertThat(ActuatorAccess.METERS.right().isOpen()).isFalse();
        assertThat(ActuatorAccess.ADMIN.right().isOpen()).isFalse();
    }
}
