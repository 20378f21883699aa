package io.cairn.server.compatibility;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.cloud.context.config.annotation.RefreshScope;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/** Answers for orders, under a name in the registry and with settings from the config center. */
@SpringBootConfiguration
@EnableAutoConfiguration
@EnableConfigurationProperties(OrdersApplication.Limits.class)
@Import({OrdersApplication.SampleCommands.class, OrdersApplication.Greeting.class})
class OrdersApplication {
    @RestController
    static class SampleCommands {
        private final Environment environment;

        SampleCommands(Environment environment) {
            this.environment = environment;
        }

        /** Says which order it is, and which provider answers. */
        @GetMapping("/orders/{id}")
        String order(@PathVariable("id") int id) {
            return id + " from " + environment.getRequiredProperty("local.server.port");
        }
    }

    /** Made anew after each change of the configuration. */
    @RefreshScope
    static class Greeting {
        private final String text;

        Greeting(@Value("${orders.greeting}") String text) {
            this.text = text;
        }

        String text() {
            return text;
        }
    }

    /** Bound anew in place after each change of the configuration. */
    @ConfigurationProperties("orders.limits")
    static class Limits {
        private int open;

        public int getOpen() {
            return open;
        }

        public void setOpen(int open) {
            this.open = open;
        }
    }
}
