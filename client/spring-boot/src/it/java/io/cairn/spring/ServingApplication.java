package io.cairn.spring;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** An application in a process of its own that registers itself and answers calls on {@code cairn.discovery.port}. */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
class ServingApplication {

    public static void main(String[] arguments) {
        SpringApplication application = new SpringApplication(ServingApplication.class);
        application.setWebApplicationType(WebApplicationType.NONE);
        application.setDefaultProperties(Map.of(
                "spring.main.banner-mode", "off",
                // Spring Cloud for this very Boot is not out yet.
                "spring.cloud.compatibility-verifier.enabled", "false",
                "spring.main.keep-alive", "true",
                "cairn.client.start-timeout", "60s"));
        application.run(arguments);
    }

    @Bean
    Serving serving(@Value("${cairn.discovery.port}") int port) {
        return new Serving(port);
    }

    /** Stops as a web server does: with the other parts of the application, at once. */
    static final class Serving implements SmartLifecycle {

        private final HttpServer server;
        private volatile boolean running;

        Serving(int port) {
            try {
                server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
            } catch (IOException e) {
                throw new UncheckedIOException("Port " + port + " cannot be bound", e);
            }
            server.createContext("/", exchange -> {
                exchange.sendResponseHeaders(204, -1);
                exchange.close();
            });
        }

        @Override
        public void start() {
            server.start();
            running = true;
        }

        @Override
        public void stop() {
            server.stop(0);
            running = false;
        }

        @Override
        public boolean isRunning() {
            return running;
        }
    }
}
