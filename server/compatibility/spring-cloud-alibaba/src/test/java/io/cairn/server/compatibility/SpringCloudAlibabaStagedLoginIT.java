package io.cairn.server.compatibility;

import static io.cairn.server.compatibility.SpringApplications.port;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.alibaba.nacos.api.NacosFactory;
import com.alibaba.nacos.api.config.ConfigService;
import com.alibaba.nacos.api.exception.NacosException;
import io.cairn.testing.HangLimit;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Properties;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.cloud.client.ServiceInstance;
import org.springframework.cloud.client.discovery.DiscoveryClient;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.web.client.RestClient;

/** A consumer calls a provider 200 times a second, while their server is closed in stages. */
class SpringCloudAlibabaStagedLoginIT {
    private static final String DATA_ID = "staged.yaml";
    private static final String GROUP = "DEFAULT_GROUP";

    @Test
    @HangLimit
    void noCallFailsWhileTheServerIsClosedInStages(@TempDir Path home) throws Exception {
        ShadedGrpc.quieten();
        try (StagedServer cairn = new StagedServer(home)) {
            cairn.closeAdministration();
            cairn.administration().createUser("orders");
            cairn.administration().grant("orders", "rw");
            ConfigService configs = configs(cairn.address());
            publish(configs, 1);
            SpringApplications applications = new SpringApplications(cairn.address(), "orders");
            try (ConfigurableApplicationContext provider = applications.provider("orders", "blue", DATA_ID);
                    ConfigurableApplicationContext consumer = applications.consumer()) {
                var shop = new Shop(consumer);
                await().until(() -> shop.listed().contains(port(provider)));
                try (SteadyCalls calls = new SteadyCalls(shop, Set.of(port(provider)), Duration.ofMillis(5))) {
                    cairn.rehearse();
                    publish(configs, 2);
                    awaitLimit(provider, 2);
                    awaitCalls(calls);
                    assertThat(cairn.administration().listed())
                            .as("clients that a login would refuse")
                            .isEmpty();

                    cairn.closeAll();
                    publish(configs, 3);
                    awaitLimit(provider, 3);
                    awaitCalls(calls);
                    assertThat(calls.violations()).isEmpty();
                }
            } finally {
                configs.shutDown();
            }
        }
    }

    private static ConfigService configs(String serverAddress) throws NacosException {
        var properties = new Properties();
        properties.setProperty("serverAddr", serverAddress);
        properties.setProperty("username", "orders");
        properties.setProperty("password", "of-orders");
        return NacosFactory.createConfigService(properties);
    }

    /** The server was away a moment before. */
    private static void publish(ConfigService configs, int open) {
        String settings = "orders: {greeting: hello, limits: {open: %d}}".formatted(open);
        await().ignoreExceptions().until(() -> configs.publishConfig(DATA_ID, GROUP, settings, "yaml"));
    }

    private static void awaitLimit(ConfigurableApplicationContext provider, int open) {
        await().untilAsserted(() -> assertThat(
                        provider.getBean(OrdersApplication.Limits.class).getOpen())
                .isEqualTo(open));
    }

    private static void awaitCalls(SteadyCalls calls) {
        int before = calls.calls();
        await().until(() -> calls.calls() >= before + 100 || !calls.violations().isEmpty());
    }

    private static final class Shop implements CallingConsumer {
        private final DiscoveryClient discovery;
        private final RestClient client;

        Shop(ConfigurableApplicationContext consumer) {
            discovery = consumer.getBean(DiscoveryClient.class);
            client = consumer.getBean(RestClient.Builder.class)
                    .baseUrl("http://orders")
                    .build();
        }

        @Override
        public void call() {
            String order = client.get().uri("/orders/{id}", 7).retrieve().body(String.class);
            assertThat(order).startsWith("7 from ");
        }

        @Override
        public Set<Integer> listed() {
            return discovery.getInstances("orders").stream()
                    .map(ServiceInstance::getPort)
                    .collect(Collectors.toSet());
        }
    }
}
