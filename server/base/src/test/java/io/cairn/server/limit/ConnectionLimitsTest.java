package io.cairn.server.limit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ConnectionLimitsTest {

    private final AtomicLong nanos = new AtomicLong(TimeUnit.SECONDS.toNanos(5));
    private final ConnectionLimits limits = new ConnectionLimits(
            new Limit("connections", "cairn.limits.connections", 10),
            new Limit("connections-per-address", "cairn.limits.connections-per-address", 2),
            nanos::get);

    @Test
    void connectionsPerRequestCountAsOne() {
        long seen = 0;
        for (int i = 0; i < 100; i++) {
            AddressLoad load = limits.entered("10.0.0.1").load();
            assertThat(load).isNotNull();
            seen = load.requests().count(nanos.get());
            limits.left("10.0.0.1");
        }

        assertThat(seen).isEqualTo(100);
    }

    @Test
    void anAddressIsForgottenSomeTimeAfterItsLastConnection() {
        for (int i = 0; i < 100; i++) {
            limits.entered("10.0.1." + i);
            limits.left("10.0.1." + i);
        }
        assertThat(limits.addresses()).isEqualTo(100);
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(3));

        for (int i = 0; i < 50; i++) {
            limits.entered("10.0.0.1");
            limits.left("10.0.0.1");
        }

        assertThat(limits.addresses()).isEqualTo(1);
    }

    @Test
    void anAddressThatIsBackIsNotForgotten() {
        AddressLoad first = limits.entered("10.0.0.1").load();
        limits.left("10.0.0.1");
        assertThat(limits.entered("10.0.0.1").load()).isSameAs(first);
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(3));
        limits.entered("10.0.0.2");

        assertThat(limits.entered("10.0.0.1").load()).isSameAs(first);
        assertThat(limits.entered("10.0.0.1").refusal())
                .isEqualTo("Limit connections-per-address: 3 (expected: at most 2, "
                        + "cairn.limits.connections-per-address)");
    }
}
