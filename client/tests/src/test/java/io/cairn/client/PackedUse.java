package io.cairn.client;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ConfigType;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.ServiceKey;
import io.cairn.client.naming.Registration;
import java.time.Duration;

/** The code of an application; loaded with only the client's jar on its class path. */
public final class PackedUse {

    private PackedUse() {}

    /** Settings of the application. */
    public record Limits(int max) {}

    public static String use(String server) {
        Duration patience = Duration.ofSeconds(60);
        try (CairnClient client = CairnClient.builder()
                .servers(server)
                .name("packed")
                .noSnapshots()
                .requestTimeout(patience)
                .failFast(patience)
                .build()) {
            ConfigKey key = client.configs().key("packed.yaml");
            client.configs().publish(key, "max: 5", ConfigType.YAML);
            ServiceKey service = client.naming().service("packed");
            try (Registration registration = client.naming().register(service, Instance.of("10.0.0.1", 80))) {
                return client.configs().get(key).orElseThrow().as(Limits.class) + " "
                        + client.naming().healthy(registration.service()).get(0).key();
            }
        }
    }
}
