package io.cairn.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.Namespace;
import io.cairn.cli.migrate.ConfigState;
import io.cairn.cli.migrate.SideException;
import java.util.List;
import org.junit.jupiter.api.Test;

class V1ConfigsTest {

    private static final String PATH = "/v1/cs/configs";
    private static final ConfigKey KEY = new ConfigKey(Namespace.DEFAULT, "G", "a.yaml");

    @Test
    void anErrorIsNotTheAbsenceOfARelease() throws Exception {
        try (FakeNacos nacos = new FakeNacos()) {
            nacos.bodies.put(PATH, "{\"content\":\"a: 1\",\"type\":\"yaml\"}");
            V1Configs configs = new V1Configs(nacos.bridge(1_000), List.of("blue"));
            nacos.statuses.put(PATH + "?tag", 404);
            assertThat(configs.read(KEY)).map(ConfigState::grays).contains(List.of());
            nacos.statuses.put(PATH + "?tag", 502);
            assertThatThrownBy(() -> configs.read(KEY))
                    .isInstanceOfSatisfying(SideException.class, e -> assertThat(e.isTemporary())
                            .isTrue());
        }
    }
}
