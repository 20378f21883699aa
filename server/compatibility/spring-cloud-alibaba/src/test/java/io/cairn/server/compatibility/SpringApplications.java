package io.cairn.server.compatibility;

import static io.cairn.testing.Patience.PATIENCE;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Starts applications that know only the address of the registry and config center.
 *
 * @param serverAddresses with a comma in between when there are several
 * @param user with the password {@code of-} and its name; null without a login
 */
record SpringApplications(String serverAddresses, @Nullable String user) {

    SpringApplications(String serverAddresses) {
        this(serverAddresses, null);
    }

    /** A provider of a service, with its settings from a configuration. */
    ConfigurableApplicationContext provider(String service, String zone, String dataId) {
        return start(
                OrdersApplication.class,
                WebApplicationType.SERVLET,
                "--spring.application.name=" + service,
                "--spring.config.import=nacos:" + dataId,
                "--spring.cloud.nacos.config.timeout=" + PATIENCE.toMillis(), // 3 s by default
                "--spring.cloud.nacos.discovery.ip=127.0.0.1",
                "--spring.cloud.nacos.discovery.metadata.zone=" + zone,
                "--spring.cloud.nacos.discovery.graceful-shutdown-wait-time=0", // 10 s after the registry knows
                "--server.port=0",
                "--server.tomcat.basedir=target/tomcat");
    }

    ConfigurableApplicationContext consumer() {
        return start(
                ShopApplication.class,
                WebApplicationType.NONE,
                "--spring.application.name=shop",
                "--spring.cloud.nacos.config.enabled=false",
                "--spring.cloud.loadbalancer.retry.enabled=false",
                "--spring.cloud.loadbalancer.cache.enabled=false"); // Spring's own, good for 35 s
    }

    private ConfigurableApplicationContext start(Class<?> application, WebApplicationType type, String... arguments) {
        var builder = new SpringApplicationBuilder(application)
                .web(type)
                .properties("spring.cloud.nacos.server-addr=" + serverAddresses, "spring.main.banner-mode=off");
        if (user != null) {
            builder.properties("spring.cloud.nacos.username=" + user, "spring.cloud.nacos.password=of-" + user);
        }
        return builder.run(arguments);
    }

    static int port(ConfigurableApplicationContext application) {
        return application.getEnvironment().getRequiredProperty("local.server.port", Integer.class);
    }
}
