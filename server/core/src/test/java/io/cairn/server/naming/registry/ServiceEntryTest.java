package io.cairn.server.naming.registry;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.api.config.Namespace;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.naming.ServiceSettings;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Test;

class ServiceEntryTest {

    private static final ServiceKey KEY = new ServiceKey(Namespace.DEFAULT, "g", "orders");

    private static ServiceEntry ephemeral() {
        return new ServiceEntry(KEY, true, new LongAdder(), new ReturningClients(System::nanoTime));
    }

    @Test
    void createdPersistentServiceIsKeptAfterTheExpiryOfEmptyServices() {
        ServiceEntry created = ephemeral();
        created.configure(ServiceSettings.ofKind(false));
        ServiceEntry ephemeral = ephemeral();
        ephemeral.configure(ServiceSettings.ofKind(true));

        assertThat(created.retireIfExpired()).isFalse();
        assertThat(ephemeral.retireIfExpired()).isTrue();
        assertThat(created.retireIfUnused(true)).as("removed by its operator").isTrue();
    }
}
