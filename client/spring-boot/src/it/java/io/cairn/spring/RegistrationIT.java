package io.cairn.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.api.naming.Instance;
import io.cairn.client.CairnClient;
import io.cairn.client.naming.ServiceWatch;
import io.cairn.junit.CairnTest;
import io.cairn.junit.CairnTestServer;
import io.cairn.spring.discovery.CairnDiscoveryClient;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.cloud.client.ServiceInstance;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

@CairnTest
class RegistrationIT {

    @TempDir
    Path snapshots;

    @Test
    void anApplicationIsFoundWhileItRunsAndDrainedBeforeItEnds(CairnTestServer cairn) {
        try (CairnClient consumer = CairnClient.builder()
                .servers(cairn.address())
                .noSnapshots()
                .build()) {
            // Told on the thread that reads, so that no two changes become one.
            List<Integer> sizes = new CopyOnWriteArrayList<>();
            ServiceWatch watch = consumer.naming()
                    .subscribe(
                            consumer.naming().service("orders-app"),
                            change -> sizes.add(change.now().instances().size()),
                            Runnable::run);
            try (watch;
                    ConfigurableApplicationContext app = run(
                            cairn, "--cairn.discovery.port=8080", "--cairn.discovery.metadata.zone=a",
                            "--cairn.discovery.host=10.0.0.5", "--cairn.discovery.settle=6s")) {
                await().ignoreExceptions()
                        .untilAsserted(() -> assertThat(consumer.naming()
                                        .healthy(consumer.naming().service("orders-app")))
                                .singleElement()
                                .satisfies(instance -> {
                                    assertThat(instance.key().ip()).isEqualTo("10.0.0.5");
                                    assertThat(instance.key().port()).isEqualTo(8080);
                                    assertThat(instance.metadata()).containsEntry("zone", "a");
                                }));
                assertThat(app.isActive()).isTrue();
                CompletableFuture<Void> closed = CompletableFuture.runAsync(app::close);
                // Out of the lists while it is still registered.
                await().until(() -> !sizes.isEmpty() && sizes.get(sizes.size() - 1) == 0);
                assertThat(closed).isNotDone();
                closed.join();
                try (ConfigurableApplicationContext again =
                        run(cairn, "--cairn.discovery.port=8080", "--cairn.discovery.host=10.0.0.5",
                                "--cairn.discovery.drain=0s")) {
                    // A new process on the address is in service at once.
                    await().until(() -> sizes.get(sizes.size() - 1) == 1);
                    assertThat(again.isActive()).isTrue();
                }
            }
        }
    }

    @Test
    void withoutAPortAnApplicationIsNotRegistered(CairnTestServer cairn) {
        try (ConfigurableApplicationContext app = run(cairn, "--spring.application.name=batch")) {
            CairnClient client = app.getBean(CairnClient.class);
            assertThat(client.naming().services("DEFAULT_GROUP", 1, 100).names()).doesNotContain("batch");
        }
    }

    @Test
    void springCloudFindsServices(CairnTestServer cairn) {
        cairn.register("payment", "10.0.0.7", 8080);
        try (ConfigurableApplicationContext app = run(cairn)) {
            CairnDiscoveryClient discovery = app.getBean(CairnDiscoveryClient.class);

            assertThat(discovery.getServices()).contains("payment");
            assertThat(discovery.getInstances("payment"))
                    .singleElement()
                    .extracting(ServiceInstance::getUri)
                    .hasToString("http://10.0.0.7:8080");
            assertThat(discovery.getInstances("nobody")).isEmpty();

            cairn.register("payment", "10.0.0.8", 8080);

            await().until(() -> discovery.getInstances("payment").size() == 2);
        }
    }

    private ConfigurableApplicationContext run(CairnTestServer cairn, String... arguments) {
        SpringApplication application = new SpringApplication(App.class);
        application.setWebApplicationType(WebApplicationType.NONE);
        application.setRegisterShutdownHook(false);
        application.setDefaultProperties(Map.of(
                "spring.main.banner-mode", "off",
                // Spring Cloud for this very Boot is not out yet.
                "spring.cloud.compatibility-verifier.enabled", "false",
                "logging.level.root", "WARN",
                "spring.application.name", "orders-app",
                "cairn.client.servers", cairn.address(),
                "cairn.client.snapshots", snapshots.toString(),
                "cairn.client.start-timeout", "60s"));
        return application.run(arguments);
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class App {}
}
