package io.cairn.server.wiring;

import io.cairn.server.auth.SecretFolder;
import io.cairn.server.storage.MySqlDatabase;
import io.cairn.server.wiring.lifecycle.ClusterLifecycle;
import io.cairn.server.wiring.lifecycle.Drain;
import io.cairn.server.wiring.lifecycle.PortCheck;
import io.cairn.server.wiring.lifecycle.ServerPorts;
import io.cairn.server.wiring.lifecycle.TlsLifecycle;
import io.cairn.server.wiring.settings.AuthSettings;
import io.cairn.server.wiring.settings.BadSetting;
import io.cairn.server.wiring.settings.CairnProperties;
import io.cairn.server.wiring.settings.ClusterMode;
import io.cairn.server.wiring.settings.ClusterProperties;
import io.cairn.server.wiring.settings.DatabaseSettings;
import io.cairn.server.wiring.settings.InternalTimings;
import io.cairn.server.wiring.settings.NacosSettings;
import io.cairn.server.wiring.settings.UnknownSettings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.info.InfoContributorAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.info.InfoEndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.logging.LoggersEndpointAutoConfiguration;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.availability.ApplicationAvailabilityAutoConfiguration;
import org.springframework.boot.autoconfigure.context.ConfigurationPropertiesAutoConfiguration;
import org.springframework.boot.autoconfigure.context.PropertyPlaceholderAutoConfiguration;
import org.springframework.boot.health.autoconfigure.actuate.endpoint.HealthEndpointAutoConfiguration;
import org.springframework.boot.health.autoconfigure.application.DiskSpaceHealthContributorAutoConfiguration;
import org.springframework.boot.health.autoconfigure.contributor.HealthContributorAutoConfiguration;
import org.springframework.boot.health.autoconfigure.registry.HealthContributorRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsEndpointAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.export.prometheus.PrometheusMetricsExportAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.export.simple.SimpleMetricsExportAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.jvm.JvmMetricsAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.logging.logback.LogbackMetricsAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.system.SystemMetricsAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/**
 * The Spring Boot application: settings, logging, lifecycle, health and meters. The auto-configurations are named one by
 * one, so that nothing is switched on by what happens to be on the class path, and the start is quick.
 */
@Configuration(proxyBeanMethods = false)
@Import(CairnConfiguration.class)
@ImportAutoConfiguration({
    ApplicationAvailabilityAutoConfiguration.class,
    CompositeMeterRegistryAutoConfiguration.class,
    ConfigurationPropertiesAutoConfiguration.class,
    DiskSpaceHealthContributorAutoConfiguration.class,
    EndpointAutoConfiguration.class,
    HealthContributorAutoConfiguration.class,
    HealthContributorRegistryAutoConfiguration.class,
    HealthEndpointAutoConfiguration.class,
    InfoContributorAutoConfiguration.class,
    InfoEndpointAutoConfiguration.class,
    JvmMetricsAutoConfiguration.class,
    LogbackMetricsAutoConfiguration.class,
    LoggersEndpointAutoConfiguration.class,
    MetricsAutoConfiguration.class,
    MetricsEndpointAutoConfiguration.class,
    PrometheusMetricsExportAutoConfiguration.class,
    PropertyPlaceholderAutoConfiguration.class,
    SimpleMetricsExportAutoConfiguration.class,
    SystemMetricsAutoConfiguration.class
})
public class CairnApplication {

    private static final List<String> TELLERS_OF_FAILURES = List.of(
            "org.springframework.boot.SpringApplication",
            "org.springframework.boot.autoconfigure.logging.ConditionEvaluationReportLogger",
            "org.springframework.boot.diagnostics.LoggingFailureAnalysisReporter",
            "org.springframework.context.annotation.AnnotationConfigApplicationContext");

    /** A started server. */
    public record Running(
            ConfigurableApplicationContext context,
            int httpPort,
            int grpcPort,
            String host,
            String contextPath,
            Duration drain) {

        /** By which the HTTP port can be reached: https where TLS is demanded. */
        public String httpScheme() {
            return context.getBean(TlsLifecycle.class).httpScheme();
        }

        /** The file with the password that the first start made, until somebody has chosen another one. */
        public Optional<Path> firstPassword() {
            Path file = context.getBean(SecretFolder.class).passwordFile();
            return context.getBean(AuthSettings.class).enabled() && Files.exists(file)
                    ? Optional.of(file)
                    : Optional.empty();
        }
    }

    /** As {@link #start(Map, List, InternalTimings)}, with the timings of production. */
    public static Running start(Map<String, Object> defaults, List<String> arguments) {
        return start(defaults, arguments, InternalTimings.PRODUCTION);
    }

    /**
     * Starts a server.
     *
     * @param defaults settings of the lowest rank
     * @param arguments settings of the highest rank, as {@code --name=value}; of one that comes twice the last wins
     * @param timings how long the server waits where no setting says so
     * @throws io.cairn.api.error.CairnException {@code INVALID_PARAMETER} naming a setting whose value cannot be used,
     *     {@code UNAVAILABLE} when a port or the data folder cannot; also other runtime exceptions
     */
    public static Running start(Map<String, Object> defaults, List<String> arguments, InternalTimings timings) {
        ConfigurableApplicationContext context = run(CairnApplication.class, defaults, arguments, timings);
        ServerPorts ports = context.getBean(ServerPorts.class);
        NacosSettings settings = context.getBean(NacosSettings.class);
        return new Running(
                context,
                ports.httpPort(),
                ports.grpcPort(),
                settings.address().getAddress().getHostAddress(),
                settings.contextPath(),
                Drain.Patience.longest(
                        context.getBean(CairnProperties.class),
                        context.getBean(ClusterProperties.class),
                        context.getBean(ClusterLifecycle.class).isNode()));
    }

    /**
     * The statements by which a start with these settings would prepare the database; none are run.
     *
     * @throws io.cairn.api.error.CairnException as {@link #start}, as far as it concerns the database
     */
    public static List<String> dryRun(Map<String, Object> defaults, List<String> arguments) {
        try (ConfigurableApplicationContext context =
                run(SettingsAlone.class, defaults, arguments, InternalTimings.PRODUCTION)) {
            DatabaseSettings settings = DatabaseSettings.read(context.getEnvironment());
            if (settings.mysql().isEmpty()) {
                return List.of();
            }
            try (MySqlDatabase database = new MySqlDatabase(settings.mysql().get())) {
                return database.dryRun();
            }
        }
    }

    /** Nothing is built. */
    @Configuration(proxyBeanMethods = false)
    static class SettingsAlone {}

    private static ConfigurableApplicationContext run(
            Class<?> configuration, Map<String, Object> defaults, List<String> arguments, InternalTimings timings) {
        SpringApplication application = new SpringApplication(configuration);
        application.setWebApplicationType(WebApplicationType.NONE);
        application.setLogStartupInfo(false);
        application.setRegisterShutdownHook(false);
        ExclusiveLoggingSetup.in(application);
        Map<String, Object> all = new HashMap<>();
        all.put("spring.main.banner-mode", "off");
        all.put("spring.jmx.enabled", "false");
        all.put("management.endpoints.web.exposure.include", "health,info,metrics,prometheus");
        all.put("management.endpoint.health.show-details", "never");
        all.put("management.endpoint.health.group.readiness.include", "storeHealth");
        // The cause of a failed start is said once, in one line, by whoever called.
        for (String teller : TELLERS_OF_FAILURES) {
            all.put("logging.level." + teller, "OFF");
        }
        all.put("logging.register-shutdown-hook", "false");
        all.put("logging.level.org.flywaydb", "WARN");
        // It passes on what MySQL remarks on CREATE TABLE IF NOT EXISTS, ten lines for a database that Nacos made.
        all.put("logging.level.org.flywaydb.core.internal.proprietaryStubs.ErrorOverridesSupportStub", "ERROR");
        all.put("logging.level.com.zaxxer.hikari", "WARN");
        // It has a stack trace for whatever a client does wrong; the client is told, and the disk is not for it to
        // fill.
        all.put("logging.level.io.grpc.netty", "ERROR");
        all.putAll(defaults);
        application.setDefaultProperties(all);
        application.addInitializers(context -> UnknownSettings.warn(context.getEnvironment()));
        application.addInitializers(context -> context.getBeanFactory().registerSingleton("internalTimings", timings));
        application.addInitializers(context -> ClusterMode.check(context.getEnvironment()));
        if (configuration == CairnApplication.class) {
            application.addInitializers(context -> PortCheck.requireFree(context.getEnvironment()));
        }
        try {
            return application.run(lastOfEach(arguments).toArray(String[]::new));
        } catch (RuntimeException e) {
            throw BadSetting.named(e);
        }
    }

    /** Spring would make a list of the values of an argument that comes twice. */
    private static List<String> lastOfEach(List<String> arguments) {
        Map<String, String> byName = new LinkedHashMap<>();
        for (String argument : arguments) {
            int end = argument.indexOf('=');
            byName.put(end < 0 ? argument : argument.substring(0, end), argument);
        }
        return List.copyOf(byName.values());
    }
}
