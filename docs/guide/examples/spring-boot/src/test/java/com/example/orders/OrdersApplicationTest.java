package com.example.orders;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.cairn.client.CairnClient;
import io.cairn.junit.CairnConfig;
import io.cairn.junit.CairnTest;
import io.cairn.junit.CairnTestServer;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

@CairnTest
@CairnConfig(dataId = "orders.yaml", content = "orders:\n  timeout: 3s")
class OrdersApplicationTest {

    @Test
    @Timeout(value = 5, unit = TimeUnit.MINUTES)
    void followsItsConfigurationAndRegisters(CairnTestServer cairn) throws InterruptedException {
        try (ConfigurableApplicationContext application = SpringApplication.run(
                OrdersApplication.class,
                "--cairn.client.servers=" + cairn.address(),
                "--cairn.discovery.drain=0s")) {
            Limits limits = application.getBean(Limits.class);
            assertEquals(Duration.ofSeconds(3), limits.getTimeout());

            cairn.publish("orders.yaml", "DEFAULT_GROUP", "orders:\n  timeout: 5s");
            // The time-out of the test ends a wait in vain.
            while (!limits.getTimeout().equals(Duration.ofSeconds(5))) {
                Thread.sleep(10);
            }

            CairnClient client = application.getBean(CairnClient.class);
            while (client.naming().healthy(client.naming().service("orders")).isEmpty()) {
                Thread.sleep(10);
            }
        }
    }
}
