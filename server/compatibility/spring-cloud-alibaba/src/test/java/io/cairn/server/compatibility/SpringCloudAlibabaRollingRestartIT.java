package io.cairn.server.compatibility;

import static org.assertj.core.api.Assertions.assertThat;

import com.alibaba.nacos.api.NacosFactory;
import com.alibaba.nacos.api.config.ConfigService;
import com.alibaba.nacos.api.exception.NacosException;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.springframework.cloud.client.ServiceInstance;
import org.springframework.cloud.client.discovery.DiscoveryClient;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.web.client.RestClient;

/** Calls through Spring's load balancer, and beans of the refresh scope. */
class SpringCloudAlibabaRollingRestartIT extends RollingRestartScenarios {
    private static final String SERVICE = "orders";
    private static final String DATA_ID = "orders.yaml";

    @Override
    Applications start(String serverAddresses) throws NacosException {
        ShadedGrpc.quieten();
        return new Shop(serverAddresses);
    }

    private static final class Shop implements Applications, CallingConsumer {
        private final ConfigService configs;
        private final List<ConfigurableApplicationContext> providers;
        private final ConfigurableApplicationContext consumer;
        private final DiscoveryClient discovery;
        private final RestClient client;

        Shop(String serverAddresses) throws NacosException {
            configs = NacosFactory.createConfigService(serverAddresses);
            publish(0);
            var applications = new SpringApplications(serverAddresses);
            providers = List.of(
                    applications.provider(SERVICE, "blue", DATA_ID), applications.provider(SERVICE, "green", DATA_ID));
            consumer = applications.consumer();
            discovery = consumer.getBean(DiscoveryClient.class);
            client = consumer.getBean(RestClient.Builder.class)
                    .baseUrl("http://" + SERVICE)
                    .build();
        }

        @Override
        public Set<Integer> providers() {
            return providers.stream().map(SpringApplications::port).collect(Collectors.toSet());
        }

        @Override
        public List<CallingConsumer> consumers() {
            return List.of(this);
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
        public void publish(int version) throws NacosException {
            String settings = "orders: {greeting: 'version %d', limits: {open: %d}}".formatted(version, version);
            assertThat(configs.publishConfig(DATA_ID, "DEFAULT_GROUP", settings, "yaml"))
                    .as("publish of version %d", version)
                    .isTrue();
        }

        @Override
        public boolean follow(int version) {
            return providers.stream()
                    .allMatch(provider -> provider.getBean(OrdersApplication.Greeting.class)
                                    .text()
                                    .equals("version " + version)
                            && provider.getBean(OrdersApplication.Limits.class).getOpen() == version);
        }

        @Override
        public void close() {
            consumer.close();
            providers.forEach(ConfigurableApplicationContext::close);
            try {
                configs.shutDown();
            } catch (NacosException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
