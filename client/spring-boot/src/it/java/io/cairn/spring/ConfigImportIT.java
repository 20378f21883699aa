package io.cairn.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.cairn.client.CairnClient;
import io.cairn.junit.CairnConfig;
import io.cairn.junit.CairnTest;
import io.cairn.junit.CairnTestServer;
import io.cairn.spring.config.CairnConfigChangedEvent;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;
import org.springframework.context.support.GenericApplicationContext;

@CairnTest
@CairnConfig(dataId = "orders.yaml", content = "orders: {timeout: 3s, limits: [1, 2]}")
@CairnConfig(dataId = "shop.properties", group = "SHOP", content = "shop.name=Nord")
@CairnConfig(dataId = "broken.yaml", content = "a: [")
class ConfigImportIT {

    @TempDir
    Path snapshots;

    @BeforeEach
    void asItWas(CairnTestServer cairn) {
        cairn.publish("orders.yaml", "DEFAULT_GROUP", "orders: {timeout: 3s, limits: [1, 2]}");
    }

    @Test
    void importedConfigurationsArePropertiesOfTheApplication(CairnTestServer cairn) {
        try (ConfigurableApplicationContext app = run(cairn, "cairn:orders.yaml,cairn:shop.properties?group=SHOP")) {
            assertThat(app.getBean(SampleCommands.class).getTimeout()).hasSeconds(3);
            assertThat(app.getBean(SampleCommands.class).getLimits()).containsExactly(1, 2);
            assertThat(app.getEnvironment().getProperty("shop.name")).isEqualTo("Nord");
            assertThat(app.getBeansOfType(CairnClient.class)).hasSize(1);
        }
    }

    @Test
    void theServersMayBeThoseThatAnAddressServerNames(CairnTestServer cairn) {
        String[] arguments = arguments(
                "cairn:orders.yaml", "--cairn.client.address-servers=" + cairn.uri() + "/serverlist");
        try (ConfigurableApplicationContext app = application().run(arguments)) {
            assertThat(app.getBean(SampleCommands.class).getTimeout()).hasSeconds(3);
            assertThat(app.getBean(CairnClient.class).servers())
                    .extracting(server -> server.host() + ':' + server.port())
                    .containsExactly(cairn.address());
        }
    }

    @Test
    void aChangeReachesTheBeansThatAreBoundAndIsAnnounced(CairnTestServer cairn) {
        try (ConfigurableApplicationContext app = run(cairn, "cairn:orders.yaml")) {
            SampleCommands orders = app.getBean(SampleCommands.class);

            cairn.publish("orders.yaml", "DEFAULT_GROUP", "orders: {timeout: 5s, limits: [1, 2]}");

            await().untilAsserted(() -> assertThat(app.getBean(Changes.class).seen)
                    .anySatisfy(change -> assertThat(change.names()).containsExactly("orders.timeout")));
            assertThat(orders.getTimeout()).hasSeconds(5);

            cairn.publish("orders.yaml", "DEFAULT_GROUP", "orders: [");
            cairn.publish("orders.yaml", "DEFAULT_GROUP", "orders: {timeout: 7s, limits: [1, 2]}");

            await().until(() -> orders.getTimeout().toSeconds() == 7);
        }
    }

    @Test
    void aReleaseByLabelsReachesTheApplicationsWithThem(CairnTestServer cairn) throws Exception {
        cairn.publish("zones.properties", "DEFAULT_GROUP", "mode=for all");
        release(cairn, "zones.properties", "zone = a", "mode=for zone a");

        for (String zone : List.of("a", "b")) {
            try (ConfigurableApplicationContext app =
                    run(cairn, "cairn:zones.properties", "--cairn.client.labels.zone=" + zone)) {
                assertThat(app.getEnvironment().getProperty("mode"))
                        .isEqualTo(zone.equals("a") ? "for zone a" : "for all");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "profile = 'prod,eu'",
                "zone = a",
                "version = 1.3",
                "pod = orders-7d9",
                "application = orders-app && profile exists && zone != b && version exists && !(pod = x)"
            })
    void theSettingsOfSpringAreLabels(String condition, CairnTestServer cairn) throws Exception {
        String dataId = "labels-" + condition.length() + ".properties";
        cairn.publish(dataId, "DEFAULT_GROUP", "mode=for all");
        release(cairn, dataId, condition, "mode=for orders");

        try (ConfigurableApplicationContext app = run(
                cairn,
                "cairn:" + dataId,
                "--spring.profiles.active=prod,eu",
                "--cairn.discovery.metadata.zone=a",
                "--spring.application.version=1.3",
                "--kubernetes.service.host=10.0.0.1",
                "--hostname=orders-7d9")) {
            assertThat(app.getEnvironment().getProperty("mode")).isEqualTo("for orders");
        }
        try (ConfigurableApplicationContext app = run(cairn, "cairn:" + dataId)) {
            assertThat(app.getEnvironment().getProperty("mode")).isEqualTo("for all");
        }
    }

    private static void release(CairnTestServer cairn, String dataId, String labels, String content) throws Exception {
        String form = "dataId=" + dataId + "&groupName=DEFAULT_GROUP&grayName=some&grayType=label&grayRuleExp="
                + URLEncoder.encode(labels, StandardCharsets.UTF_8) + "&content="
                + URLEncoder.encode(content, StandardCharsets.UTF_8);
        HttpRequest publish = HttpRequest.newBuilder(URI.create(cairn.uri() + "/v3/admin/cs/config"))
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(BodyPublishers.ofString(form))
                .build();
        assertThat(HttpClient.newHttpClient()
                        .send(publish, BodyHandlers.discarding())
                        .statusCode())
                .isEqualTo(200);
    }

    @Test
    void textBeyondAsciiArrivesAsItWasWritten(CairnTestServer cairn) {
        cairn.publish("greet.properties", "DEFAULT_GROUP", "# für alle\ngreeting=Grüße 中\n");
        try (ConfigurableApplicationContext app = run(cairn, "cairn:greet.properties")) {
            assertThat(app.getEnvironment().getProperty("greeting")).isEqualTo("Grüße 中");
        }
    }

    @Test
    void aDocumentThatIsRemovedLetsNoOtherTakeItsPlace(CairnTestServer cairn) {
        String ofDev = "---\nspring.config.activate.on-profile: dev\nmode: dev\n";
        String ofProd = "---\nspring.config.activate.on-profile: prod\nmode: prod\n";
        cairn.publish("modes.yaml", "DEFAULT_GROUP", "a: 1\n" + ofDev + ofProd);
        try (ConfigurableApplicationContext app = run(cairn, "cairn:modes.yaml", "--spring.profiles.active=prod")) {
            assertThat(app.getEnvironment().getProperty("mode")).isEqualTo("prod");

            cairn.publish("modes.yaml", "DEFAULT_GROUP", "a: 2\n" + ofProd);
            await().until(() -> "2".equals(app.getEnvironment().getProperty("a")));
            assertThat(app.getEnvironment().getProperty("mode")).isEqualTo("prod");

            cairn.publish("modes.yaml", "DEFAULT_GROUP", "a: 3\n" + ofDev);
            await().until(() -> "3".equals(app.getEnvironment().getProperty("a")));
            assertThat(app.getEnvironment().getProperty("mode")).isNull();
        }
    }

    @Test
    void aMissingConfigurationEndsTheStartUnlessOptional(CairnTestServer cairn) {
        List<String> before = clientThreads();
        assertThatThrownBy(() -> run(cairn, "cairn:nothing.yaml")).hasMessageContaining("nothing.yaml");
        assertThatThrownBy(() -> run(cairn, "cairn:broken.yaml"))
                .hasRootCauseInstanceOf(Exception.class)
                .hasStackTraceContaining("broken.yaml is not valid yaml");
        assertThatThrownBy(() -> run(cairn, "cairn:orders.yaml?grup=A"))
                .hasStackTraceContaining("'grup' (expected: cairn:dataId?group=...");
        assertThatThrownBy(() -> run(cairn, "cairn:orders.yaml#2"))
                .hasStackTraceContaining("'cairn:orders.yaml#2' (expected: no '#', which is written %23)");
        assertThatThrownBy(() -> run(cairn, "cairn:orders?type=toml"))
                .hasStackTraceContaining("type: 'toml' (expected: yaml, json, properties or xml)");
        assertThatThrownBy(() -> run(cairn, "cairn:orders.yaml", "--cairn.client.username=ann"))
                .hasStackTraceContaining("cairn.client.password: none (expected: one, as there is a username)");
        assertThatThrownBy(() -> run(cairn, "cairn:orders.yaml", "--cairn.client.oidc.client-id=orders"))
                .hasStackTraceContaining("cairn.client.oidc: incomplete (expected: issuer-uri, client-id and");
        // The start ends after ours is loaded, and before there is a context.
        assertThatThrownBy(() -> run(cairn, "cairn:orders.yaml,file:./no-such-file.properties"))
                .hasStackTraceContaining("no-such-file.properties");

        try (ConfigurableApplicationContext app = run(cairn, "optional:cairn:nothing.yaml,cairn:orders.yaml")) {
            assertThat(app.getBean(SampleCommands.class).getTimeout()).hasSeconds(3);
        }
        await().untilAsserted(() -> assertThat(clientThreads()).isSubsetOf(before));
    }

    @Test
    void loadsAConfigurationThatIsPublishedAfterTheStart(CairnTestServer cairn) {
        String ofDev = "spring.config.activate.on-profile: dev\nhidden: 1\n";
        cairn.publish("empty.yaml", "DEFAULT_GROUP", "# nothing yet");
        cairn.publish("inactive.yaml", "DEFAULT_GROUP", ofDev);
        List<String> before = clientThreads();
        String imports = "optional:cairn:later.yaml,cairn:empty.yaml,cairn:inactive.yaml";
        try (ConfigurableApplicationContext app = run(cairn, imports)) {
            cairn.publish("later.yaml", "DEFAULT_GROUP", "later: 1");
            cairn.publish("empty.yaml", "DEFAULT_GROUP", "filled: 2");
            cairn.publish("inactive.yaml", "DEFAULT_GROUP", "common: 3\n---\n" + ofDev);

            for (String name : List.of("later", "filled", "common")) {
                await()
                        .untilAsserted(() ->
                                assertThat(app.getEnvironment().getProperty(name)).isNotNull());
            }
            assertThat(app.getEnvironment().getProperty("hidden")).isNull();
        }
        await().untilAsserted(() -> assertThat(clientThreads()).isSubsetOf(before));
    }

    @Test
    void closesTheClientOfTheImportsWithTheApplication(CairnTestServer cairn) {
        List<String> before = clientThreads();
        run(cairn, "optional:cairn:nothing.yaml,cairn:orders.yaml", "--cairn.client.enabled=false")
                .close();
        await().untilAsserted(() -> assertThat(clientThreads()).isSubsetOf(before));

        try (CairnClient own = CairnClient.builder()
                .servers(cairn.address())
                .name("own-of-a-test")
                .noSnapshots()
                .build()) {
            List<String> withOwn = clientThreads();
            SpringApplication application = application();
            application.addInitializers(context ->
                    ((GenericApplicationContext) context).registerBean("own", CairnClient.class, () -> own));
            try (ConfigurableApplicationContext app = application.run(arguments(cairn, "cairn:orders.yaml"))) {
                assertThat(app.getBean(CairnClient.class)).isSameAs(own);
            }
            await()
                    .untilAsserted(() -> assertThat(clientThreads()).isSubsetOf(withOwn));
        }
    }

    @Test
    void withoutAServerTheSnapshotIsTaken(CairnTestServer cairn) {
        run(cairn, "cairn:orders.yaml").close();
        cairn.stop();
        try (ConfigurableApplicationContext app = run(cairn, "cairn:orders.yaml")) {
            assertThat(app.getBean(SampleCommands.class).getTimeout()).hasSeconds(3);

            cairn.start();
            cairn.publish("orders.yaml", "DEFAULT_GROUP", "orders: {timeout: 9s}");

            await()
                    .until(() -> app.getBean(SampleCommands.class).getTimeout().toSeconds() == 9);
        } finally {
            cairn.start();
        }
    }

    @Test
    void theHealthOfTheConnectionIsShown(CairnTestServer cairn) throws IOException {
        try (ConfigurableApplicationContext app = run(cairn, "cairn:orders.yaml")) {
            Object health = app.getBean("cairnHealthIndicator");
            assertThat(Health.of(health)).contains("UP", cairn.address());

            cairn.stop();
            await().untilAsserted(() -> assertThat(Health.of(health)).contains("UNKNOWN", "problem"));
            cairn.start();
            await().untilAsserted(() -> assertThat(Health.of(health)).contains("UP"));
        } finally {
            cairn.start();
        }
    }

    @Test
    void theHealthCanBeSwitchedOff(CairnTestServer cairn) {
        try (ConfigurableApplicationContext app =
                run(cairn, "cairn:orders.yaml", "--management.health.cairn.enabled=false")) {
            assertThat(app.containsBean("cairnHealthIndicator")).isFalse();
        }
        String none = "--management.health.defaults.enabled=false";
        try (ConfigurableApplicationContext app = run(cairn, "cairn:orders.yaml", none)) {
            assertThat(app.containsBean("cairnHealthIndicator")).isFalse();
        }
        String one = "--management.health.cairn.enabled=true";
        try (ConfigurableApplicationContext app = run(cairn, "cairn:orders.yaml", none, one)) {
            assertThat(app.containsBean("cairnHealthIndicator")).isTrue();
        }
    }

    private ConfigurableApplicationContext run(CairnTestServer cairn, String imports, String... more) {
        return application().run(arguments(cairn, imports, more));
    }

    private static SpringApplication application() {
        SpringApplication application = new SpringApplication(App.class);
        application.setWebApplicationType(WebApplicationType.NONE);
        application.setRegisterShutdownHook(false);
        application.setDefaultProperties(Map.of(
                "spring.main.banner-mode", "off",
                "logging.level.root", "WARN",
                // Spring Cloud for this very Boot is not out yet.
                "spring.cloud.compatibility-verifier.enabled", "false"));
        return application;
    }

    private String[] arguments(CairnTestServer cairn, String imports, String... more) {
        List<String> all = new ArrayList<>(List.of("--cairn.client.servers=" + cairn.address()));
        all.addAll(List.of(more));
        return arguments(imports, all.toArray(String[]::new));
    }

    private String[] arguments(String imports, String... more) {
        List<String> arguments = new ArrayList<>(List.of(
                "--spring.config.import=" + imports,
                "--spring.application.name=orders-app",
                "--cairn.client.start-timeout=60s",
                "--cairn.client.snapshots=" + snapshots));
        arguments.addAll(List.of(more));
        return arguments.toArray(String[]::new);
    }

    private static List<String> clientThreads() {
        List<String> names = new ArrayList<>();
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (thread.getName().startsWith("cairn-client")) {
                names.add(thread.getName());
            }
        }
        return names;
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class App {

        @Bean
        @ConfigurationProperties("orders")
        SampleCommands orders() {
            return new SampleCommands();
        }

        @Bean
        Changes changes() {
            return new Changes();
        }
    }

    static class Changes {

        final Queue<CairnConfigChangedEvent> seen = new ConcurrentLinkedQueue<>();

        @EventListener
        void changed(CairnConfigChangedEvent change) {
            seen.add(change);
        }
    }

    static class SampleCommands {

        private volatile Duration timeout = Duration.ZERO;
        private volatile List<Integer> limits = List.of();

        public Duration getTimeout() {
            return timeout;
        }

        public void setTimeout(Duration timeout) {
            this.timeout = timeout;
        }

        public List<Integer> getLimits() {
            return limits;
        }

        public void setLimits(List<Integer> limits) {
            this.limits = limits;
        }
    }
}
