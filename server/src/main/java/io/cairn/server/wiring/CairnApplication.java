package io.cairn.server.wiring;

import io.cairn.server.auth.SecretFolder;
import io.cairn.server.http.route.ServerState;
import io.cairn.server.storage.server.DatabaseServer;
import io.cairn.server.wiring.lifecycle.ClusterLifecycle;
import io.cairn.server.wiring.lifecycle.Drain;
import io.cairn.server.wiring.lifecycle.PortCheck;
import io.cairn.server.wiring.lifecycle.ServerPorts;
import io.cairn.server.wiring.lifecycle.StoreHealth;
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
import java.util.stream.Stream;
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
 * The Spring Boot application: settings, logging, lifecycle, health and meters. It names each auto-configuration, so that the class
 * path switches on nothing, and the start is quick.
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

    public record Running(
            ConfigurableApplicationContext context,
            int httpPort,
            int grpcPort,
            String host,
            String contextPath,
            ServerState state,
            Duration drain) {

        public String httpScheme() {
            return context.getBean(TlsLifecycle.class).httpScheme();
        }

        /** The file with the generated password, until the user has another one. */
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
     * @param defaults settings of the lowest precedence
     * @param arguments settings of the highest precedence, as {@code --name=value}; the last of two applies
     * @param timings waits without a setting
     * @throws io.cairn.api.error.CairnException {@code INVALID_PARAMETER} with the setting of an invalid value, {@code UNAVAILABLE}
     *     for a taken port or data folder; also other runtime exceptions
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
                context.getBean(StoreHealth.class),
                Drain.Patience.longest(
                        context.getBean(CairnProperties.class),
                        context.getBean(ClusterProperties.class),
                        context.getBean(ClusterLifecycle.class).isNode()));
    }

    /**
     * The SQL with which such a start would prepare the database, not executed, and the rows that it would leave out.
     *
     * @throws io.cairn.api.error.CairnException as {@link #start}, for the database
     */
    public static DryRun dryRun(Map<String, Object> defaults, List<String> arguments) {
        try (ConfigurableApplicationContext context =
                run(SettingsAlone.class, defaults, arguments, InternalTimings.PRODUCTION)) {
            DatabaseSettings settings = DatabaseSettings.read(context.getEnvironment());
            if (settings.server().isEmpty()) {
                return new DryRun(List.of(), List.of());
            }
            DatabaseSettings.Server server = settings.server().get();
            try (DatabaseServer database = server.product().open(server.settings())) {
                List<String> statements = database.dryRun();
                Stream<String> leftOut = database.leftOut().present().stream()
                        .map(left -> "Rows of " + left.table() + " that a start leaves out: " + left.rows() + " ("
                                + left.text() + ')');
                return new DryRun(
                        statements,
                        Stream.concat(leftOut, database.remarks().stream()).toList());
            }
        }
    }

    /**
     * @param statements of a start
     * @param remarks lines for administrators, one for each table with rows to be left out
     */
    public record DryRun(List<String> statements, List<String> remarks) {

        public DryRun {
            statements = List.copyOf(statements);
            remarks = List.copyOf(remarks);
        }
    }

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
        // The caller reports the cause of a failed start, once, in one line.
        for (String teller : TELLERS_OF_FAILURES) {
            all.put("logging.level." + teller, "OFF");
        }
        all.put("logging.register-shutdown-hook", "false");
        all.put("logging.level.org.flywaydb", "WARN");
        // It logs MySQL's remarks on CREATE TABLE IF NOT EXISTS, ten lines for a database of Nacos.
        all.put("logging.level.org.flywaydb.core.internal.proprietaryStubs.ErrorOverridesSupportStub", "ERROR");
        all.put("logging.level.com.zaxxer.hikari", "WARN");
        // A stack trace for each connection that the database has ended. The circuit logs once that the database is
        // away.
        for (String source : List.of("ProxyConnection", "PoolBase")) {
            all.put("logging.level.com.zaxxer.hikari.pool." + source, "ERROR");
        }
        // It logs a stack trace for each fault of a client; the client gets the error, and must not fill the disk.
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

    /** Spring would make a list of the values of a repeated argument. */
    private static List<String> lastOfEach(List<String> arguments) {
        Map<String, String> byName = new LinkedHashMap<>();
        for (String argument : arguments) {
            int end = argument.indexOf('=');
            byName.put(end < 0 ? argument : argument.substring(0, end), argument);
        }
        return List.copyOf(byName.values());
    }
}
