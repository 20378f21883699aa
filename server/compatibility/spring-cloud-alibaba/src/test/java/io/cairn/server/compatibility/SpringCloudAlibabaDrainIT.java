package io.cairn.server.compatibility;

import static org.assertj.core.api.Assertions.assertThat;

import com.alibaba.nacos.api.NacosFactory;
import com.alibaba.nacos.api.config.ConfigService;
import com.alibaba.nacos.api.exception.NacosException;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.cloud.client.ServiceInstance;
import org.springframework.cloud.client.discovery.DiscoveryClient;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.web.client.RestClient;

/** Calls through Spring's load balancer, without a cache of its own. */
class SpringCloudAlibabaDrainIT extends DrainedRestartScenarios {
    private static final String SERVICE = "orders";
    private static final String DATA_ID = "orders.yaml";

    @Override
    Applications start(String serverAddress) throws NacosException {
        ShadedGrpc.quieten();
        return new Shop(serverAddress);
    }

    private static final class Shop implements Applications, CallingConsumer {
        private final SpringApplications applications;
        private final ConfigurableApplicationContext staying;
        private final ConfigurableApplicationContext consumer;
        private final DiscoveryClient discovery;
        private final RestClient client;
        private @Nullable ConfigurableApplicationContext restarted;

        Shop(String serverAddress) throws NacosException {
            ConfigService configs = NacosFactory.createConfigService(serverAddress);
            assertThat(configs.publishConfig(
                            DATA_ID, "DEFAULT_GROUP", "orders: {greeting: hello, limits: {open: 1}}", "yaml"))
                    .isTrue();
            configs.shutDown();
            applications = new SpringApplications(serverAddress);
            staying = applications.provider(SERVICE, "blue", DATA_ID);
            consumer = applications.consumer();
            discovery = consumer.getBean(DiscoveryClient.class);
            client = consumer.getBean(RestClient.Builder.class)
                    .baseUrl("http://" + SERVICE)
                    .build();
        }

        @Override
        public List<CallingConsumer> consumers() {
            return List.of(this);
        }

        @Override
        public int staying() {
            return SpringApplications.port(staying);
        }

        @Override
        public int startProvider() {
            restarted = applications.provider(SERVICE, "green", DATA_ID);
            return SpringApplications.port(restarted);
        }

        @Override
        public List<String> services() {
            return List.of(SERVICE);
        }

        /** Closes the port first: a Spring application would deregister before. */
        @Override
        public void stopProvider() {
            ConfigurableApplicationContext stopping = Objects.requireNonNull(restarted);
            Objects.requireNonNull(((WebServerApplicationContext) stopping).getWebServer())
                    .stop();
            stopping.close();
            restarted = null;
        }

        @Override
        public void call() {
            String order = client.get().uri("/orders/{id}", 7).retrieve().body(String.class);
            assertThat(order).startsWith("7 from ");
        }

        @Override
        public Set<Integer> listed() {
            return discovery.getInstances(SERVICE).stream()
                    .map(ServiceInstance::getPort)
                    .collect(Collectors.toSet());
        }

        @Override
        public void close() {
            consumer.close();
            staying.close();
            if (restarted != null) {
                restarted.close();
            }
        }
    }
}
