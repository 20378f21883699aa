package io.cairn.server.compatibility;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.alibaba.nacos.api.PropertyKeyConst;
import com.alibaba.nacos.api.config.ConfigService;
import com.alibaba.nacos.api.naming.NamingService;
import io.cairn.server.process.CairnProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A server with login, TLS and client certificates over gRPC, configured by Nacos's keys on both sides. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Execution(ExecutionMode.SAME_THREAD) // each test closes the clients of all
public abstract class TlsScenarios {
    private static final String GROUP = "DEFAULT_GROUP";
    private static final String SERVER = "nacos.remote.server.rpc.tls.";
    private static final String CLIENT = "nacos.remote.client.rpc.tls.";

    private Path files;
    private CairnProcess cairn;
    private NacosClients clients;
    private String password;

    @BeforeAll
    void start(@TempDir Path folder) throws Exception {
        files = folder;
        Certificates.write(files, "server", "SAN=ip:127.0.0.1,dns:localhost");
        Certificates.write(files, "client", "SAN=dns:client");
        Certificates.write(files, "stranger", "SAN=dns:client");
        cairn = CairnProcess.builder()
                .setting("nacos.core.auth.enabled", true)
                .setting("server.address", "127.0.0.1")
                .setting(SERVER + "enableTls", true)
                .setting(SERVER + "certChainFile", files.resolve("server.pem").toString())
                .setting(SERVER + "certPrivateKey", resource("server.key"))
                .setting(SERVER + "mutualAuthEnable", true)
                .setting(
                        SERVER + "trustCollectionCertFile",
                        files.resolve("client.pem").toString())
                .setting(SERVER + "compatibility", false)
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

    /** The client searches the class path for a bare path. */
    private String resource(String file) {
        return "file:" + files.resolve(file);
    }

    private Map<String, String> with(String certificate) {
        var settings = new HashMap<>(Map.of(PropertyKeyConst.USERNAME, "nacos", PropertyKeyConst.PASSWORD, password));
        settings.put(CLIENT + "enable", "true");
        settings.put(CLIENT + "provider", "JDK");
        settings.put(CLIENT + "mutualAuth", "true");
        settings.put(CLIENT + "trustAll", "false");
        settings.put(CLIENT + "trustCollectionChainPath", resource("server.pem"));
        settings.put(CLIENT + "certChainFile", resource(certificate + ".pem"));
        settings.put(CLIENT + "certPrivateKey", resource(certificate + ".key"));
        return settings;
    }

    @Test
    void clientWithCertificatePublishesReadsAndListens() throws Exception {
        ConfigService client = clients.open(with("client"));
        var listener = new RecordingListener();
        client.addListener("tls-1", GROUP, listener);

        LoginScenarios.onceLoggedIn().until(() -> client.publishConfig("tls-1", GROUP, "first"));

        LoginScenarios.onceLoggedIn().untilAsserted(() -> assertThat(client.getConfig("tls-1", GROUP, 30_000))
                .isEqualTo("first"));
        await().until(() -> listener.hasNow("first"));
    }

    @Test
    void clientWithCertificateRegistersAndIsFound() throws Exception {
        NamingService client = NamingClients.create(cairn.serverAddress(), with("client"));
        try {
            LoginScenarios.onceLoggedIn().until(() -> {
                client.registerInstance("tls-service", "10.0.0.6", 8080);
                return true;
            });

            LoginScenarios.onceLoggedIn().untilAsserted(() -> assertThat(client.getAllInstances("tls-service", false))
                    .singleElement()
                    .satisfies(instance -> assertThat(instance.getIp()).isEqualTo("10.0.0.6")));
        } finally {
            client.shutDown();
        }
    }

    @Test
    void refusesAnUntrustedCertificateAndPlainText() throws Exception {
        var plain = new HashMap<>(with("client"));
        plain.keySet().removeIf(key -> key.startsWith(CLIENT));
        for (Map<String, String> settings : List.of(with("stranger"), plain)) {
            ConfigService client = clients.open(settings);
            try {
                assertThat(client.publishConfig("tls-2", GROUP, "taken")).isFalse();
            } catch (com.alibaba.nacos.api.exception.NacosException refused) {
                assertThat(refused.getErrMsg()).isNotBlank();
            }
        }
        ConfigService owner = clients.open(with("client"));
        LoginScenarios.onceLoggedIn().untilAsserted(() -> assertThat(owner.getConfig("tls-2", GROUP, 30_000))
                .isNull());
    }
}
