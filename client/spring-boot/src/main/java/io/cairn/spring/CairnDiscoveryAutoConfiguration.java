package io.cairn.spring;

import io.cairn.client.CairnClient;
import io.cairn.spring.discovery.CairnDiscoveryClient;
import io.cairn.spring.discovery.CairnDiscoveryProperties;
import io.cairn.spring.discovery.ServiceRegistrar;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Configures the registration of the application, and the discovery client of Spring Cloud. */
@AutoConfiguration(after = CairnAutoConfiguration.class)
@EnableConfigurationProperties(CairnDiscoveryProperties.class)
@ConditionalOnBean(CairnClient.class)
@ConditionalOnProperty(prefix = "cairn.discovery", name = "enabled", matchIfMissing = true)
public class CairnDiscoveryAutoConfiguration {

    @Bean
    @ConditionalOnProperty(prefix = "cairn.discovery", name = "register", matchIfMissing = true)
    ServiceRegistrar cairnServiceRegistrar(
            CairnClient client, CairnDiscoveryProperties properties, ApplicationContext context) {
        return new ServiceRegistrar(client, properties, context);
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(name = "org.springframework.cloud.client.discovery.DiscoveryClient")
    static class WithSpringCloud {

        @Bean(destroyMethod = "close")
        @ConditionalOnMissingBean
        CairnDiscoveryClient cairnDiscoveryClient(CairnClient client, CairnDiscoveryProperties properties) {
            return new CairnDiscoveryClient(client, properties.group());
        }
    }
}
