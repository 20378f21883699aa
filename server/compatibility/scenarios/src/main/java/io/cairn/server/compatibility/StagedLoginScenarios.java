package io.cairn.server.compatibility;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.alibaba.nacos.api.PropertyKeyConst;
import com.alibaba.nacos.api.config.ConfigService;
import com.alibaba.nacos.api.exception.NacosException;
import com.alibaba.nacos.api.naming.NamingService;
import io.cairn.testing.HangLimit;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server is closed in the steps of the guide's page about logins in stages, while its clients stay. */
@Tag("full")
public abstract class StagedLoginScenarios {
    private static final String GROUP = "DEFAULT_GROUP";
    private static final String SERVICE = "staged-service";

    @Test
    @HangLimit
    void clientsWithALoginAreServedThroughAllSteps(@TempDir Path home) throws Exception {
        try (StagedServer cairn = new StagedServer(home);
                NacosClients clients = new NacosClients(cairn.address())) {
            ConfigService stranger = clients.open();
            assertServed(stranger, "open");

            cairn.closeAdministration();
            cairn.administration().createUser("orders");
            cairn.administration().grant("orders", "r");
            Map<String, String> login =
                    Map.of(PropertyKeyConst.USERNAME, "orders", PropertyKeyConst.PASSWORD, "of-orders");
            ConfigService orders = clients.open(login);
            NamingService registry = NamingClients.create(cairn.address(), login);
            try {
                assertServed(stranger, "step 1");
                assertServed(orders, "step 1, with a login");
                registry.registerInstance(SERVICE, "10.0.0.5", 8080);
                cairn.administration().awaitMissing("login");

                cairn.rehearse();
                assertServed(orders, "step 2");
                cairn.administration().awaitMissing("right");
                assertThat(cairn.administration().listed()).anySatisfy(row -> assertThat(row)
                        .contains("\"user\":\"orders\"", "\"right\":\"w public:*:config/*\""));
                cairn.administration().grant("orders", "rw");

                cairn.rehearse();
                assertServed(orders, "step 2, with the right");
                assertThat(cairn.administration().listed()).isEmpty();
                awaitInstance(registry);
                assertServed(stranger, "step 2, without a login");
                cairn.administration().awaitMissing("login");

                cairn.closeAll();
                assertServed(orders, "step 3");
                awaitInstance(registry);
                assertRefused(stranger);
            } finally {
                registry.shutDown();
            }
        }
    }

    /** The server was away a moment before. */
    private static void assertServed(ConfigService client, String content) {
        await().ignoreExceptions().until(() -> client.publishConfig("staged", GROUP, content));
        await().ignoreExceptions().untilAsserted(() -> assertThat(client.getConfig("staged", GROUP, 30_000))
                .isEqualTo(content));
    }

    private static void awaitInstance(NamingService registry) {
        await().ignoreExceptions().untilAsserted(() -> assertThat(registry.getAllInstances(SERVICE, false))
                .hasSize(1));
    }

    private static void assertRefused(ConfigService client) {
        await().untilAsserted(() -> {
            try {
                assertThat(client.publishConfig("staged", GROUP, "refused")).isFalse();
            } catch (NacosException refused) {
                assertThat(refused.getErrCode()).isEqualTo(NacosException.NO_RIGHT);
            }
        });
    }
}
