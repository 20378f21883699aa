package io.cairn.server.compatibility;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.alibaba.nacos.api.config.ConfigService;
import com.alibaba.nacos.api.exception.NacosException;
import com.alibaba.nacos.api.naming.NamingService;
import io.cairn.server.process.CairnProcess;
import io.cairn.testing.TestIssuer;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Generation 3.2 with the credentials of a client of an issuer, and no user or password. */
@Tag("full")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Execution(ExecutionMode.SAME_THREAD)
class NacosOidc3IT {
    private static final String GROUP = "DEFAULT_GROUP";

    private TestIssuer issuer;
    private CairnProcess cairn;
    private NacosClients clients;

    @BeforeAll
    void start() throws Exception {
        issuer = TestIssuer.start();
        cairn = CairnProcess.builder()
                .setting("nacos.core.auth.enabled", true)
                .setting("server.address", "127.0.0.1")
                .setting("nacos.core.auth.system.type", "oidc")
                .setting("nacos.core.auth.plugin.oidc.issuer-uri", issuer.url())
                .setting("nacos.core.auth.plugin.oidc.client-id", TestIssuer.AUDIENCE)
                .setting("cairn.auth.oidc.rules[0]", "groups=apps -> ROLE_ADMIN")
                .start();
        clients = new NacosClients(cairn.serverAddress());
    }

    @AfterEach
    void closeClients() {
        clients.close();
    }

    @AfterAll
    void stop() {
        if (cairn != null) {
            cairn.close();
        }
        issuer.close();
    }

    private Map<String, String> credentials() {
        Map<String, String> properties = new HashMap<>();
        properties.put("nacos.client.auth.oidc.issuer-uri", issuer.url());
        properties.put("nacos.client.auth.oidc.client-id", "orders");
        properties.put("nacos.client.auth.oidc.client-secret", "a-secret");
        return properties;
    }

    @Test
    void publishesListensAndRegistersWithTokensOfTheIssuer() throws Exception {
        // More than the tokens of Nacos have.
        issuer.issue(
                Duration.ofHours(1), Map.of("groups", List.of("apps"), "padding", "a-group-of-the-firm,".repeat(400)));
        ConfigService client = clients.open(credentials());
        var listener = new RecordingListener();

        LoginScenarios.onceLoggedIn().until(() -> client.publishConfig("oidc-1", GROUP, "first"));
        client.addListener("oidc-1", GROUP, listener);
        await().until(() -> listener.hasNow("first"));
        assertThat(client.publishConfig("oidc-1", GROUP, "second")).isTrue();
        await().until(() -> listener.hasNow("second"));

        NamingService naming = NamingClients.create(cairn.serverAddress(), credentials());
        try {
            LoginScenarios.onceLoggedIn().until(() -> {
                naming.registerInstance("oidc-service", "10.0.0.5", 8080);
                return true;
            });
            LoginScenarios.onceLoggedIn().untilAsserted(() -> assertThat(naming.getAllInstances("oidc-service", false))
                    .singleElement()
                    .satisfies(instance -> assertThat(instance.getIp()).isEqualTo("10.0.0.5")));
        } finally {
            naming.shutDown();
        }
        assertThat(issuer.tokensIssued()).isPositive();
    }

    @Test
    void aClientWithoutARuleMayDoNothing() throws Exception {
        issuer.issue(Duration.ofHours(1), Map.of("groups", List.of("lunch")));
        ConfigService stranger = clients.open(credentials());
        try {
            assertThat(stranger.publishConfig("oidc-2", GROUP, "taken")).isFalse();
        } catch (NacosException refused) {
            assertThat(refused.getErrMsg()).isNotBlank();
        }
        assertThat(issuer.tokensIssued()).isPositive();
    }

    /** Tokens that are shorter than the work: the client gets a new one, and what it watches goes on. */
    @Test
    void aListenerGoesOnAfterItsFirstTokenHasExpired() throws Exception {
        issuer.issue(Duration.ofSeconds(20), Map.of("groups", List.of("apps")));
        ConfigService client = clients.open(credentials());
        var listener = new RecordingListener();
        LoginScenarios.onceLoggedIn().until(() -> client.publishConfig("oidc-3", GROUP, "first"));
        client.addListener("oidc-3", GROUP, listener);
        await().until(() -> listener.hasNow("first"));
        int before = issuer.tokensIssued();

        await().until(() -> issuer.tokensIssued() > before);
        LoginScenarios.onceLoggedIn().until(() -> client.publishConfig("oidc-3", GROUP, "second"));
        await().until(() -> listener.hasNow("second"));
    }
}
