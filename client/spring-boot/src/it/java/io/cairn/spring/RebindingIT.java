package io.cairn.spring;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.junit.CairnTest;
import io.cairn.junit.CairnTestServer;
import io.cairn.spring.config.CairnConfigChangedEvent;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;

/** The binding of beans after a configuration changed. */
@CairnTest
class RebindingIT {

    private static final String ALL =
            "{name: Nord, size: 7, limits: {low: 1, high: 9}, colors: {a: red, b: blue}, hosts: [x, y]}";

    @TempDir
    Path snapshots;

    private static void publish(CairnTestServer cairn, String shop) {
        cairn.publish("shop.yaml", "DEFAULT_GROUP", "shop: " + shop);
    }

    private static void awaitChanges(ConfigurableApplicationContext app, int count) {
        await().until(() -> app.getBean(App.class).seen.size() == count);
    }

    @Test
    void aRemovedPropertyGetsTheDefaultOfANewInstance(CairnTestServer cairn) {
        publish(cairn, ALL);
        try (ConfigurableApplicationContext app = run(cairn)) {
            Shop shop = app.getBean(Shop.class);
            Limits limits = shop.getLimits();
            assertThat(shop.getColors()).containsOnlyKeys("a", "b");

            publish(cairn, "{size: 8, limits: {low: 2}, colors: {b: green}, hosts: [z]}");

            awaitChanges(app, 1);
            assertThat(shop.getName()).isEqualTo("nobody");
            assertThat(shop.getSize()).isEqualTo(8);
            assertThat(shop.getLimits()).isSameAs(limits);
            assertThat(limits.getLow()).isEqualTo(2);
            assertThat(limits.getHigh()).isEqualTo(100);
            assertThat(shop.getColors()).isEqualTo(Map.of("b", "green"));
            assertThat(shop.getHosts()).containsExactly("z");
            assertThat(shop.initialized).isEqualTo(1);
        }
    }

    /** As the guide describes the ways to read a value. */
    @Test
    void anInjectedValueStaysAndTheEnvironmentFollows(CairnTestServer cairn) {
        publish(cairn, ALL);
        try (ConfigurableApplicationContext app = run(cairn)) {
            publish(cairn, "{name: Ost}");

            awaitChanges(app, 1);
            assertThat(app.getBean(App.class).injected).isEqualTo("Nord");
            assertThat(app.getEnvironment().getProperty("shop.name")).isEqualTo("Ost");
            assertThat(app.getBean(Shop.class).getName()).isEqualTo("Ost");
        }
    }

    @Test
    void aBeanThatRejectsANewValueKeepsAllOldValues(CairnTestServer cairn) {
        publish(cairn, ALL);
        try (ConfigurableApplicationContext app = run(cairn)) {
            Shop shop = app.getBean(Shop.class);

            publish(cairn, "{name: Ost, size: many}");

            awaitChanges(app, 1);
            assertThat(shop.getName()).isEqualTo("Nord");
            assertThat(shop.getSize()).isEqualTo(7);
            assertThat(shop.getColors()).containsOnlyKeys("a", "b");

            publish(cairn, "{name: Ost, size: 1}");
            awaitChanges(app, 2);
            assertThat(shop.getName()).isEqualTo("Ost");
        }
    }

    @Test
    void aBeanBoundThroughItsConstructorStaysUnchanged(CairnTestServer cairn) {
        publish(cairn, ALL);
        try (ConfigurableApplicationContext app = run(cairn)) {
            publish(cairn, "{name: Ost}");
            awaitChanges(app, 1);
            assertThat(app.getBean(Fixed.class).name).isEqualTo("Nord");
            assertThat(app.getBean(Fixed.class).initialized).isEqualTo(1);
        }
    }

    @Test
    void aHangingListenerDoesNotDelayTheShutdown(CairnTestServer cairn) throws Exception {
        publish(cairn, ALL);
        ConfigurableApplicationContext app = run(cairn);
        CountDownLatch never = new CountDownLatch(1);
        CountDownLatch hanging = new CountDownLatch(1);
        try {
            app.getBean(App.class).action = () -> {
                hanging.countDown();
                never.await();
                return true;
            };
            publish(cairn, "{name: Ost}");
            assertThat(hanging.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
            CompletableFuture.runAsync(app::close).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            assertThat(app.isActive()).isFalse();
        } finally {
            never.countDown();
        }
    }

    private ConfigurableApplicationContext run(CairnTestServer cairn) {
        SpringApplication application = new SpringApplication(App.class);
        application.setWebApplicationType(WebApplicationType.NONE);
        application.setRegisterShutdownHook(false);
        return application.run(
                "--spring.main.banner-mode=off",
                "--logging.level.root=WARN",
                // Spring Cloud is not released for this version of Boot yet.
                "--spring.cloud.compatibility-verifier.enabled=false",
                "--spring.config.import=cairn:shop.yaml",
                "--cairn.client.servers=" + cairn.address(),
                "--cairn.client.start-timeout=60s",
                "--cairn.client.snapshots=" + snapshots,
                "--cairn.client.fail-fast=true");
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @EnableConfigurationProperties({Shop.class, Fixed.class})
    static class App {

        final Queue<CairnConfigChangedEvent> seen = new ConcurrentLinkedQueue<>();
        volatile Callable<Boolean> action = () -> true;

        @Value("${shop.name:nobody}")
        String injected = "";

        @EventListener
        void changed(CairnConfigChangedEvent change) throws Exception {
            seen.add(change);
            action.call();
        }
    }

    @ConfigurationProperties("shop")
    static class Fixed implements InitializingBean {

        final String name;
        int initialized;

        Fixed(String name) {
            this.name = name;
        }

        @Override
        public void afterPropertiesSet() {
            initialized++;
        }
    }

    @ConfigurationProperties("shop")
    static class Shop implements InitializingBean {

        private volatile String name = "nobody";
        private volatile int size = 3;
        private final Limits limits = new Limits();
        private final Map<String, String> colors = new HashMap<>();
        private volatile List<String> hosts = List.of();
        int initialized;

        @Override
        public void afterPropertiesSet() {
            initialized++;
        }

        public String getName() {
            return name;
        }

        public void setName(String name) {
            this.name = name;
        }

        public int getSize() {
            return size;
        }

        public void setSize(int size) {
            this.size = size;
        }

        public Limits getLimits() {
            return limits;
        }

        public Map<String, String> getColors() {
            return colors;
        }

        public List<String> getHosts() {
            return hosts;
        }

        public void setHosts(List<String> hosts) {
            this.hosts = hosts;
        }
    }

    static class Limits {

        private volatile int low;
        private volatile int high = 100;

        public int getLow() {
            return low;
        }

        public void setLow(int low) {
            this.low = low;
        }

        public int getHigh() {
            return high;
        }

        public void setHigh(int high) {
            this.high = high;
        }
    }
}
