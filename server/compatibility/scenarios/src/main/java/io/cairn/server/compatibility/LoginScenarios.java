package io.cairn.server.compatibility;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.alibaba.nacos.api.PropertyKeyConst;
import com.alibaba.nacos.api.config.ConfigService;
import com.alibaba.nacos.api.exception.NacosException;
import com.alibaba.nacos.api.naming.NamingService;
import io.cairn.server.process.CairnProcess;
import java.nio.file.Files;
import java.util.Map;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A server with login serves clients with the right password only. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Execution(ExecutionMode.SAME_THREAD)
public abstract class LoginScenarios {
    private static final String GROUP = "DEFAULT_GROUP";

    private CairnProcess cairn;
    private NacosClients clients;
    private String password;

    @BeforeAll
    void start() throws Exception {
        cairn = CairnProcess.builder()
                .setting("nacos.core.auth.enabled", true)
                .setting("server.address", "127.0.0.1")
                .start();
        clients = new NacosClients(cairn.serverAddress());
        password = Files.readString(cairn.home().resolve("data/auth/initial-admin-password"))
                .trim();
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
    }

    /** Retries refusals: a login slower than the client's limit leaves it without a token until the next one, 5 s later. */
    static ConditionFactory onceLoggedIn() {
        return await().ignoreExceptions();
    }

    private static Map<String, String> as(String username, String password) {
        return Map.of(PropertyKeyConst.USERNAME, username, PropertyKeyConst.PASSWORD, password);
    }

    @Test
    void loggedInClientPublishesReadsAndListens() throws Exception {
        ConfigService client = clients.open(as("nacos", password));
        var listener = new RecordingListener();
        client.addListener("login-1", GROUP, listener);

        onceLoggedIn().until(() -> client.publishConfig("login-1", GROUP, "first"));

        onceLoggedIn().untilAsserted(() -> assertThat(client.getConfig("login-1", GROUP, 30_000))
                .isEqualTo("first"));
        await().until(() -> listener.hasNow("first"));
    }

    @Test
    void loggedInClientRegistersAndIsFound() throws Exception {
        NamingService client = NamingClients.create(cairn.serverAddress(), as("nacos", password));
        try {
            onceLoggedIn().until(() -> {
                client.registerInstance("login-service", "10.0.0.5", 8080);
                return true;
            });

            onceLoggedIn().untilAsserted(() -> assertThat(client.getAllInstances("login-service", false))
                    .singleElement()
                    .satisfies(instance -> assertThat(instance.getIp()).isEqualTo("10.0.0.5")));
        } finally {
            client.shutDown();
        }
    }

    @Test
    void aWrongPasswordOpensNothing() throws Exception {
        ConfigService stranger = clients.open(as("nacos", password + "x"));
        try {
            assertThat(stranger.publishConfig("login-2", GROUP, "taken")).isFalse();
        } catch (NacosException refused) {
            assertThat(refused.getErrMsg()).isNotBlank();
        }

        ConfigService owner = clients.open(as("nacos", password));
        onceLoggedIn().untilAsserted(() -> assertThat(owner.getConfig("login-2", GROUP, 30_000))
                .isNull());
        assertThat(owner.publishConfig("login-2", GROUP, "mine")).isTrue();
    }
}
