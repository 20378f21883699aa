package io.cairn.server.compatibility;

import static io.cairn.server.compatibility.SpringApplications.port;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.alibaba.nacos.api.NacosFactory;
import com.alibaba.nacos.api.config.ConfigService;
import com.alibaba.nacos.api.exception.NacosException;
import com.alibaba.nacos.api.naming.NamingService;
import com.alibaba.nacos.api.naming.pojo.Instance;
import io.cairn.server.process.CairnProcess;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.springframework.cloud.client.ServiceInstance;
import org.springframework.cloud.client.discovery.DiscoveryClient;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.web.client.RestClient;

/** A provider and a consumer that know only the address of the server: registry and config center. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SpringCloudAlibabaIT {
    private static final String DATA_ID = "orders.yaml";
    private static final String GROUP = "DEFAULT_GROUP";
    private static final String SETTINGS = "orders: {greeting: hello, limits: {open: 10}}";

    private CairnProcess cairn;
    private ConfigService configs;
    private NamingService registry;
    private ConfigurableApplicationContext provider;
    private ConfigurableApplicationContext consumer;

    @BeforeAll
    void startApplications() throws NacosException {
        ShadedGrpc.quieten();
        cairn = CairnProcess.builder()
                // Else it would hand out for 15 s what it remembers, whether or not the applications are back.
                .setting("cairn.naming.recovery-window", "1ms")
                .start();
        configs = NacosFactory.createConfigService(cairn.serverAddress());
        registry = NacosFactory.createNamingService(cairn.serverAddress());
        assertThat(configs.publishConfig(DATA_ID, GROUP, SETTINGS, "yaml")).isTrue();
        provider = startProvider("orders", "blue");
        consumer = new SpringApplications(cairn.serverAddress()).consumer();
    }

    @AfterAll
    void stopApplications() throws NacosException {
        consumer.close();
        provider.close();
        registry.shutDown();
        configs.shutDown();
        cairn.close();
    }

    private ConfigurableApplicationContext startProvider(String service, String zone) {
        return new SpringApplications(cairn.serverAddress()).provider(service, zone, DATA_ID);
    }

    @Test
    void consumerSeesTheProviderWithItsMetadata() {
        patiently().untilAsserted(() -> assertThat(discovery().getInstances("orders"))
                .singleElement()
                .satisfies(instance -> {
                    assertThat(instance.getHost()).isEqualTo("127.0.0.1");
                    assertThat(instance.getPort()).isEqualTo(port(provider));
                    assertThat(instance.getMetadata())
                            .containsEntry("zone", "blue")
                            .containsEntry("preserved.register.source", "SPRING_CLOUD");
                }));
        assertThat(discovery().getServices()).contains("orders");
    }

    @Test
    void loadBalancerCallsAllProvidersAndLeavesOutOneThatStopped() {
        try (ConfigurableApplicationContext first = startProvider("billing", "blue")) {
            try (ConfigurableApplicationContext second = startProvider("billing", "green")) {
                awaitPorts("billing", port(first), port(second));
                assertThat(answering("billing")).containsExactlyInAnyOrder(port(first), port(second));
            }
            awaitPorts("billing", port(first));
            assertThat(answering("billing")).containsExactly(port(first));
        }
        awaitPorts("billing");
    }

    @Test
    void settingsComeFromTheServerAndFollowIt() throws NacosException {
        awaitSettings("hello", 10);
        configs.publishConfig(DATA_ID, GROUP, "orders: {greeting: good day, limits: {open: 20}}", "yaml");
        awaitSettings("good day", 20);
        configs.publishConfig(DATA_ID, GROUP, SETTINGS, "yaml");
        awaitSettings("hello", 10);
    }

    @Test
    void applicationsOutliveARestartOfTheServer() throws NacosException {
        awaitPorts("orders", port(provider));
        cairn.kill();
        assertThat(answering("orders")).containsExactly(port(provider));
        cairn.restart();

        patiently().ignoreExceptions().untilAsserted(() -> assertThat(registry.getAllInstances("orders", false))
                .extracting(Instance::getPort)
                .containsExactly(port(provider)));
        try (ConfigurableApplicationContext second = startProvider("orders", "green")) {
            awaitPorts("orders", port(provider), port(second));
        }
        awaitPorts("orders", port(provider));
        settingsComeFromTheServerAndFollowIt();
    }

    private void awaitSettings(String greeting, int open) {
        patiently().untilAsserted(() -> {
            assertThat(provider.getBean(OrdersApplication.Greeting.class).text())
                    .isEqualTo(greeting);
            assertThat(provider.getBean(OrdersApplication.Limits.class).getOpen())
                    .isEqualTo(open);
        });
    }

    /** Waits until the consumer sees providers at these ports and no others. */
    private void awaitPorts(String service, Integer... ports) {
        patiently().untilAsserted(() -> assertThat(discovery().getInstances(service))
                .extracting(ServiceInstance::getPort)
                .containsExactlyInAnyOrder(ports));
    }

    private DiscoveryClient discovery() {
        return consumer.getBean(DiscoveryClient.class);
    }

    /** The ports of those who answer more calls through the load balancer than there are providers. */
    private Set<Integer> answering(String service) {
        RestClient client = consumer.getBean(RestClient.Builder.class)
                .baseUrl("http://" + service)
                .build();
        var ports = new HashSet<Integer>();
        for (int i = 0; i < 10; i++) {
            String answer = client.get().uri("/orders/{id}", i).retrieve().body(String.class);
            assertThat(answer).startsWith(i + " from ");
            ports.add(Integer.parseInt(answer.substring((i + " from ").length())));
        }
        return ports;
    }

    private static ConditionFactory patiently() {
        return await().pollInterval(Duration.ofMillis(50));
    }
}
