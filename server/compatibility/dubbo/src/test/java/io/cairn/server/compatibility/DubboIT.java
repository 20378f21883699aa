package io.cairn.server.compatibility;

import static io.cairn.testing.Patience.PATIENCE;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.alibaba.nacos.api.NacosFactory;
import com.alibaba.nacos.api.config.ConfigService;
import com.alibaba.nacos.api.exception.NacosException;
import com.alibaba.nacos.api.naming.NamingService;
import com.alibaba.nacos.api.naming.pojo.Instance;
import io.cairn.server.process.CairnProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Providers and consumers that know only the address of the server: registry, metadata center and config center. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DubboIT {
    private static final String INTERFACE = Greeter.class.getName();
    private static final String VERSION = "1.0.0";
    private static final long READ_TIMEOUT_MS = PATIENCE.toMillis();

    /** For which the server hands out what it remembers from before a restart: longer than clients take to be back. */
    private static final Duration MEMORY = Duration.ofSeconds(20);

    private CairnProcess cairn;
    private GreeterProvider provider;
    private GreeterConsumer byInterface;
    private GreeterConsumer byApplication;
    private NamingService registry;
    private ConfigService configs;

    @BeforeAll
    void startApplications() throws NacosException {
        ShadedGrpc.quieten();
        cairn = CairnProcess.builder()
                .setting("cairn.naming.recovery-window", MEMORY)
                .start();
        provider = GreeterProvider.start(cairn.serverAddress(), "greeter", "all", VERSION);
        byInterface = GreeterConsumer.byInterfaceAlone(cairn.serverAddress(), VERSION);
        byApplication = GreeterConsumer.byApplicationAlone(cairn.serverAddress(), VERSION);
        registry = NacosFactory.createNamingService(cairn.serverAddress());
        configs = NacosFactory.createConfigService(cairn.serverAddress());
    }

    @AfterAll
    void stopApplications() throws NacosException {
        configs.shutDown();
        registry.shutDown();
        byApplication.close();
        byInterface.close();
        provider.close();
        cairn.close();
    }

    @Test
    void providerIsRegisteredByInterfaceAndByApplicationAndFoundByEither() throws NacosException {
        // A provider of another scenario, which was killed, may still be on its way out.
        patiently().untilAsserted(() -> assertThat(
                        registry.getAllInstances("providers:" + INTERFACE + ":" + VERSION + ":", false))
                .singleElement()
                .satisfies(instance -> {
                    assertThat(instance.getPort()).isEqualTo(provider.port());
                    assertThat(instance.getMetadata()).containsEntry("interface", INTERFACE);
                }));
        patiently().untilAsserted(() -> assertThat(registry.getAllInstances("greeter", false))
                .singleElement()
                .extracting(Instance::getPort)
                .isEqualTo(provider.port()));
        assertThat(byInterface.answering()).containsExactly(provider.port());
        assertThat(byApplication.answering()).containsExactly(provider.port());
    }

    @Test
    void findsProviderByApplicationWithTheMappingOfTheMetadataCenter() throws NacosException {
        try (GreeterProvider alone = GreeterProvider.start(cairn.serverAddress(), "greeter-2", "instance", "2.0.0");
                GreeterConsumer consumer = GreeterConsumer.start(cairn.serverAddress(), "2.0.0")) {
            assertThat(consumer.answering()).containsExactly(alone.port());
            assertThat(registry.getAllInstances("providers:" + INTERFACE + ":2.0.0:", false))
                    .isEmpty();
        }
        // Two applications wrote it, by compare-and-set.
        assertThat(configs.getConfig(INTERFACE, "mapping", READ_TIMEOUT_MS).split(","))
                .containsExactlyInAnyOrder("greeter", "greeter-2");
    }

    @Test
    void secondProviderServesTooUntilItIsKilled() throws IOException {
        try (GreeterProcess second = GreeterProcess.start(cairn.serverAddress(), "greeter", "all", VERSION)) {
            awaitAnswering(provider.port(), second.port());
        }
        awaitAnswering(provider.port());
    }

    @Test
    void routingRuleInTheConfigCenterIsFollowedAtOnce() throws NacosException {
        try (GreeterProvider second = GreeterProvider.start(cairn.serverAddress(), "greeter", "all", VERSION)) {
            awaitAnswering(provider.port(), second.port());
            String rule = GreeterRouting.dataId(VERSION);
            configs.publishConfig(rule, GreeterRouting.GROUP, GreeterRouting.toPort(second.port()));
            awaitAnswering(second.port());
            configs.removeConfig(rule, GreeterRouting.GROUP);
            awaitAnswering(provider.port(), second.port());
        }
        awaitAnswering(provider.port());
    }

    @Test
    void applicationsOutliveARestartOfTheServer() throws NacosException {
        awaitRemembered();
        cairn.kill();
        assertThat(byInterface.answering()).containsExactly(provider.port());
        cairn.restart();
        long forgotten = System.nanoTime() + MEMORY.toNanos();

        awaitAnswering(provider.port()); // no call fails meanwhile
        try (GreeterProvider second = GreeterProvider.start(cairn.serverAddress(), "greeter", "all", VERSION)) {
            awaitAnswering(provider.port(), second.port());
        }
        awaitAnswering(provider.port());

        patiently().until(() -> System.nanoTime() > forgotten);
        patiently().untilAsserted(() -> assertThat(registry.getAllInstances("greeter", false))
                .hasSize(1));
        assertThat(byInterface.answering()).containsExactly(provider.port());
        assertThat(byApplication.answering()).containsExactly(provider.port());
    }

    /** The server remembers instances within a second, in the order in which they came: a kill before forgets the newest. */
    private void awaitRemembered() throws NacosException {
        registry.registerInstance("newest", "10.99.0.1", 9901);
        patiently().untilAsserted(() -> {
            var remembered = new StringBuilder();
            try (var files = Files.newDirectoryStream(cairn.home().resolve("data"), "last-known.db*")) {
                for (Path file : files) {
                    remembered.append(Files.readString(file, ISO_8859_1));
                }
            }
            assertThat(remembered).contains("\"10.99.0.1\"");
        });
    }

    /** Waits until both consumers are answered by these and no others; no call may fail. */
    private void awaitAnswering(Integer... ports) {
        for (GreeterConsumer consumer : List.of(byInterface, byApplication)) {
            patiently().untilAsserted(() -> assertThat(consumer.answering()).containsExactlyInAnyOrder(ports));
        }
    }

    private static ConditionFactory patiently() {
        return await().pollInterval(Duration.ofMillis(50));
    }
}
