package com.example.orders;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;

/** Bound again with each change of {@code orders.yaml}, because it has setters. */
@ConfigurationProperties("orders")
public class Limits {

    private Duration timeout = Duration.ofSeconds(1);

    public Duration getTimeout() {
        return timeout;
    }

    public void setTimeout(Duration timeout) {
        this.timeout = timeout;
    }
}
