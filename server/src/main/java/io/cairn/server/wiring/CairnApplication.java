package io.cairn.server.wiring;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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

    /** A started server. */
    public record Running(
            ConfigurableApplicationContext context, int httpPort, int grpcPort, String host, String contextPath) {}

    /**
     * Starts a server.
     *
     * @param defaults settings of the lowest rank
     * @param arguments settings of the highest rank, as {@code --name=value}
     */
    public static Running start(Map<String, Object> defaults, List<String> arguments) {
        SpringApplication application = new SpringApplication(CairnApplication.class);
        application.setWebApplicationType(WebApplicationType.NONE);
        application.setLogStartupInfo(false);
        application.setRegisterShutdownHook(false);
        Map<String, Object> all = new HashMap<>();
        all.put("spring.main.banner-mode", "off");
        all.put("spring.jmx.enabled", "false");
        all.put("management.endpoints.web.exposure.include", "health,info,metrics,prometheus");
        all.put("management.endpoint.health.show-details", "never");
        // The cause of a failed start is said once, in one line, by whoever called.
        all.put("logging.level.org.springframework.boot.SpringApplication", "OFF");
        all.put("logging.register-shutdown-hook", "false");
        all.put("logging.level.org.flywaydb", "WARN");
        all.putAll(defaults);
        application.setDefaultProperties(all);
        List<String> ranked = new ArrayList<>(arguments);
        ConfigurableApplicationContext context = application.run(ranked.toArray(String[]::new));
        Edges edges = context.getBean(Edges.class);
        NacosSettings settings = context.getBean(NacosSettings.class);
        return new Running(
                context,
                edges.httpPort(),
                edges.grpcPort(),
                settings.address().getAddress().getHostAddress(),
                settings.contextPath());
    }
}
