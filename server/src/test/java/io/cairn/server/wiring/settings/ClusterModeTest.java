package io.cairn.server.wiring.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cairn.api.error.CairnException;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.MutablePropertySources;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;

class ClusterModeTest {

    private final Map<String, Object> settings = new HashMap<>(Map.of(
            "nacos.standalone",
            "false",
            "spring.sql.init.platform",
            "mysql",
            "db.url.0",
            "jdbc:mysql://db:3306/nacos"));

    private StandardEnvironment environment() {
        StandardEnvironment environment = new StandardEnvironment();
        MutablePropertySources sources = environment.getPropertySources();
        // The environment of this machine does not count here.
        sources.stream().map(PropertySource::getName).toList().forEach(sources::remove);
        sources.addFirst(new MapPropertySource("test", settings));
        return environment;
    }

    @ParameterizedTest
    @ValueSource(strings = {"false", "False", "no", "off"})
    void isOnWhereTheServerIsNotToBeAlone(String value) {
        settings.put("nacos.standalone", value);

        assertThat(ClusterMode.isOn(environment())).isTrue();
    }

    @Test
    void isOffByDefault() {
        settings.remove("nacos.standalone");
        settings.put("nacos.remote.peer.rpc.tls.enableTls", "true");
        settings.put("server.port", "0");

        assertThat(ClusterMode.isOn(environment())).isFalse();
        assertThatCode(() -> ClusterMode.check(environment())).doesNotThrowAnyException();
    }

    @Test
    void aClusterOnMySqlIsAccepted() {
        settings.put("nacos.remote.peer.rpc.tls.enableTls", "false");

        assertThatCode(() -> ClusterMode.check(environment())).doesNotThrowAnyException();
    }

    @Test
    void aClusterOnTheEmbeddedDatabaseIsRefused() {
        settings.put("spring.sql.init.platform", "sqlite");

        assertRefused("Cluster mode needs a database server, which all nodes share, but spring.sql.init.platform is"
                + " 'sqlite': set it to mysql or postgresql, and db.url.0, or start with -m standalone");
    }

    @Test
    void aPortThatTheOthersCannotKnowIsRefused() {
        settings.put("server.port", "0");

        assertRefused("server.port: 0 (expected: 1-64534 in cluster mode, because the other nodes know this one by its"
                + " port)");
    }

    @ParameterizedTest
    @ValueSource(strings = {"enableTls", "enable-tls"})
    void tlsBetweenTheNodesIsRefused(String name) {
        settings.put("nacos.remote.peer.rpc.tls." + name, "true");

        assertRefused("nacos.remote.peer.rpc.tls.*: the nodes do not use TLS between each other; all that passes is"
                + " encrypted with the key of the group, always (see docs/guide/cluster.md): remove these settings");
    }

    private void assertRefused(String line) {
        assertThatThrownBy(() -> ClusterMode.check(environment()))
                .isInstanceOf(CairnException.class)
                .hasMessage(line);
    }
}
