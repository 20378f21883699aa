package io.cairn.spring;

import io.cairn.client.CairnClient;
import io.cairn.spring.config.Application;
import io.cairn.spring.config.CairnClientProperties;
import io.cairn.spring.config.CloudRebinder;
import io.cairn.spring.config.ConfigFollower;
import io.cairn.spring.config.PropertiesRebinder;
import io.cairn.spring.config.Rebinder;
import io.cairn.spring.config.SharedClient;
import io.cairn.spring.health.Boot3Health;
import io.cairn.spring.health.Boot4Health;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;

/** Configures the client, the updates of imported configurations, and the health indicator. */
@AutoConfiguration
@EnableConfigurationProperties(CairnClientProperties.class)
@ConditionalOnProperty(prefix = CairnClientProperties.PREFIX, name = "enabled", matchIfMissing = true)
public class CairnAutoConfiguration {

    private static final String REBINDER = "cairnRebinder";
    private static final String CLOUD = "org.springframework.cloud.context.environment.EnvironmentChangeEvent";

    /** Uses the client of the imports, or starts a client; closed with the context. */
    @Bean(destroyMethod = "close")
    @ConditionalOnMissingBean
    CairnClient cairnClient(CairnClientProperties properties, ConfigurableEnvironment environment) {
        return ConfigFollower.clientOf(environment)
                .map(SharedClient::client)
                .orElseGet(() -> properties.start(Application.of(Binder.get(environment))));
    }

    @Bean
    @ConditionalOnBean(CairnClient.class)
    ConfigFollower cairnConfigFollower(
            CairnClient client,
            ConfigurableEnvironment environment,
            Rebinder cairnRebinder,
            ConfigurableApplicationContext context) {
        return new ConfigFollower(environment, cairnRebinder, context);
    }

    @Bean(REBINDER)
    @ConditionalOnMissingClass(CLOUD)
    Rebinder cairnRebinder(ConfigurableApplicationContext context) {
        return new PropertiesRebinder(context);
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(name = CLOUD)
    static class WithSpringCloud {

        @Bean(REBINDER)
        Rebinder cairnRebinder(ApplicationContext context) {
            return new CloudRebinder(context);
        }
    }

    /** The condition of Spring Boot's own indicators, implemented here because its class moved between versions. */
    static class HealthIsShown implements Condition {

        @Override
        public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
            Environment environment = context.getEnvironment();
            boolean others = environment.getProperty("management.health.defaults.enabled", Boolean.class, true);
            return environment.getProperty("management.health.cairn.enabled", Boolean.class, others);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(name = "org.springframework.boot.actuate.health.AbstractHealthIndicator")
    @Conditional(HealthIsShown.class)
    static class OnBoot3 {

        @Bean
        Boot3Health cairnHealthIndicator(CairnClient client) {
            return new Boot3Health(client);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(name = "org.springframework.boot.health.contributor.AbstractHealthIndicator")
    @Conditional(HealthIsShown.class)
    static class OnBoot4 {

        @Bean
        Boot4Health cairnHealthIndicator(CairnClient client) {
            return new Boot4Health(client);
        }
    }
}
