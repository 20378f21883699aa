package io.cairn.server.compatibility;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.cloud.client.loadbalancer.LoadBalanced;
import org.springframework.context.annotation.Bean;
import org.springframework.web.client.RestClient;

/** Asks for orders by the name of their service. */
@SpringBootConfiguration
@EnableAutoConfiguration
class ShopApplication {
    @Bean
    @LoadBalanced
    RestClient.Builder balanced() {
        return RestClient.builder();
    }
}
