package io.cairn.server.compatibility;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.alibaba.nacos.api.config.ConfigService;
import com.alibaba.nacos.api.exception.NacosException;
import com.alibaba.nacos.api.naming.NamingService;
import io.cairn.server.process.CairnProcess;
import io.cairn.testing.TestDirectory;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Generation 3.2 with the names and passwords of users of a directory, by the settings of Nacos. */
@Tag("full")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Execution(ExecutionMode.SAME_THREAD)
class NacosLdap3IT {
    private static final String GROUP = "DEFAULT_GROUP";

    private TestDirectory directory;
    private CairnProcess cairn;
    private NacosClients clients;

    @BeforeAll
    void start() throws Exception {
        directory = TestDirectory.start();
        directory.group("apps", directory.user("orders", "the-password-of-orders"));
        directory.user("stranger", "the-password-of-stranger");
        cairn = CairnProcess.builder()
                .setting("nacos.core.auth.enabled", true)
                .setting("server.address", "127.0.0.1")
                .setting("nacos.core.auth.system.type", "ldap")
                .setting("nacos.core.auth.ldap.url", directory.url())
                .setting("nacos.core.auth.ldap.basedc", TestDirectory.BASE)
                .setting("nacos.core.auth.ldap.userDn", TestDirectory.SEARCH_DN)
                .setting("nacos.core.auth.ldap.password", TestDirectory.SEARCH_PASSWORD)
                .setting("nacos.core.auth.ldap.userdn", "cn={0},dc=company,dc=com")
                .setting("cairn.auth.ldap.rules[0]", "groups=apps -> ROLE_ADMIN")
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
        directory.close();
    }

    private static Map<String, String> credentials(String name) {
        return Map.of("username", name, "password", "the-password-of-" + name);
    }

    @Test
    void publishesListensAndRegistersAsAUserOfTheDirectory() throws Exception {
        ConfigService client = clients.open(credentials("orders"));
        var listener = new RecordingListener();

        LoginScenarios.onceLoggedIn().until(() -> client.publishConfig("ldap-1", GROUP, "first"));
        client.addListener("ldap-1", GROUP, listener);
        await().until(() -> listener.hasNow("first"));
        assertThat(client.publishConfig("ldap-1", GROUP, "second")).isTrue();
        await().until(() -> listener.hasNow("second"));

        NamingService naming = NamingClients.create(cairn.serverAddress(), credentials("orders"));
        try {
            LoginScenarios.onceLoggedIn().until(() -> {
                naming.registerInstance("ldap-service", "10.0.0.6", 8080);
                return true;
            });
            LoginScenarios.onceLoggedIn().untilAsserted(() -> assertThat(naming.getAllInstances("ldap-service", false))
                    .singleElement()
                    .satisfies(instance -> assertThat(instance.getIp()).isEqualTo("10.0.0.6")));
        } finally {
            naming.shutDown();
        }
    }

    @Test
    void aUserWithoutARuleMayDoNothing() throws Exception {
        ConfigService stranger = clients.open(credentials("stranger"));
        await().untilAsserted(() -> assertThat(directory.bindsOf("uid=stranger," + TestDirectory.PEOPLE))
                .isPositive());
        try {
            assertThat(stranger.publishConfig("ldap-2", GROUP, "taken")).isFalse();
        } catch (NacosException refused) {
            assertThat(refused.getErrMsg()).isNotBlank();
        }
        ConfigService owner = clients.open(credentials("orders"));
        LoginScenarios.onceLoggedIn().until(() -> owner.publishConfig("ldap-3", GROUP, "later"));
        assertThat(owner.getConfig("ldap-2", GROUP, 30_000)).isNull();
    }
}
