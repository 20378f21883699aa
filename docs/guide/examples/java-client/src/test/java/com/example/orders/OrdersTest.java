package com.example.orders;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.example.orders.Orders.Limits;
import io.cairn.junit.CairnConfig;
import io.cairn.junit.CairnTest;
import io.cairn.junit.CairnTestServer;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@CairnTest
@CairnConfig(dataId = "orders.yaml", content = "timeout: 3s\nlines: 20")
class OrdersTest {

    @Test
    @Timeout(value = 5, unit = TimeUnit.MINUTES)
    void followsItsLimits(CairnTestServer cairn) throws InterruptedException {
        try (Orders orders = new Orders(cairn.address())) {
            assertEquals(new Limits(Duration.ofSeconds(3), 20), orders.limits());

            cairn.publish("orders.yaml", "DEFAULT_GROUP", "timeout: 5s\nlines: 30");

            Limits changed = new Limits(Duration.ofSeconds(5), 30);
            // The time-out of the test ends a wait in vain.
            while (!orders.limits().equals(changed)) {
                Thread.sleep(10);
            }
        }
    }

    @Test
    @Timeout(value = 5, unit = TimeUnit.MINUTES)
    void callsAnInstanceOfTheStockService(CairnTestServer cairn) {
        cairn.register("stock", "10.0.0.7", 8080);
        try (Orders orders = new Orders(cairn.address())) {
            assertEquals("10.0.0.7:8080", orders.callStock());
            assertEquals(1, orders.register("10.0.0.8", 8080).instances().size());
        }
    }
}
